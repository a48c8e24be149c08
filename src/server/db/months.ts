import type pg from "pg";
import { clock, dateAt, isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";

/**
 * Tables that are divided into months by id: their ids are UUIDv7, which begin with the time. Each also has a
 * partition `…_other` for ids of other months, and an installation of an earlier version has a partition `…_past`.
 */
const monthlyTables = ["generation", "ledger_transfer"] as const;
type MonthlyTable = (typeof monthlyTables)[number];

/** A partition with the ids from `from` to before `to`. `from` is null if it has all earlier ones. */
export interface MonthPartition {
  readonly table: MonthlyTable;
  readonly name: string;
  readonly from: string | null;
  readonly to: string;
}

const listPartitions = `
  select parent.relname as table, child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bounds
  from pg_inherits
  join pg_class as parent on parent.oid = inhparent
  join pg_class as child on child.oid = inhrelid
  where parent.relnamespace = current_schema()::regnamespace and parent.relname = any($1)
    and parent.relkind = 'p'
  order by 1, 2`;

const boundsForm = /FROM \((?:MINVALUE|'([0-9a-f-]+)')\) TO \('([0-9a-f-]+)'\)/;

/** The first id of a moment, in ms (RFC 9562, section 5.7). */
export function firstIdOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/** The moment of an id, in ms: what `firstIdOf` reverses. */
export const timeMsOfId = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

/** SQL: the time of column `id` in ms since 1970, which `firstIdOf` reverses. */
export const timeOfId = "('x' || left(translate(id::text, '-', ''), 12))::bit(48)::bigint";

/** The start of the UTC month that is `monthsLater` after the one of `ms`. */
export function startOfMonthMs(ms: number, monthsLater = 0): number {
  const day = dateAt(ms);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + monthsLater);
}

/** The partitions of the monthly tables, without those for other ids. */
export async function monthPartitions(client: pg.ClientBase): Promise<MonthPartition[]> {
  const { rows } = await client.query<{ table: MonthlyTable; name: string; bounds: string }>(listPartitions, [
    [...monthlyTables],
  ]);
  return rows.flatMap(({ table, name, bounds }) => {
    const [, from = null, to] = boundsForm.exec(bounds) ?? [];
    return to === undefined ? [] : [{ table, name, from, to }];
  });
}

/** The months that have no partition yet, from the current one on. */
function missingMonths(existing: readonly MonthPartition[], nowMs: number): MonthPartition[] {
  const offsets = Array.from({ length: limits.months.ahead + 1 }, (_, offset) => offset);
  return monthlyTables.flatMap((table) =>
    offsets.flatMap((offset) => {
      const startMs = startOfMonthMs(nowMs, offset);
      const from = firstIdOf(startMs);
      const name = `${table}_${isoTime(startMs).slice(0, 7).replace("-", "_")}`;
      const isCovered = existing.some(
        (one) => one.table === table && (one.from === null || one.from <= from) && from < one.to,
      );
      return isCovered ? [] : [{ table, name, from, to: firstIdOf(startOfMonthMs(nowMs, offset + 1)) }];
    }),
  );
}

/** Adds one partition. Rows of its month that are in `…_other` move to it. */
async function addMonth(client: pg.ClientBase, { table, name, from, to }: MonthPartition): Promise<void> {
  await client.query(`create table "${name}" (like ${table} including defaults)`);
  await client.query(`lock table ${table}_other in access exclusive mode`);
  const moved = `delete from ${table}_other where id >= '${from}' and id < '${to}' returning *`;
  await client.query(`with moved as (${moved}) insert into "${name}" select * from moved`);
  await client.query(
    `alter table ${table} attach partition "${name}" for values from ('${from}') to ('${to}')`,
  );
}

/** Any number, the same in every process. */
const monthsLock = 7_261_145_523;

/**
 * Adds partitions for the month of `nowMs` and those ahead, in the transaction of `client`. Returns their names. Throws
 * 55P03 if a table is in use for too long; rows of a month without a partition go to `…_other` until the next call.
 */
export async function addMonths(client: pg.ClientBase, nowMs = clock.nowMs()): Promise<string[]> {
  if (missingMonths(await monthPartitions(client), nowMs).length === 0) return [];
  await client.query(`set local lock_timeout = ${limits.months.lockTimeoutMs}`);
  await client.query("set local statement_timeout = 0");
  await client.query("select pg_advisory_xact_lock($1)", [monthsLock]);
  const missing = missingMonths(await monthPartitions(client), nowMs);
  for (const month of missing) await addMonth(client, month);
  return missing.map(({ name }) => name);
}
