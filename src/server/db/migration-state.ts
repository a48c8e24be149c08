import type pg from "pg";
import { type Migration, shippedMigrations } from "./migrations.ts";

/** The database and this program's migrations do not match. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** A shipped migration that was not applied, or only in part. */
export interface PendingMigration extends Migration {
  /** The row of an earlier version that began it and was killed. Null if it was not begun. */
  readonly begun: { readonly id: string; readonly stepsDone: number } | null;
}

interface Row {
  readonly id: string;
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
  readonly applied_steps_count: number;
}

/**
 * Whether Prisma's table of migrations is there; it comes with the first migration. A statement sees what was
 * committed before it began; `to_regclass` would remember what it found earlier in the transaction.
 */
export async function hasMigrationTable(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_tables where schemaname = current_schema() and tablename = '_prisma_migrations'",
  );
  return rowCount === 1;
}

function assertKnown({ migration_name: name, checksum }: Row, own: Migration | undefined): void {
  if (!own) {
    throw new MigrationError(
      `The database has migration ${name}, which this version does not know: it was used by a newer version. Start that version, or restore a backup.`,
    );
  }
  if (own.checksum !== checksum) {
    throw new MigrationError(`Migration ${name} was changed after it was applied; restore its file`);
  }
}

/** Pending migrations, oldest first. Throws `MigrationError` if the database has migrations this version does not know. */
export async function pendingMigrations(client: pg.ClientBase): Promise<PendingMigration[]> {
  const shipped = shippedMigrations();
  if (!(await hasMigrationTable(client))) return shipped.map((migration) => ({ ...migration, begun: null }));
  const { rows } = await client.query<Row>(
    `select id, migration_name, checksum, finished_at, applied_steps_count
     from _prisma_migrations where rolled_back_at is null`,
  );
  const byName = new Map(shipped.map((migration) => [migration.name, migration]));
  for (const row of rows) assertKnown(row, byName.get(row.migration_name));
  const finished = new Set(rows.filter((row) => row.finished_at).map((row) => row.migration_name));
  const begun = new Map(rows.filter((row) => !row.finished_at).map((row) => [row.migration_name, row]));
  return shipped
    .filter(({ name }) => !finished.has(name))
    .map((migration) => {
      const row = begun.get(migration.name);
      return { ...migration, begun: row ? { id: row.id, stepsDone: row.applied_steps_count } : null };
    });
}
