import type pg from "pg";
import { type BookedReceipt, type Database, receiptHash } from "#server/db/index.ts";
import { jsonOfSums } from "#server/platform/sums-json.ts";
import { bookUsage } from "./book-usage.ts";
import { sumCounted } from "./counted.ts";
import type { BookedRow, GenerationRow } from "./generation-row.ts";
import { type StoredBases, storeBases } from "./stored-bases.ts";
import { noWorkspace, sumUsage, type UsageSum } from "./usage-sums.ts";

/** A row, or its JSON with its attachments, and the process that leased the credit for it. */
export type FinishedGeneration = {
  readonly instanceId: string;
  /** Stored by the outbox in the same transaction. */
  readonly attached?: readonly object[];
} & (
  | { readonly row: GenerationRow; readonly json?: undefined }
  | { readonly row: BookedRow; readonly json: string; readonly receiptHash: string }
);

/** A transactional outbox: what is attached to generations is stored in the transaction that books them. */
export interface Outbox {
  /** Stores the attachments. Returns the receivers to notify after the commit. */
  write(client: pg.ClientBase, attached: readonly object[]): Promise<readonly string[]>;
  tell(receivers: readonly string[]): void;
  /** The attachments of a generation whose process died before it made them. */
  recover(row: GenerationRow): readonly object[];
}

/** Writes what another area stores about generations, in the transaction that books them. */
export type BookingWriter = (client: pg.ClientBase, booked: readonly BookedRow[]) => Promise<void>;

/** What other areas store in the transaction that books generations. */
export interface BookingExtras {
  readonly outbox?: Outbox | undefined;
  /** Called in this order, so that two batches cannot deadlock. */
  readonly writers?: readonly BookingWriter[] | undefined;
  /** Stores that the receipts of generations have to be added to transparency logs. */
  readonly logReceipts?:
    | ((client: pg.ClientBase, receipts: readonly BookedReceipt[]) => Promise<void>)
    | undefined;
  /** Notes which bases of decisions are in the database. */
  readonly bases?: StoredBases | undefined;
}

/** Columns that records spooled by earlier versions lack. */
const newColumns = JSON.stringify({
  usage_implausible: false,
  input_modalities: [],
  output_modalities: [],
} satisfies Partial<GenerationRow>);

/**
 * Inserts the rows the table lacks, each with its charge from the organisation's credits. A row is inserted once,
 * however often it is replayed. Failed generations without cost are recorded and not charged.
 */
const insertFresh = `
  with fresh as (
    insert into generation
    select * from json_populate_recordset(json_populate_record(null::generation, '${newColumns}'), $1::json)
    on conflict (id) do nothing
    returning id, org_id, status, cost_pico_eur
  ), charged as (
    insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind)
    select id, org_id, 'credits', 'usage', cost_pico_eur, 'usage' from fresh
    where status = 'completed' or cost_pico_eur > 0
  )
  select id from fresh`;

/** Balances are locked in the same order everywhere, so that two batches cannot deadlock. */
const lockBalances = `
  select account_id from credit_balance where account_id = any($1::uuid[]) order by account_id for update`;

/**
 * Subtracts what was spent from its lease, as far as that still exists, and adds it to the usage. Returns how much of
 * it the leases covered.
 */
const bookSpending = `
  with spent as (
    select * from jsonb_to_recordset($1::jsonb) as spent (instance_id uuid, account_id uuid, cost numeric, charged numeric)
  ), lease as (
    select credit_lease.instance_id, credit_lease.account_id, least(spent.cost, remaining_pico_eur) as covered
    from credit_lease join spent using (instance_id, account_id) for update of credit_lease
  ), reduced as (
    update credit_lease set remaining_pico_eur = remaining_pico_eur - lease.covered
    from lease where credit_lease.instance_id = lease.instance_id and credit_lease.account_id = lease.account_id
  ), booked as (
    update credit_balance
    set used_pico_eur = used_pico_eur + total.cost, leased_pico_eur = leased_pico_eur - total.covered
    from (
      select spent.account_id, sum(spent.cost) as cost, sum(coalesce(lease.covered, 0)) as covered
      from spent left join lease using (instance_id, account_id) group by spent.account_id
    ) as total
    where credit_balance.account_id = total.account_id
  )
  select instance_id, account_id, charged::text as cost, coalesce(lease.covered, 0)::text as covered
  from spent left join lease using (instance_id, account_id)`;

