import type pg from "pg";
import { type BookedRow, bookHours, noWorkspace } from "#server/billing/index.ts";
import { type Database, hasFallbackSql } from "#server/db/index.ts";
import { clock, dayMs, isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";

/** The requests of all organisations in a time range: parameters 1 and 2. */
const requests = `
  organisation cross join lateral (
    select * from generation
    where org_id = organisation.id and started_at >= $1::timestamptz and started_at < $2::timestamptz
  ) as request`;

/** The columns that sums are made of. */
const readRequests = `
  declare requests cursor for
  select org_id, to_char(started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as started_at, api_key_id, workspace_id,
    model, model_requested, provider, status, attempts, error_code, is_byok, prompt_tokens, completion_tokens, cached_tokens,
    reasoning_tokens, search_units, cost_pico_usd, cost_pico_eur, upstream_pico_usd, fx_usd_per_eur, fx_date, streamed,
    latency_ms, duration_ms
  from ${requests}`;
const rowsTogether = 5_000;

const addLaterColumns = `
  update usage_day set failed = counted.failed, cancelled = counted.cancelled, interrupted = counted.interrupted,
    fallbacks = counted.fallbacks
  from (
    select org_id, api_key_id, coalesce(workspace_id, '${noWorkspace}') as workspace_id,
      coalesce(model, model_requested) as model, coalesce(provider, '') as provider, is_byok,
      count(*) filter (where status = 'failed') as failed,
      count(*) filter (where status = 'cancelled') as cancelled,
      count(*) filter (where status = 'interrupted') as interrupted,
      count(*) filter (where ${hasFallbackSql}) as fallbacks
    from ${requests} group by 1, 2, 3, 4, 5, 6
  ) as counted
  where usage_day.day = ($1::timestamptz at time zone 'UTC')::date and usage_day.org_id = counted.org_id
    and usage_day.api_key_id = counted.api_key_id and usage_day.workspace_id = counted.workspace_id
    and usage_day.model = counted.model and usage_day.provider = counted.provider
    and usage_day.is_byok = counted.is_byok`;

type Day = readonly [from: string, to: string];

/** Sums the hours of a day from its requests, in place of what was summed before. */
async function sumHoursAgain(client: pg.ClientBase, day: Day): Promise<void> {
  for (const table of ["usage_hour", "latency_hour"])
    await client.query(`delete from ${table} where hour >= $1 and hour < $2`, [...day]);
  await client.query(readRequests, [...day]);
  for (;;) {
    const { rows } = await client.query<BookedRow>(`fetch ${rowsTogether} from requests`);
    if (rows.length === 0) break;
    await bookHours(client, rows);
  }
  await client.query("close requests");
}

/** Sums a day (UTC) again from its requests: its hours, unless they are too old, and `summedLater`. */
export async function sumDay(client: pg.ClientBase, startMs: number): Promise<void> {
  const day: Day = [isoTime(startMs), isoTime(startMs + dayMs)];
  if (startMs + dayMs > clock.nowMs() - limits.sums.hoursRetentionMs) await sumHoursAgain(client, day);
  await client.query(addLaterColumns, [...day]);
}

/** The end of what the sums lack; 0 if they have everything. */
const lacksUntilMs = async (client: pg.ClientBase): Promise<number> => {
  const { rows } = await client.query<{ sums_from: Date }>("select sums_from from history_state");
  return rows[0]?.sums_from.getTime() ?? 0;
};

const firstRequest = `
  select min(first) as first from organisation cross join lateral (
    select started_at as first from generation where org_id = organisation.id order by started_at limit 1
  ) as earliest`;

/**
 * The last day that the sums lack; null if there is none yet. Reads its requests, so that they are in memory when
 * booking waits for them.
 */
const nextDay = (database: Database): Promise<{ readonly startMs: number; readonly endMs: number } | null> =>
  database.batch(async (client) => {
    await client.query(`set local statement_timeout = ${limits.sums.dayTimeoutMs}`);
    const endMs = await lacksUntilMs(client);
    // Until then, processes of an earlier version may book requests that are not summed.
    if (endMs === 0 || endMs > clock.nowMs()) return null;
    const { rows } = await client.query<{ first: Date | null }>(firstRequest);
    const firstMs = rows[0]?.first?.getTime() ?? Number.POSITIVE_INFINITY;
    if (firstMs >= endMs) return { startMs: 0, endMs };
    const day: Day = [isoTime(endMs - dayMs), isoTime(endMs)];
    await client.query(`select sum(duration_ms) from ${requests}`, [...day]);
    return { startMs: endMs - dayMs, endMs };
  });

/**
 * Adds the last day that the sums lack. Nothing is booked meanwhile, so each request is summed once. Returns whether
 * there may be an earlier day.
 */
async function addDay(database: Database): Promise<boolean> {
  const next = await nextDay(database);
  if (next === null) return false;
  await database.batch(async (client) => {
    await client.query(`set local statement_timeout = ${limits.sums.dayTimeoutMs}`);
    // In the order of the booking, which waits for the first of them.
    await client.query("lock table usage_day, usage_hour, latency_hour in share row exclusive mode");
    if ((await lacksUntilMs(client)) !== next.endMs) return;
    if (next.startMs > 0) await sumDay(client, next.startMs);
    await client.query("update history_state set sums_from = $1", [isoTime(next.startMs)]);
  });
  return next.startMs > 0;
}

const deleteOldHours = (table: "usage_hour" | "latency_hour"): string => `
  delete from ${table} using organisation
  where ${table}.org_id = organisation.id and hour < $1::timestamptz`;

/**
 * The job behind charts: adds days of earlier versions to the sums until all are there or `signal` is aborted, and
 * deletes hours after their time. Returns whether all are there.
 */
export async function completeSums(database: Database, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted && (await addDay(database))) {}
  const oldestMs = clock.nowMs() - limits.sums.hoursRetentionMs - dayMs;
  for (const table of ["usage_hour", "latency_hour"] as const)
    await database.statement(deleteOldHours(table), [isoTime(oldestMs)]);
  return (await database.batch(lacksUntilMs)) === 0;
}
