import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import { createTestDatabase, databaseKind } from "#test/test-database.ts";
import { migrate } from "./migrate.ts";
import { pendingMigrations } from "./migration-state.ts";
import { shippedMigrations } from "./migrations.ts";

const names = shippedMigrations().map(({ name }) => name);

async function open(options: { empty?: boolean } = {}) {
  const made = await createTestDatabase(options);
  const client = new pg.Client(made.connection);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await made.close();
  });
  const pending = async () => (await pendingMigrations(client)).map(({ name }) => name);
  return { client, pending, connection: made.connection, apply: () => migrate(made.connection, silentLog) };
}

test("an empty database lacks every migration; after migrating, none", async () => {
  const { client, pending, apply } = await open({ empty: true });
  expect(await pending()).toEqual(names);
  expect(await apply()).toEqual(names);
  expect(await pending()).toEqual([]);
  expect(await apply()).toEqual([]);
  const { rows } = await client.query("select count(*)::int as count from generation");
  expect(rows).toEqual([{ count: 0 }]);
});

test("the table of migrations equals the one of Prisma's tools", async () => {
  const { client, apply } = await open({ empty: true });
  await apply();
  const { rows: columns } = await client.query(
    `select column_name || ' ' || data_type || coalesce('(' || character_maximum_length || ')', '') || ' ' || is_nullable
       || coalesce(' ' || column_default, '') as column
     from information_schema.columns where table_name = '_prisma_migrations' order by 1`,
  );
  expect(columns.map(({ column }) => column)).toEqual([
    "applied_steps_count integer NO 0",
    "checksum character varying(64) NO",
    "finished_at timestamp with time zone YES",
    "id character varying(36) NO",
    "logs text YES",
    "migration_name character varying(255) NO",
    "rolled_back_at timestamp with time zone YES",
    "started_at timestamp with time zone NO now()",
  ]);
  const { rows } = await client.query(
    `select migration_name, checksum, applied_steps_count, length(id) as id, logs, rolled_back_at,
       finished_at >= started_at as in_order from _prisma_migrations order by migration_name`,
  );
  expect(rows).toEqual(
    shippedMigrations().map(({ name, checksum }) => ({
      migration_name: name,
      checksum,
      applied_steps_count: 1,
      id: 36,
      logs: null,
      rolled_back_at: null,
      in_order: true,
    })),
  );
});

// The embedded database belongs to one process, so only a server can have several that migrate at once.
const onServer = test.runIf(databaseKind() === "postgres");

onServer("of three processes that start at once each migration is applied by one", async () => {
  const { apply, pending } = await open({ empty: true });
  const applied = await Promise.all([apply(), apply(), apply()]);
  expect(applied.flat().sort()).toEqual(names);
  expect(await pending()).toEqual([]);
});

onServer(
  "a process that is killed in the middle leaves nothing of a migration and lets others go on",
  async () => {
    const { client, connection, apply } = await open({ empty: true });
    const holder = new pg.Client(connection);
    holder.on("error", () => {});
    await holder.connect();
    await holder.query("begin");
    await holder.query("select pg_advisory_xact_lock(72707369)");
    await holder.query("create table half (id int)");
    const applying = apply();
    await expect.poll(async () => (await waiting(client)).length).toBe(1);
    const { rows } = await holder.query("select pg_backend_pid() as pid");
    await client.query("select pg_terminate_backend($1)", [rows[0].pid]);
    expect(await applying).toEqual(names);
    expect((await client.query("select to_regclass('half') as half")).rows).toEqual([{ half: null }]);
  },
);

const waiting = async (client: pg.Client) =>
  (
    await client.query(
      "select pid from pg_stat_activity where wait_event = 'advisory' and datname = current_database()",
    )
  ).rows;

onServer("a table that others lock for a while only delays a migration", async () => {
  const { client, connection, apply } = await open();
  const name = "20261122071900_ledger_corrections";
  await client.query("delete from _prisma_migrations where migration_name = $1", [name]);
  await client.query("drop index ledger_transfer_not_usage_idx");
  const holder = new pg.Client({ ...connection, statement_timeout: 0 });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("begin");
  await holder.query("lock table ledger_transfer in access exclusive mode");
  const applying = apply();
  const blocked = async () =>
    (await client.query("select from pg_locks where not granted and relation = 'ledger_transfer'::regclass"))
      .rowCount;
  await expect.poll(blocked, { timeout: 10_000 }).toBe(1);
  // It lets go of its place in the queue, so that others' statements go on meanwhile.
  await expect.poll(blocked, { timeout: 10_000 }).toBe(0);
  await holder.query("commit");
  expect(await applying).toEqual([name]);
});

test("a migration that was changed after it was applied is refused by name", async () => {
  const { client, apply } = await open();
  await client.query("update _prisma_migrations set checksum = 'other' where migration_name = $1", [
    names[0],
  ]);
  await expect(apply()).rejects.toThrow(`Migration ${names[0]} was changed after it was applied`);
});

test("the database of a newer version is refused with instructions", async () => {
  const { client, apply } = await open();
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values ('x', 'x', '29990101000000_future', now(), 1)`,
  );
  await expect(apply()).rejects.toThrow(
    /29990101000000_future, which this version does not know: it was used by a newer version\. Start that version/,
  );
});

test("a migration that was rolled back counts as missing", async () => {
  const { client, pending } = await open();
  await client.query("update _prisma_migrations set rolled_back_at = now(), finished_at = null");
  expect(await pending()).toEqual(names);
});

test("a database of another program is refused and not changed", async () => {
  const { client, apply } = await open({ empty: true });
  await client.query("create table customers (id int)");
  await expect(apply()).rejects.toThrow(/is not empty and holds no tables of Portolan \(it has customers\)/);
  const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'");
  expect(rows).toEqual([{ tablename: "customers" }]);
});

test("a migration that fails is rolled back, with the reason in the message", async () => {
  const { client, apply, pending } = await open({ empty: true });
  await client.query("create schema existing");
  await client.query("create type \"user\" as enum ('x')");
  await expect(apply()).rejects.toThrow(
    new RegExp(`Migration ${names[0]} could not be applied and was rolled back: .*already exists`),
  );
  expect(await pending()).toEqual(names);
  expect((await client.query("select tablename from pg_tables where schemaname = 'public'")).rows).toEqual(
    [],
  );
  await client.query('drop type "user"');
  expect(await apply()).toEqual(names);
});

test("a start that was asked to stop stops between two migrations", async () => {
  const { connection, pending } = await open({ empty: true });
  const stop = new AbortController();
  stop.abort(new Error("asked to end"));
  await expect(migrate(connection, silentLog, stop.signal)).rejects.toThrow("asked to end");
  expect(await pending()).toEqual(names);
});
