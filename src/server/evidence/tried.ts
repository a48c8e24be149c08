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

/** `attempts` without what differs from request to request, such as durations. */
export const triedAlike = Prisma.sql`(case when attempts is null or attempts = '[]'::jsonb then attempts
  else (select jsonb_agg(jsonb_build_object(
      'provider', one->'provider', 'endpoint', one->'endpoint', 'outcome', one->'outcome'))
    from jsonb_array_elements(attempts) as one) end)`;

/** The endpoints that a row of `from` tried, as a JSON list of `recipients` of the contract. */
export const recipientsOf = (from: Prisma.Sql): Prisma.Sql => Prisma.sql`
  (select coalesce(json_agg(json_build_object('provider', tried.provider, 'endpoint', tried.endpoint,
      'outcome', outcome, 'reached', reached) order by place), '[]')
    from ${triedOf(from)})`;

interface Received {
  readonly provider?: Prisma.Sql | undefined;
  readonly endpoint?: Prisma.Sql | undefined;
}

/** Whether an endpoint with all of these values may have received a row of `generation`. */
export function receivedBy({ provider, endpoint }: Received): Prisma.Sql {
  const matches = (providerOf: Prisma.Sql, endpointOf: Prisma.Sql): Prisma.Sql => Prisma.sql`
    ${provider ? Prisma.sql`${providerOf} = ${provider}` : Prisma.sql`true`}
      and ${endpoint ? Prisma.sql`${endpointOf} = ${endpoint}` : Prisma.sql`true`}`;
  return Prisma.sql`
  (case when attempts is null or attempts = '[]'::jsonb
      then ${matches(Prisma.sql`generation.provider`, Prisma.sql`generation.endpoint`)}
    else exists (select from jsonb_array_elements(attempts) as one
      where ${matches(Prisma.sql`one->>'provider'`, Prisma.sql`one->>'endpoint'`)}
        and one->>'outcome' not in (${unreachedList})) end)`;
}