/** The daily cost of keys and workspaces. Written in a fixed order, so that two batches cannot deadlock. */
const addKeyUsage = `
  insert into key_usage (holder_id, day, cost_pico_eur, byok_pico_eur)
  select id, day, cost, byok
  from jsonb_to_recordset($1::jsonb) as used (id uuid, day date, cost numeric, byok numeric)
  order by id, day
  on conflict (holder_id, day) do update set cost_pico_eur = key_usage.cost_pico_eur + excluded.cost_pico_eur,
    byok_pico_eur = key_usage.byok_pico_eur + excluded.byok_pico_eur`;

/**
 * The limits that requests of these keys and workspaces spend from: their own and those of the keys that made them.
 */
const findBudgets = `
  with recursive lineage as (
    select id as holder_id, id, parent_id, include_byok_in_limit as with_byok from api_key where id = any($1::uuid[])
    union all
    select lineage.holder_id, api_key.id, api_key.parent_id, api_key.include_byok_in_limit
    from api_key join lineage on api_key.id = lineage.parent_id
  ), holders as (
    select holder_id, id, with_byok from lineage union all select id, id, false from unnest($2::uuid[]) as workspace (id)
  )
  select holder_id, id as budget_id, with_byok from holders join credit_balance on credit_balance.account_id = holders.id`;

interface Budget {
  /** The key or workspace of the request. */
  holder_id: string;
  budget_id: string;
  with_byok: boolean;
}

interface Spent {
  instance_id: string;
  account_id: string;
  /** What is subtracted from the account. */
  cost: bigint;
  /** How much of it was charged; the process that spent it knows this part. */
  charged: bigint;
}

/** What was booked for one account and process, in pico-EUR; `covered` was subtracted from its lease. */
export interface Booking {
  readonly instanceId: string;
  readonly accountId: string;
  /** The charged part. */
  readonly cost: bigint;
  readonly covered: bigint;
}

/** Sums of one process by account: the organisations', and those of the limits their keys spend from. */
function sumBySpender(instanceId: string, days: readonly UsageSum[], budgets: readonly Budget[]): Spent[] {
  const sums = new Map<string, Spent>();
  const add = (account: string, charged: bigint, cost: bigint) => {
    const sum = sums.get(account) ?? { instance_id: instanceId, account_id: account, cost: 0n, charged: 0n };
    sum.cost += cost;
    sum.charged += charged;
    sums.set(account, sum);
  };
  for (const { org_id, api_key_id, workspace_id, cost_pico_eur: cost, byok_pico_eur: byok } of days) {
    add(org_id, cost, cost);
    for (const { holder_id, budget_id, with_byok } of budgets)
      if (holder_id === api_key_id || holder_id === workspace_id)
        add(budget_id, cost, with_byok ? cost + byok : cost);
  }
  return [...sums.values()];
}

/** What the rows of one process add to counters of budgets. */
const sumByCounter = (instance_id: string, rows: readonly BookedRow[]): Spent[] =>
  sumCounted(rows).map(({ accountId: account_id, sum }) => ({
    ...{ instance_id, account_id, cost: sum, charged: sum },
  }));

interface Used {
  readonly id: string;
  readonly day: string;
  cost: bigint;
  byok: bigint;
}

/** The daily cost of each key and workspace. */
function sumByKey(days: readonly UsageSum[]): Used[] {
  const sums = new Map<string, Used>();
  for (const { api_key_id, workspace_id, day, cost_pico_eur: cost, byok_pico_eur: byok } of days) {
    for (const id of workspace_id === noWorkspace ? [api_key_id] : [api_key_id, workspace_id]) {
      const key = `${id} ${day}`;
      const sum = sums.get(key) ?? { id, day, cost: 0n, byok: 0n };
      sum.cost += cost;
      sum.byok += byok;
      sums.set(key, sum);
    }
  }
  return [...sums.values()];
}

