import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase, databaseKind } from "#test/test-database.ts";
import { migrate, pendingMigrations } from "./migrate.ts";
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
  return { client, connection: made.connection };
}

test("an empty database lacks every migration; applied, it lacks none", async () => {
  const { client, connection } = await open({ empty: true });
  expect(await pendingMigrations(client)).toEqual(names);
  expect(await migrate(connection)).toEqual(names);
  expect(await pendingMigrations(client)).toEqual([]);
  expect(await migrate(connection)).toEqual([]);
  const { rows } = await client.query("select count(*)::int as count from generation");
  expect(rows).toEqual([{ count: 0 }]);
});

// The embedded database belongs to one process: only a server can meet two that migrate at once.
test.runIf(databaseKind() === "postgres")("of three processes that start at once one migrates", async () => {
  const { connection } = await open({ empty: true });
  const applied = await Promise.all([migrate(connection), migrate(connection), migrate(connection)]);
  expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([names, [], []]);
});

test("a migration that was changed after it was applied is refused by name", async () => {
  const { client, connection } = await open();
  await client.query("update _prisma_migrations set checksum = 'other' where migration_name = $1", [
    names[0],
  ]);
  await expect(migrate(connection)).rejects.toThrow(`Migration ${names[0]} was changed after it was applied`);
});

test("the database of a newer version is refused with what to do", async () => {
  const { client, connection } = await open();
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values ('x', 'x', '29990101000000_future', now(), 1)`,
  );
  await expect(migrate(connection)).rejects.toThrow(
    /29990101000000_future, which this version does not know: it was used by a newer version\. Start that version/,
  );
});

test("a migration that began and did not finish is refused; one that was rolled back counts as missing", async () => {
  const { client, connection } = await open();
  await client.query("update _prisma_migrations set finished_at = null");
  await expect(migrate(connection)).rejects.toThrow(/began but did not finish/);
  await client.query("update _prisma_migrations set rolled_back_at = now()");
  expect(await pendingMigrations(client)).toEqual(names);
});

test("migrations that cannot be applied are refused with the reason", async () => {
  const { client, connection } = await open({ empty: true });
  await client.query("create table generation (id int)");
  await expect(migrate(connection)).rejects.toThrow(
    /Migrations could not be applied:\n[\s\S]*schema is not empty/,
  );
});
