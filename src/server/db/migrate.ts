import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import {
  hasMigrationTable,
  MigrationError,
  type PendingMigration,
  pendingMigrations,
} from "./migration-state.ts";
import { addMonths } from "./months.ts";
import { restOfMigration } from "./unfinished-migration.ts";

const { lockAttempts, lockRetryMs, lockTimeoutMs, othersTimeoutMs, pauseTimeoutMs, connectTimeoutMs } =
  limits.migrations;

/** The lock of earlier versions of this program, then that of Prisma's own tools. Neither may run at the same time. */
const advisoryLocks = [7_261_145_522, 72_707_369];

/** The same table as Prisma creates, whose tools read and write it too. */
const migrationTable = `create table _prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`;

const isCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof pg.DatabaseError && codes.includes(error.code ?? "");

/** Waits until no other process applies migrations. The locks end with the transaction, even if the process dies. */
async function takeTurn(client: pg.ClientBase, log: Log): Promise<void> {
  for (const lock of advisoryLocks) {
    const { rows } = await client.query("select pg_try_advisory_xact_lock($1) as free", [lock]);
    if (rows[0]?.free === true) continue;
    log.info({ event: "migrate" }, "Another process applies migrations: waiting for it");
    try {
      await client.query(`set local lock_timeout = ${othersTimeoutMs}`);
      await client.query("select pg_advisory_xact_lock($1)", [lock]);
    } catch (error) {
      if (!isCode(error, "55P03")) throw error;
      throw new MigrationError(
        `Another process has been applying migrations for ${othersTimeoutMs / 60_000} minutes. Look for it (select pid from pg_locks where locktype = 'advisory'), and start again once it has ended.`,
      );
    }
  }
}

/** Creates the table of migrations. Throws `MigrationError` if another program uses the database. */
async function createMigrationTable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    "select tablename from pg_tables where schemaname = current_schema() order by tablename limit 3",
  );
  if (rows.length > 0) {
    const names = rows.map(({ tablename }) => tablename).join(", ");
    throw new MigrationError(
      `The database is not empty and holds no tables of Portolan (it has ${names}). Name a database of its own in DATABASE_URL.`,
    );
  }
  await client.query(migrationTable);
}

async function applyOne(client: pg.ClientBase, migration: PendingMigration): Promise<void> {
  const { name, checksum, begun } = migration;
  const rest = await restOfMigration(client, migration);
  try {
    if (rest) await client.query(rest);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isCode(error, "55P03", "40P01")) throw error;
    throw new MigrationError(
      `Migration ${name} could not be applied and was rolled back: ${error.message} (${error.code})`,
    );
  }
  if (begun) {
    await client.query(
      "update _prisma_migrations set finished_at = clock_timestamp(), applied_steps_count = 1 where id = $1",
      [begun.id],
    );
    return;
  }
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values (gen_random_uuid()::text, $1, $2, clock_timestamp(), 1)`,
    [checksum, name],
  );
}

/** Applies and records the oldest pending migration in one transaction. Returns its name, or null if none is pending. */
async function applyNext(client: pg.ClientBase, log: Log): Promise<string | null> {
  await client.query("begin");
  try {
    // A table with millions of rows takes long, but a process that hangs must not block the others.
    await client.query(
      `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = ${pauseTimeoutMs}`,
    );
    await takeTurn(client, log);
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    const [next] = await pendingMigrations(client);
    if (next) {
      if (!(await hasMigrationTable(client))) await createMigrationTable(client);
      await applyOne(client, next);
    }
    await client.query("commit");
    return next?.name ?? null;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** The same, retried while other transactions lock a table it changes. */
async function applyNextPatiently(client: pg.ClientBase, log: Log): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyNext(client, log);
    } catch (error) {
      if (!isCode(error, "55P03", "40P01")) throw error;
      if (attempt === lockAttempts) {
        throw new MigrationError(
          "A migration needs a table that other processes use. Stop the processes of the earlier version, then start again.",
        );
      }
      log.info({ event: "migrate", attempt }, "A table is in use: the migration is tried again");
      await wait(lockRetryMs);
    }
  }
}

/** Adds partitions for the next months. Without them, rows go to another partition: no reason not to start. */
async function addMonthsIfPossible(client: pg.ClientBase, log: Log): Promise<void> {
  await client.query("begin");
  try {
    await addMonths(client);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    if (!(error instanceof pg.DatabaseError)) throw error;
    log.warn(
      { event: "migrate", error },
      "Partitions for the next months cannot be added: tried again at night",
    );
  }
}

/**
 * Migrates the database to this program's schema. Returns the names applied by this call. Each migration and its
 * record are one transaction, so a process may be killed at any moment. Processes that start together wait for each
 * other. Throws `MigrationError`. `signal` stops it between two migrations.
 */
export async function migrate(connection: pg.PoolConfig, log: Log, signal?: AbortSignal): Promise<string[]> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: 0,
    keepAlive: true,
  });
  // A broken connection fails its statement. Without this listener it would also end the process.
  client.on("error", () => {});
  const applied: string[] = [];
  try {
    await client.connect();
    const isPending = (await pendingMigrations(client)).length > 0;
    for (let name = isPending ? "" : null; name !== null; ) {
      signal?.throwIfAborted();
      name = await applyNextPatiently(client, log);
      if (name !== null) applied.push(name);
    }
    await addMonthsIfPossible(client, log);
    return applied;
  } finally {
    await client.end();
  }
}