const receiptOf = (finished: FinishedGeneration): BookedReceipt => ({
  id: finished.row.id,
  org_id: finished.row.org_id,
  receipt_hash: finished.json === undefined ? receiptHash(finished.row) : finished.receiptHash,
});

/** Rows are inserted in the order of their ids, so that two batches with the same rows cannot deadlock. */
const rowsInOrder = (finished: readonly FinishedGeneration[]): string[] =>
  finished
    .toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1))
    .map(({ row, json }) => json ?? JSON.stringify(row));

const among = (finished: readonly FinishedGeneration[], rows: readonly { readonly id: string }[]) => {
  const ids = new Set(rows.map(({ id }) => id));
  return finished.filter(({ row }) => ids.has(row.id));
};

/** The sums of each process in a batch. `days` covers all of them, and is attached to one process. */
function byInstance(
  finished: readonly FinishedGeneration[],
  days: readonly UsageSum[],
): ReadonlyMap<string, readonly UsageSum[]> {
  const groups = Map.groupBy(finished, ({ instanceId }) => instanceId);
  if (groups.size === 1) return new Map([...groups.keys()].map((id) => [id, days]));
  return new Map([...groups].map(([id, group]) => [id, sumUsage(group.map(({ row }) => row))]));
}

interface BookedAccount {
  readonly instance_id: string;
  readonly account_id: string;
  readonly cost: string;
  readonly covered: string;
}

async function book(
  client: pg.ClientBase,
  finished: readonly FinishedGeneration[],
  { outbox, writers = [], logReceipts }: BookingExtras,
): Promise<{ readonly tell: readonly string[]; readonly bookings: readonly Booking[] }> {
  const inserted = await client.query<{ id: string }>(insertFresh, [`[${rowsInOrder(finished).join()}]`]);
  const fresh = inserted.rows.length === finished.length ? finished : among(finished, inserted.rows);
  if (fresh.length === 0) return { tell: [], bookings: [] };
  const booked = fresh.map(({ row }) => row);
  const sums = sumUsage(booked);
  const keyIds = [...new Set(booked.map((row) => row.api_key_id))];
  const workspaceIds = [...new Set(booked.flatMap((row) => row.workspace_id ?? []))];
  const budgets = await client.query<Budget>(findBudgets, [keyIds, workspaceIds]);
  const counted = [...Map.groupBy(fresh, ({ instanceId }) => instanceId)].flatMap(([id, group]) =>
    sumByCounter(
      id,
      group.map(({ row }) => row),
    ),
  );
  const spent = [
    ...[...byInstance(fresh, sums)].flatMap(([id, own]) => sumBySpender(id, own, budgets.rows)),
    ...counted,
  ];
  await client.query(lockBalances, [[...new Set(spent.map(({ account_id }) => account_id))]]);
  const charged = await client.query<BookedAccount>(bookSpending, [jsonOfSums(spent)]);
  await client.query(addKeyUsage, [jsonOfSums(sumByKey(sums))]);
  await bookUsage(client, booked, sums);
  await storeBases(client, booked);
  for (const write of writers) await write(client, booked);
  await logReceipts?.(client, fresh.map(receiptOf));
  const attached = fresh.flatMap((generation) => generation.attached ?? []);
  return {
    tell: attached.length > 0 && outbox ? await outbox.write(client, attached) : [],
    bookings: charged.rows.map((row) => ({
      instanceId: row.instance_id,
      accountId: row.account_id,
      cost: BigInt(row.cost),
      covered: BigInt(row.covered),
    })),
  };
}

/**
 * Books finished generations in one transaction: rows, charges, balances and leases. Idempotent by generation id.
 * Returns what was booked for which account, for the processes that spent it.
 */
export async function bookGenerations(
  database: Database,
  finished: readonly FinishedGeneration[],
  extras: BookingExtras = {},
): Promise<readonly Booking[]> {
  const { tell, bookings } = await database.batch((client) => book(client, finished, extras));
  extras.bases?.booked(finished.map(({ row }) => row));
  if (tell.length > 0) extras.outbox?.tell(tell);
  return bookings;
}
