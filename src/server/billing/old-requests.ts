import type pg from "pg";
import { systemOf } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import { deletionAction } from "#server/audit/deleted-requests.ts";
import {
  type Database,
  firstIdOf,
  type MonthPartition,
  monthPartitions,
  startOfMonthMs,
  timeMsOfId,
  timeOfId,
} from "#server/db/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { heldCondition, legalHoldsInForce } from "#server/subjects/index.ts";

/**
 * Charges of a month whose requests are deleted become one transfer per organisation, so that balances remain the sums
 * of their transfers. Their sums are in the temporary table `charged`. The id of a month is always the same.
 */
const addTotals = `
  insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind, reason, created_at)
  select md5('usage total ' || org_id || month)::uuid, org_id, 'credits', 'usage', amount, 'usage_total',
    'Usage of ' || month || ', whose requests were deleted',
    (month || '-01')::timestamp at time zone 'UTC' + interval '1 month' - interval '1 millisecond'
  from charged
  on conflict (id) do update
    set amount_pico_eur = ledger_transfer.amount_pico_eur + excluded.amount_pico_eur`;

/** The month (UTC) of an id. It costs three times as much as the sum itself. */
const monthOfId = `to_char(to_timestamp(${timeOfId} / 1000.0) at time zone 'UTC', 'YYYY-MM')`;

/** The month of a partition's rows. Only the oldest partition has more than one: ids are asked for theirs. */
const monthOf = ({ from }: MonthPartition): string =>
  from === null ? monthOfId : `'${isoDay(timeMsOfId(from)).slice(0, 7)}'::text`;

/** Drops a month of both tables. Nobody waits for the sums; the tables are locked only while they are changed. */
async function dropMonth(
  client: pg.ClientBase,
  { generation, ledger }: { readonly generation: string | null; readonly ledger: MonthPartition },
): Promise<void> {
  const { statementTimeoutMs, lockTimeoutMs } = limits.months;
  await client.query(
    `set local statement_timeout = ${statementTimeoutMs}; set local lock_timeout = ${lockTimeoutMs}`,
  );
  // In the order of the booking. What is booked late for this month waits, and then goes to other partitions.
  if (generation !== null) await client.query(`lock table "${generation}" in share mode`);
  await client.query(`lock table "${ledger.name}" in share mode`);
  await client.query(`
    create temporary table charged on commit drop as
    select org_id, ${monthOf(ledger)} as month, sum(amount_pico_eur) as amount
    from "${ledger.name}" where kind = 'usage' group by 1, 2`);
  await client.query(
    `create temporary table kept on commit drop as select * from "${ledger.name}" where kind <> 'usage'`,
  );
  if (generation !== null) await client.query(`drop table "${generation}"`);
  await client.query(`drop table "${ledger.name}"`);
  await client.query("insert into ledger_transfer select * from kept");
  await client.query(addTotals);
}

const held = heldCondition("generation");

/**
 * Deletes some of the requests from `from` on and before `to`, for partitions that have newer ones or held ones too.
 * Returns the last one; null if there was none.
 */
async function deleteSome(client: pg.ClientBase, from: string, to: string): Promise<string | null> {
  const { rowsTogether, statementTimeoutMs } = limits.months;
  await client.query(`set local statement_timeout = ${statementTimeoutMs}`);
  const { rows } = await client.query<{ id: string }>(
    `delete from generation where id = any(array(
       select id from generation where id >= $1::uuid and id < $2::uuid and not ${held}
       order by id limit ${rowsTogether})) returning id`,
    [from, to],
  );
  if (rows.length === 0) return null;
  await client.query(
    `create temporary table charged (org_id uuid, month text, amount numeric) on commit drop`,
  );
  await client.query(
    `with deleted as (
       delete from ledger_transfer where id = any($1::uuid[]) and kind = 'usage'
       returning id, org_id, amount_pico_eur
     )
     insert into charged select org_id, ${monthOfId}, sum(amount_pico_eur) from deleted group by 1, 2`,
    [rows.map((row) => row.id)],
  );
  await client.query(addTotals);
  return (
    rows
      .map(({ id }) => id)
      .sort()
      .at(-1) ?? null
  );
}

/** Whether legal holds concern requests of a month, which then cannot be dropped. */
async function hasHeld(database: Database, partition: string): Promise<boolean> {
  return database.batch(async (client) => {
    await client.query(`set local statement_timeout = ${limits.months.statementTimeoutMs}`);
    const found = await client.query(`select from "${partition}" as generation where ${held} limit 1`);
    return found.rowCount !== 0;
  });
}

/** One request of each organisation answers it: reading all of a month takes seconds. */
const selectOwners = `
  select id as org_id from organisation
  where (select true from generation where org_id = organisation.id and id < $1::uuid and not ${held}
         order by started_at limit 1)`;

/**
 * Records in the audit logs of the organisations which of their requests are deleted, before they are: what a
 * transparency log still has of them is missing with reason.
 */
async function announce(database: Database, firstKept: string, day: string): Promise<void> {
  const owners = await database.statement<{ org_id: string }>(selectOwners, [firstKept]);
  for (const { org_id } of owners)
    await changeRecords(database, systemOf(org_id), deletionAction, async (tx) => {
      const recorded = await tx.audit_entry.findFirst({
        where: { org_id, action: deletionAction, after: { path: ["before"], equals: day } },
      });
      const audit = { id: org_id, type: "organisation", after: { before: day } };
      return { result: undefined, audit: recorded ? null : audit };
    });
}

const isBefore = (id: string) => (partition: MonthPartition) => partition.to <= id;

/**
 * Deletes the requests of all calendar months (UTC) that are completely older than the retention, and their charges,
 * except those that a legal hold concerns: they are deleted by a later run, after its release.
 * Sums for reports remain. Returns the names of dropped partitions.
 */
export async function deleteOldRequests(
  database: Database,
  retentionMs: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const startMs = startOfMonthMs(clock.nowMs() - retentionMs);
  const firstKept = firstIdOf(startMs);
  const old = (await database.batch(monthPartitions)).filter(isBefore(firstKept));
  await announce(database, firstKept, isoDay(startMs));
  // From now on, audits compare only what remains.
  await database.statement("update history_state set requests_from = greatest(requests_from, $1::date)", [
    isoDay(startMs),
  ]);
  const mayHold = (await legalHoldsInForce(database.prisma)) > 0;
  const dropped: string[] = [];
  for (const ledger of old.filter(({ table }) => table === "ledger_transfer")) {
    signal?.throwIfAborted();
    const generation = old.find((one) => one.table === "generation" && one.to === ledger.to)?.name ?? null;
    if (generation !== null && mayHold && (await hasHeld(database, generation))) continue;
    await database.batch((client) => dropMonth(client, { generation, ledger }));
    dropped.push(...(generation === null ? [ledger.name] : [generation, ledger.name]));
  }
  let last: string | null = firstIdOf(0);
  while (last !== null && !signal?.aborted) {
    const from: string = last;
    last = await database.batch((client) => deleteSome(client, from, firstKept));
  }
  for (const table of ["decision_basis", "decision_input", "endpoint_facts"])
    await database.statement(
      `delete from ${table} where seen_on < $1::date
         and org_id not in (select org_id from legal_hold where released_at is null)`,
      [isoDay(startMs)],
    );
  return dropped;
}
