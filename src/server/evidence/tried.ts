import { Prisma } from "#generated/prisma/client.ts";

/** Outcomes of attempts without a connection, so that the provider received nothing. */
const unreached = ["refused", "blocked"];
const unreachedList = Prisma.join(unreached);

/** The columns of `generation` that say which endpoints were tried. */
export const triedColumns = Prisma.sql`provider, endpoint, attempts`;

/**
 * A lateral table of the endpoints that a row of `from` tried: provider, endpoint, outcome, and whether it may have
 * received the request. Rows without `attempts` had one, which answered. A row whose process stopped names the endpoint
 * that had begun to answer.
 */
export const triedOf = (from: Prisma.Sql): Prisma.Sql => Prisma.sql`lateral (
  select ${from}.provider, ${from}.endpoint,
    case when ${from}.attempts is null then 'ok' else 'unrecorded' end as outcome, true as reached, 0::bigint as place
  where ${from}.endpoint is not null and (${from}.attempts is null or ${from}.attempts = '[]'::jsonb)
  union all
  select one->>'provider', one->>'endpoint', one->>'outcome', one->>'outcome' not in (${unreachedList}), place
  from jsonb_array_elements(${from}.attempts) with ordinality as each_one (one, place)
) as tried`;

/** Whether an endpoint, or one of a provider, may have received a row of `generation`. */
export const receivedBy = (column: "endpoint" | "provider", value: Prisma.Sql): Prisma.Sql => Prisma.sql`
  (case when attempts is null or attempts = '[]'::jsonb then generation.${Prisma.raw(column)} = ${value}
    else exists (select from jsonb_array_elements(attempts) as one
      where one->>${column} = ${value} and one->>'outcome' not in (${unreachedList})) end)`;
