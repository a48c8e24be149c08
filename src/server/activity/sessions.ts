import type { GenerationCursor } from "#contract/generation.ts";
import type { SessionLine, SessionListQuery, SessionPage } from "#contract/session-list.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { type Conditions, conditionsOf } from "./generation-filter.ts";
import { newestFirst, notOlderThan, olderThan, placeOfLast } from "./generation-order.ts";

/** How many requests are searched for sessions, and counted of each. */
type SessionBounds = Readonly<Record<keyof typeof limits.sessions, number>>;

interface NewestRow {
  readonly session_id: string;
  readonly started_at: Date;
  readonly id: string;
}

/**
 * Sessions that a page before has shown already: they have a matching request that is not older than its end. Of a
 * session with more than `requestsMax` newer requests, of which none of the first matches, this is not known: it may be
 * listed twice.
 */
const shownBefore = (
  { within, having }: Conditions,
  after: GenerationCursor,
  { requestsMax }: SessionBounds,
): Prisma.Sql => Prisma.sql`
  exists (select from (
      select * from generation where session_id = newest.session_id and ${within} and ${notOlderThan(after)}
      order by started_at limit ${requestsMax}
    ) as newer where ${having})`;

/** The newest matching request of each session, newest first, among the newest `scannedMax` requests. */
function readNewest(
  { prisma }: Database,
  { older, ...conditions }: Conditions & { readonly older: Prisma.Sql },
  { after, limit }: Pick<SessionListQuery, "after" | "limit">,
  bounds: SessionBounds,
): Promise<NewestRow[]> {
  // "offset 0" keeps the order: sessions are looked up one by one until the page is full.
  return prisma.$queryRaw<NewestRow[]>`
    select session_id, started_at, id from (
      select session_id, started_at, id from (
        select distinct on (session_id) session_id, started_at, id
        from (select * from generation where ${older} ${newestFirst} limit ${bounds.scannedMax}) as scanned
        where ${conditions.having} and session_id is not null
        order by session_id, started_at desc, id asc
      ) as found ${newestFirst} offset 0
    ) as newest
    where ${after ? Prisma.sql`not ${shownBefore(conditions, after, bounds)}` : Prisma.sql`true`}
    limit ${limit + 1}`;
}

interface TotalsRow extends Omit<SessionLine, "first_at" | "last_at" | "cost_eur"> {
  readonly first_at: Date;
  readonly last_at: Date;
  readonly cost: string;
}

const newestOf = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(array_agg(${column} order by started_at desc, id asc))[1]`;

/** What the matching requests of some sessions are together, of at most `requestsMax` of each from its newest one on. */
function readTotals(
  { prisma }: Database,
  { within, having }: Conditions,
  page: readonly NewestRow[],
  { requestsMax }: SessionBounds,
) {
  return prisma.$queryRaw<TotalsRow[]>`
    with counted as materialized (
      select part.* from unnest(
        ${page.map(({ session_id }) => session_id)}::text[],
        ${page.map(({ started_at }) => started_at)}::timestamptz[], ${page.map(({ id }) => id)}::uuid[]
      ) as listed(session_id, started_at, id)
      cross join lateral (
        select generation.*, row_number() over (${newestFirst}) as place from generation
        where session_id = listed.session_id and ${within} and generation.started_at <= listed.started_at
          and (generation.started_at < listed.started_at or generation.id >= listed.id)
        ${newestFirst} limit ${requestsMax + 1}
      ) as part
    ), matching as (
      select * from counted where place <= ${requestsMax} and ${having}
    ), of_model as (
      select session_id, coalesce(model, model_requested) as model, count(*) as requests from matching group by 1, 2
    )
    select session_id, count(*)::int as requests,
      (select max(place) > ${requestsMax} from counted where counted.session_id = matching.session_id) as has_more,
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
 * have fewer rows than `limit`, or none, and still have a next one. Of a session, its newest matching request and the
 * `requestsMax - 1` before it are counted.
 */
export async function listSessions(
  database: Database,
  caller: Authorized<"activity:read">,
  { after, limit, ...filter }: SessionListQuery,
  bounds: SessionBounds = limits.sessions,
): Promise<SessionPage> {
  const conditions = conditionsOf(caller, filter);
  const { within } = conditions;
  const older = after ? Prisma.sql`${within} and ${olderThan(after)}` : within;
  const rows = await readNewest(database, { ...conditions, older }, { after, limit }, bounds);
  const page = rows.slice(0, limit);
  const ids = page.map(({ session_id }) => session_id);
  const totals = ids.length === 0 ? [] : await readTotals(database, conditions, page, bounds);
  const bySession = new Map(totals.map((row) => [row.session_id, row]));
  const data = ids.flatMap((id) => bySession.get(id) ?? []).map(toLine);
  const last = page.at(-1);
  if (last && rows.length > limit)
    return { data, next: { started_at: last.started_at.toISOString(), id: last.id } };
  return { data, next: await placeOfLast(database, older, bounds.scannedMax) };
}
