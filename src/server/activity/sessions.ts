import type { GenerationCursor } from "#contract/generation.ts";
import type { SessionLine, SessionListQuery, SessionPage } from "#contract/session-list.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { type Conditions, conditionsOf } from "./generation-filter.ts";
import { newestFirst, olderThan, placeOfLast } from "./generation-order.ts";

interface NewestRow {
  readonly session_id: string;
  readonly started_at: Date;
  readonly id: string;
}

/** Sessions that a page before has shown already: they have a matching request that is not older than its end. */
const shownBefore = (conditions: Conditions, after: GenerationCursor): Prisma.Sql => Prisma.sql`
  exists (select from generation as newer
    where newer.session_id = newest.session_id and ${conditions.within} and ${conditions.having}
      and not ${olderThan(after)})`;

/** The newest matching request of each session, newest first, among the newest `scannedMax` requests. */
function readNewest(
  { prisma }: Database,
  { older, ...conditions }: Conditions & { readonly older: Prisma.Sql },
  { after, limit }: Pick<SessionListQuery, "after" | "limit">,
  scannedMax: number,
): Promise<NewestRow[]> {
  const { having } = conditions;
  return prisma.$queryRaw<NewestRow[]>`
    select session_id, started_at, id from (
      select distinct on (session_id) session_id, started_at, id
      from (select * from generation where ${older} ${newestFirst} limit ${scannedMax}) as scanned
      where ${having} and session_id is not null
      order by session_id, started_at desc, id asc
    ) as newest
    where ${after ? Prisma.sql`not ${shownBefore(conditions, after)}` : Prisma.sql`true`}
    ${newestFirst} limit ${limit + 1}`;
}

interface TotalsRow extends Omit<SessionLine, "first_at" | "last_at" | "cost_eur"> {
  readonly first_at: Date;
  readonly last_at: Date;
  readonly cost: string;
}

const newestOf = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(array_agg(${column} order by started_at desc, id asc))[1]`;

/** What the matching requests of some sessions are together. There is an index of sessions. */
function readTotals({ prisma }: Database, { within, having }: Conditions, ids: readonly string[]) {
  return prisma.$queryRaw<TotalsRow[]>`
    with matching as materialized (
      select * from generation where session_id = any(${ids}::text[]) and ${within} and ${having}
    ), of_model as (
      select session_id, coalesce(model, model_requested) as model, count(*) as requests from matching group by 1, 2
    )
    select session_id, count(*)::int as requests,
      (count(*) filter (where status in ('failed', 'interrupted')))::int as failed,
      min(started_at) as first_at, max(started_at) as last_at,
      (select array_agg(of_model.model order by of_model.requests desc, of_model.model) from of_model
        where of_model.session_id = matching.session_id) as models,
      sum(prompt_tokens)::float8 as tokens_in, sum(completion_tokens)::float8 as tokens_out,
      sum(cost_pico_eur)::text as cost,
      ${newestOf(Prisma.sql`api_key_id`)} as api_key_id, ${newestOf(Prisma.sql`app_title`)} as app_title,
      ${newestOf(Prisma.sql`user_reference`)} as user_reference
    from matching group by session_id`;
}

const toLine = ({ first_at, last_at, cost, ...row }: TotalsRow): SessionLine => ({
  ...row,
  first_at: first_at.toISOString(),
  last_at: last_at.toISOString(),
  cost_eur: decimalFromPico(BigInt(cost)),
});

/**
 * Returns a page of the sessions of requests that match the filter, the one with the newest request first, with what
 * its matching requests are together. Only the newest `scannedMax` requests are searched for sessions, so a page may
 * have fewer rows than `limit`, or none, and still have a next one.
 */
export async function listSessions(
  database: Database,
  caller: Authorized<"activity:read">,
  { after, limit, ...filter }: SessionListQuery,
  scannedMax: number = limits.lists.scannedMax,
): Promise<SessionPage> {
  const conditions = conditionsOf(caller, filter);
  const { within } = conditions;
  const older = after ? Prisma.sql`${within} and ${olderThan(after)}` : within;
  const rows = await readNewest(database, { ...conditions, older }, { after, limit }, scannedMax);
  const page = rows.slice(0, limit);
  const ids = page.map(({ session_id }) => session_id);
  const totals = ids.length === 0 ? [] : await readTotals(database, conditions, ids);
  const bySession = new Map(totals.map((row) => [row.session_id, row]));
  const data = ids.flatMap((id) => bySession.get(id) ?? []).map(toLine);
  const last = page.at(-1);
  if (last && rows.length > limit)
    return { data, next: { started_at: last.started_at.toISOString(), id: last.id } };
  return { data, next: await placeOfLast(database, older, scannedMax) };
}
