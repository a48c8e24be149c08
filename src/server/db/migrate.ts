import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { shippedMigrations } from "./migrations.ts";

/** The database and this program's migrations do not fit together; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  rolled_back_at: Date | null;
}

/** Names of shipped migrations which the database lacks. One query; no engine is loaded. */
export async function pendingMigrations(client: pg.ClientBase): Promise<string[]> {
  const shipped = shippedMigrations();
  const { rows: tables } = await client.query("select to_regclass('_prisma_migrations') as name");
  if (tables[0]?.name == null) return shipped.map(({ name }) => name);
  const { rows } = await client.query<AppliedRow>(
    "select migration_name, checksum, finished_at, rolled_back_at from _prisma_migrations",
  );
  const applied = new Map(
    rows.filter((row) => row.rolled_back_at === null).map((row) => [row.migration_name, row]),
  );
  for (const row of applied.values()) {
    const own = shipped.find(({ name }) => name === row.migration_name);
    if (row.finished_at === null) {
      throw new MigrationError(
        `Migration ${row.migration_name} began but did not finish; see docs/operations.md`,
      );
    }
    if (!own) {
      throw new MigrationError(
        `The database has migration ${row.migration_name}, which this version does not know: it was used by a newer version. Start that version, or restore a backup.`,
      );
    }
    if (own.checksum !== row.checksum) {
      throw new MigrationError(
        `Migration ${row.migration_name} was changed after it was applied; restore its file`,
      );
    }
  }
  return shipped.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
}

async function applyInChild(connection: pg.PoolConfig): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", fileURLToPath(new URL("./migrate-child.ts", import.meta.url))],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  child.stdin.end(JSON.stringify(connection));
  const [output, problem, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]);
  if (code !== 0) throw new MigrationError(`Migrations could not be applied:\n${problem.trim()}`);
  return JSON.parse(output) as string[];
}

const advisoryLock = 7_261_145_522;

/**
 * Brings the database up to this program's schema; returns the names applied. Several processes may start
 * at once: an advisory lock lets one apply while the others wait. Throws `MigrationError`.
 */
export async function migrate(connection: pg.PoolConfig): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    if ((await pendingMigrations(client)).length === 0) return [];
    await client.query("select pg_advisory_lock($1)", [advisoryLock]);
    if ((await pendingMigrations(client)).length === 0) return [];
    return await applyInChild(connection);
  } finally {
    await client.end();
  }
}
