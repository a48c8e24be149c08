import type pg from "pg";
import type { Database } from "#server/db/index.ts";
import type { GenerationRow } from "./generation-row.ts";

/** A row with the process that lent the credit for it. */
export interface FinishedGeneration {
  readonly instanceId: string;
  readonly row: GenerationRow;
}

/**
 * Inserts the rows the table lacks, and for each one its charge out of the organisation's credits. A row replayed
 * twice is inserted once. Generations that failed without cost are recorded and not charged.
 */
const insertFresh = `
  with fresh as (
    insert into generation
    select * from json_populate_recordset(null::generation, $1::json)
    on conflict (id) do nothing
    returning id, org_id, status, cost_pico_eur
  ), charged as (
    insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind)
    select id, org_id, 'credits', 'usage', cost_pico_eur, 'usage' from fresh
    where status = 'completed' or cost_pico_eur > 0
  )
  select id from fresh`;

/** Balances are locked in one order everywhere, so that two batches cannot wait for each other. */
const lockBalances = `
  select org_id from credit_balance where org_id = any($1::uuid[]) order by org_id for update`;

/** Takes what was spent off the lease it was spent from, as far as that still stands, and adds it to usage. */
const bookSpending = `
  with spent as (
    select * from jsonb_to_recordset($1::jsonb) as spent (instance_id uuid, org_id uuid, cost numeric)
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

/** Keys were used; at most one write a minute each. */
const touchKeys = `
  update api_key set last_used_at = used.at
  from jsonb_to_recordset($1::jsonb) as used (id uuid, at timestamptz)
  where api_key.id = used.id and (last_used_at is null or last_used_at < used.at - interval '1 minute')`;

/** What keys cost, day by day. Written in one order, so that two batches cannot wait for each other. */
const addKeyUsage = `
  insert into key_usage (api_key_id, day, cost_pico_eur)
  select id, day, sum(cost) from jsonb_to_recordset($1::jsonb) as used (id uuid, day date, cost numeric)
  group by id, day order by id, day
  on conflict (api_key_id, day) do update set cost_pico_eur = key_usage.cost_pico_eur + excluded.cost_pico_eur`;

/** The limits that requests of these keys spend from: their own and those of the keys that made them. */
const findBudgets = `
  with recursive lineage as (
    select id as key_id, id, parent_id from api_key where id = any($1::uuid[])
    union all
    select lineage.key_id, api_key.id, api_key.parent_id from api_key join lineage on api_key.id = lineage.parent_id
  )
  select key_id, id as budget_id from lineage join credit_balance on credit_balance.org_id = lineage.id`;

interface Budget {
  key_id: string;
  budget_id: string;
}

interface Spent {
  instance_id: string;
  org_id: string;
  cost: bigint;
}

/** Sums by process and account: the organisation's, and those of the limits its keys spend from. */
function sumBySpender(finished: readonly FinishedGeneration[], budgets: readonly Budget[]): Spent[] {
  const sums = new Map<string, Spent>();
  const add = (instanceId: string, account: string, cost: bigint) => {
    const key = `${instanceId} ${account}`;
    const sum = sums.get(key) ?? { instance_id: instanceId, org_id: account, cost: 0n };
    sum.cost += cost;
    sums.set(key, sum);
  };
  for (const { instanceId, row } of finished) {
    const cost = BigInt(row.cost_pico_eur);
    add(instanceId, row.org_id, cost);
    for (const { key_id, budget_id } of budgets)
      if (key_id === row.api_key_id) add(instanceId, budget_id, cost);
  }
  return [...sums.values()];
}

const usageOf = ({ row }: FinishedGeneration) => ({
  id: row.api_key_id,
  day: row.started_at.slice(0, 10),
  cost: row.cost_pico_eur,
});

function latestUse(finished: readonly FinishedGeneration[]): { id: string; at: string }[] {
  const latest = new Map<string, string>();
  for (const { row } of finished) {
    const known = latest.get(row.api_key_id);
    if (known === undefined || known < row.started_at) latest.set(row.api_key_id, row.started_at);
  }
  return [...latest].map(([id, at]) => ({ id, at }));
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? inner.toString() : inner));

async function settle(client: pg.ClientBase, finished: readonly FinishedGeneration[]): Promise<void> {
  const rows = finished.map(({ row }) => row);
  const inserted = await client.query<{ id: string }>(insertFresh, [JSON.stringify(rows)]);
  const ids = new Set(inserted.rows.map(({ id }) => id));
  const fresh = finished.filter(({ row }) => ids.has(row.id));
  if (fresh.length === 0) return;
  const keyIds = [...new Set(fresh.map(({ row }) => row.api_key_id))];
  const budgets = await client.query<Budget>(findBudgets, [keyIds]);
  const spent = sumBySpender(fresh, budgets.rows);
  await client.query(lockBalances, [[...new Set(spent.map(({ org_id }) => org_id))]]);
  await client.query(bookSpending, [json(spent)]);
  await client.query(addKeyUsage, [json(fresh.map(usageOf))]);
  await client.query(touchKeys, [json(latestUse(fresh))]);
}

/**
 * Books finished generations in one transaction: rows, charges, balances and leases. Idempotent by generation id:
 * what is there already changes nothing.
 */
export function settleRows(database: Database, finished: readonly FinishedGeneration[]): Promise<void> {
  return database.batch((client) => settle(client, finished));
}
