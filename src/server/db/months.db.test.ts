import pg from "pg";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createTestDatabase } from "#test/test-database.ts";
import { migrate } from "./migrate.ts";
import { shippedMigrations } from "./migrations.ts";
import { addMonths, firstIdOf, monthPartitions, startOfMonthMs } from "./months.ts";

afterEach(() => vi.restoreAllMocks());

async function open(empty: boolean) {
  const made = await createTestDatabase({ empty });
  const client = new pg.Client(made.connection);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await made.close();
  });
  return { client, connection: made.connection };
}

/** One column, as a list. */
async function listOf(client: pg.Client, statement: string): Promise<unknown[]> {
  const { rows } = await client.query({ text: statement, rowMode: "array" });
  return rows.map(([value]: unknown[]) => value);
}

const at = (ms: number) => vi.spyOn(clock, "nowMs").mockReturnValue(ms);
const inTransaction = async (client: pg.Client, work: () => Promise<string[]>) => {
  await client.query("begin");
  const result = await work();
  await client.query("commit");
  return result;
};
const add = (client: pg.Client) => inTransaction(client, () => addMonths(client));

const transfer = (id: string, kind = "usage") =>
  `insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind)
   values ('${id}', '${org}', 'credits', 'usage', 7, '${kind}')`;
const org = "00000000-0000-4000-8000-000000000001";
const placed = `select tableoid::regclass::text || ' ' || id from ledger_transfer order by 1`;

test("an id belongs to the month in which it was made, to the millisecond", () => {
  for (const ms of [Date.UTC(2026, 11, 1), Date.UTC(2027, 0, 1), Date.UTC(2024, 2, 1)]) {
    at(ms - 1);
    expect(uuidv7() < firstIdOf(ms)).toBe(true);
    at(ms);
    expect(uuidv7() >= firstIdOf(ms)).toBe(true);
    expect(startOfMonthMs(ms + 86_399_999)).toBe(ms);
    expect(startOfMonthMs(ms - 1, 1)).toBe(ms);
  }
});

test("a new database has partitions for this month and the next two, and no past", async () => {
  const { client } = await open(false);
  const partitions = await monthPartitions(client);
  const months = [0, 1, 2].map((later) => firstIdOf(startOfMonthMs(clock.nowMs(), later)));
  for (const table of ["generation", "ledger_transfer"])
    expect(partitions.filter((one) => one.table === table).map(({ from }) => from)).toEqual(months);
  expect(await add(client)).toEqual([]);
});

test("months are added before they begin, and a month that began without one gets its rows", async () => {
  const { client } = await open(false);
  const later = Date.UTC(2031, 4, 17);
  at(later);
  const [own, before] = [uuidv7(), firstIdOf(Date.UTC(2031, 3, 30))];
  for (const id of [own, before]) await client.query(transfer(id));
  expect(await listOf(client, placed)).toEqual([
    `ledger_transfer_other ${before}`,
    `ledger_transfer_other ${own}`,
  ]);
  expect(await add(client)).toEqual(
    ["generation", "ledger_transfer"].flatMap((table) =>
      ["05", "06", "07"].map((month) => `${table}_2031_${month}`),
    ),
  );
  expect(await listOf(client, placed)).toEqual([
    `ledger_transfer_2031_05 ${own}`,
    `ledger_transfer_other ${before}`,
  ]);
  at(Date.UTC(2031, 5, 1));
  expect(await add(client)).toEqual(["generation_2031_08", "ledger_transfer_2031_08"]);
});

test("processes that add months at the same time add them once", async () => {
  const { client, connection } = await open(false);
  const others = await Promise.all(
    [1, 2, 3].map(async () => {
      const other = new pg.Client(connection);
      await other.connect();
      return other;
    }),
  );
  at(Date.UTC(2031, 4, 17));
  const added = await Promise.all([client, ...others].map(add));
  for (const other of others) await other.end();
  expect(added.flat().toSorted()).toHaveLength(6);
});

test("a start that cannot add partitions warns and goes on", async () => {
  const { client, connection } = await open(false);
  at(Date.UTC(2031, 4, 17));
  await client.query("create table generation_2031_05 ()");
  const warn = vi.fn();
  expect(await migrate(connection, { ...silentLog, warn })).toEqual([]);
  expect(warn).toHaveBeenCalledOnce();
  expect((await monthPartitions(client)).some(({ name }) => name.includes("2031"))).toBe(false);
});

test("every partition has the indexes of its table", async () => {
  const { client } = await open(false);
  const indexesOf = (table: string) =>
    listOf(
      client,
      `select regexp_replace(pg_get_indexdef(indexrelid), '^.* USING', '') from pg_index
       where indrelid = '${table}'::regclass and indisvalid order by 1`,
    );
  for (const { table, name } of await monthPartitions(client)) {
    expect(await indexesOf(name)).toEqual(await indexesOf(table));
    expect(await indexesOf(`${table}_other`)).toEqual(await indexesOf(table));
  }
});

const lastUndivided = "20261127044502_usage_hours";
const generationColumns = `(id, request_id, org_id, user_id, api_key_id, operation, model_requested, status, http_status,
  streamed, cancelled, strategy, parameters, prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens,
  reasoning_tokens, search_units, usage_estimated, is_byok, fx_usd_per_eur, fx_date, cost_pico_usd, cost_pico_eur,
  upstream_pico_usd, started_at, duration_ms)`;
const generation = (id: string) => `insert into generation ${generationColumns}
  values ('${id}', 'req', '${org}', '${org}', '${org}', 'chat', 'm', 'completed', 200, false, false, 'balanced', '{}',
    1, 2, 0, 0, 0, 0, false, false, 1, '2026-11-20', 7, 7, 7, now(), 5)`;

test("a database with requests is divided without losing any, and each transfer has one place", async () => {
  const { client, connection } = await open(true);
  const migrations = shippedMigrations();
  const undivided = migrations.filter(({ name }) => name <= lastUndivided);
  vi.spyOn(await import("./migrations.ts"), "shippedMigrations").mockReturnValue(undivided);
  await migrate(connection, silentLog);
  vi.restoreAllMocks();
  const ids = [uuidv7(), firstIdOf(Date.UTC(2025, 1, 1)), "f47ac10b-58cc-4372-a567-0e02b2c3d479"].toSorted();
  for (const id of ids) {
    await client.query(generation(id));
    await client.query(transfer(id));
  }
  expect((await migrate(connection, silentLog)).length).toBeGreaterThan(0);
  for (const table of ["generation", "ledger_transfer"]) {
    expect(await listOf(client, `select id from ${table} order by 1`)).toEqual(ids);
    expect(await listOf(client, `select id from ${table}_past order by 1`)).toEqual(ids.slice(0, 2));
    expect(await listOf(client, `select id from ${table}_other`)).toEqual(ids.slice(2));
  }
  await expect(client.query(transfer(ids[0] ?? ""))).rejects.toMatchObject({ code: "23505" });
  at(startOfMonthMs(clock.nowMs(), 2));
  const fresh = uuidv7();
  await add(client);
  await client.query(generation(fresh));
  expect(await listOf(client, `select count(*)::int from generation_past`)).toEqual([2]);
  expect(
    await listOf(client, `select tableoid::regclass::text from generation where id = '${fresh}'`),
  ).toEqual([`generation_${new Date(clock.nowMs()).toISOString().slice(0, 7).replace("-", "_")}`]);
});
