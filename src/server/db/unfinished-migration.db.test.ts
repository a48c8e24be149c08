import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import { createTestDatabase } from "#test/test-database.ts";
import { migrate } from "./migrate.ts";
import { pendingMigrations } from "./migration-state.ts";
import { type Migration, shippedMigrations } from "./migrations.ts";
import { restOfMigration, statementsOf } from "./unfinished-migration.ts";

const lastOfEngine = "20261122071900_ledger_corrections";
const ofEngine = shippedMigrations().filter(({ name }) => name <= lastOfEngine);

async function open() {
  const made = await createTestDatabase({ empty: true });
  const client = new pg.Client(made.connection);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await made.close();
  });
  return { client, connection: made.connection };
}

/** Every column, index and constraint, and the row counts of tables that migrations fill. */
async function shapeOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query(`
    select string_agg(line, e'\n' order by line) as shape from (
      select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as line
        from information_schema.columns where table_schema = 'public'
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'public'::regnamespace
    ) as lines`);
  const filled = [];
  for (const table of ["usage_day", "sealing_key", "session"]) {
    const { rows: there } = await client.query(`select to_regclass('${table}') is not null as there`);
    if (there[0].there) filled.push((await client.query(`select * from "${table}"`)).rows);
  }
  return `${rows[0].shape}\n${JSON.stringify(filled)}`;
}

/** What older versions recorded before they ran a migration's statements one by one. */
const begin = (client: pg.Client, { name, checksum }: Migration, stepsDone = 0) =>
  client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count)
     values ($1, $2, $3, now(), $4)`,
    [randomUUID(), checksum, name, stepsDone],
  );

/** Rows that migrations with data transfer. */
const furnish: Record<string, string> = {
  "20261120133046_init": `
    insert into "user" (id, name, email, updated_at) values ('00000000-0000-7000-8000-000000000001', 'A', 'a@b.eu', now());
    insert into session (id, token, user_id, expires_at, updated_at)
      values ('00000000-0000-7000-8000-000000000002', 't', '00000000-0000-7000-8000-000000000001', now(), now())`,
};

test("wherever an earlier version was killed in a migration, the next start completes it", async () => {
  const { client } = await open();
  await migrateTable(client);
  let cases = 0;
  for (const migration of ofEngine) {
    const statements = statementsOf(migration.sql);
    await client.query("begin");
    await client.query(migration.sql);
    const complete = await shapeOf(client);
    await client.query("rollback");
    for (let run = 0; run <= statements.length; run++) {
      await client.query("begin");
      await begin(client, migration);
      for (const statement of statements.slice(0, run)) await client.query(statement);
      const [pending] = await pendingMigrations(client);
      expect(pending?.name).toBe(migration.name);
      if (!pending) return;
      const rest = await restOfMigration(client, pending);
      if (rest) await client.query(rest);
      expect(await shapeOf(client), `${migration.name} after ${run} statements`).toBe(complete);
      await client.query("rollback");
      cases++;
    }
    await client.query(migration.sql);
    await client.query(furnish[migration.name] ?? "select");
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values (gen_random_uuid(), $1, $2, now())`,
      [migration.checksum, migration.name],
    );
  }
  expect(cases).toBeGreaterThan(120);
}, 120_000);

const migrateTable = (client: pg.Client) =>
  client.query(`create table _prisma_migrations (
    id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz,
    migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
    started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`);

test("an upgrade of a partly migrated database records every migration once and finished", async () => {
  const { client, connection } = await open();
  await migrateTable(client);
  const [first] = ofEngine;
  if (!first) throw new Error("There is no migration");
  await begin(client, first);
  for (const statement of statementsOf(first.sql).slice(0, 7)) await client.query(statement);
  const applied = await migrate(connection, silentLog);
  expect(applied).toEqual(shippedMigrations().map(({ name }) => name));
  const { rows } = await client.query(
    "select migration_name, applied_steps_count, finished_at is not null as finished from _prisma_migrations order by 1",
  );
  expect(rows).toEqual(
    applied.map((name) => ({ migration_name: name, applied_steps_count: 1, finished: true })),
  );
});

test("a migration whose statements had all been run is only recorded as finished", async () => {
  const { client, connection } = await open();
  await migrateTable(client);
  const [first] = ofEngine;
  if (!first) throw new Error("There is no migration");
  await client.query(first.sql);
  await begin(client, first, 1);
  await migrate(connection, silentLog);
  expect(await pendingMigrations(client)).toEqual([]);
});

test("an unfinished migration of another program is refused with instructions", async () => {
  const { client } = await open();
  const unknown = { name: "29990101000000_later", sql: "select 1", checksum: "x" };
  const pending = { ...unknown, begun: { id: "x", stepsDone: 0 } };
  await expect(restOfMigration(client, pending)).rejects.toThrow(
    /29990101000000_later was begun by another program and did not finish.*npx prisma migrate resolve/,
  );
});
