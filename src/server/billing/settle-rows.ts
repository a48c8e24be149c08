import type { Database, Tx } from "#server/db/index.ts";
import type { GenerationRow } from "./generation-row.ts";

/** A row with the process that lent the credit for it. */
export interface FinishedGeneration {
  readonly instanceId: string;
  readonly row: GenerationRow;
}

interface InsertedRow {
  id: string;
  org_id: string;
  cost: string;
}

const billable = (row: GenerationRow): boolean => row.status === "completed" || row.cost_pico_eur !== "0";

/** Inserts the rows the table lacks and says which those were: a row replayed twice is inserted once. */
async function insertNew(tx: Tx, rows: readonly GenerationRow[]): Promise<Set<string>> {
  const inserted = await tx.$queryRaw<Pick<InsertedRow, "id">[]>`
    insert into generation
    select * from jsonb_populate_recordset(null::generation, ${JSON.stringify(rows)}::jsonb)
    on conflict (id) do nothing
    returning id`;
  return new Set(inserted.map(({ id }) => id));
}

/** Both sides of each charge: out of the organisation's credits, into its usage. */
async function insertEntries(tx: Tx, rows: readonly InsertedRow[]): Promise<void> {
  await tx.$executeRaw`
    insert into ledger_entry (transaction_id, account_id, amount_pico_eur, kind)
    select spent.id, account.id, case account.kind when 'credits' then -spent.cost else spent.cost end, 'usage'
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as spent (id uuid, org_id uuid, cost numeric)
    join ledger_account account on account.org_id = spent.org_id and account.kind in ('credits', 'usage')`;
}

interface Spent {
  instance_id: string;
  org_id: string;
  cost: string;
}

/** Takes what was spent off the lease it was spent from, as far as the lease still stands, and adds it to usage. */
async function bookSpending(tx: Tx, spent: readonly Spent[]): Promise<void> {
  const json = JSON.stringify(spent);
  await tx.$executeRaw`
    select org_id from credit_balance
    where org_id in (select org_id from jsonb_to_recordset(${json}::jsonb) as spent (org_id uuid))
    order by org_id for update`;
  await tx.$executeRaw`
    with spent as (
      select * from jsonb_to_recordset(${json}::jsonb) as spent (instance_id uuid, org_id uuid, cost numeric)
    ), lease as (
      select credit_lease.instance_id, credit_lease.org_id, least(spent.cost, remaining_pico_eur) as covered
      from credit_lease join spent using (instance_id, org_id) for update of credit_lease
    ), reduced as (
      update credit_lease set remaining_pico_eur = remaining_pico_eur - lease.covered
      from lease where credit_lease.instance_id = lease.instance_id and credit_lease.org_id = lease.org_id
    )
    update credit_balance
    set used_pico_eur = used_pico_eur + total.cost, leased_pico_eur = leased_pico_eur - total.covered
    from (
      select spent.org_id, sum(spent.cost) as cost, sum(coalesce(lease.covered, 0)) as covered
      from spent left join lease using (instance_id, org_id) group by spent.org_id
    ) as total
    where credit_balance.org_id = total.org_id`;
}

/** Keys were used; at most one write a minute each. */
async function touchKeys(tx: Tx, rows: readonly GenerationRow[]): Promise<void> {
  const newest = new Map<string, string>();
  for (const row of rows) {
    const known = newest.get(row.api_key_id);
    if (known === undefined || known < row.started_at) newest.set(row.api_key_id, row.started_at);
  }
  const used = [...newest].map(([id, at]) => ({ id, at }));
  await tx.$executeRaw`
    update api_key set last_used_at = used.at
    from jsonb_to_recordset(${JSON.stringify(used)}::jsonb) as used (id uuid, at timestamptz)
    where api_key.id = used.id and (last_used_at is null or last_used_at < used.at - interval '1 minute')`;
}

function sumBySpender(finished: readonly FinishedGeneration[], inserted: ReadonlySet<string>): Spent[] {
  const sums = new Map<string, { instance_id: string; org_id: string; cost: bigint }>();
  for (const { instanceId, row } of finished) {
    if (!inserted.has(row.id)) continue;
    const key = `${instanceId} ${row.org_id}`;
    const sum = sums.get(key) ?? { instance_id: instanceId, org_id: row.org_id, cost: 0n };
    sum.cost += BigInt(row.cost_pico_eur);
    sums.set(key, sum);
  }
  return [...sums.values()].map((sum) => ({ ...sum, cost: sum.cost.toString() }));
}

/**
 * Books finished generations in one transaction: the rows, both sides of each charge, the balance and the lease.
 * Idempotent by generation id: what is there already changes nothing.
 */
export function settleRows(database: Database, finished: readonly FinishedGeneration[]): Promise<void> {
  return database.transaction(async (tx) => {
    const rows = finished.map(({ row }) => row);
    const inserted = await insertNew(tx, rows);
    const fresh = rows.filter((row) => inserted.has(row.id));
    if (fresh.length === 0) return;
    await insertEntries(
      tx,
      fresh.filter(billable).map(({ id, org_id, cost_pico_eur }) => ({ id, org_id, cost: cost_pico_eur })),
    );
    await bookSpending(tx, sumBySpender(finished, inserted));
    await touchKeys(tx, fresh);
  });
}
