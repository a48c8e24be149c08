import type pg from "pg";
import { MigrationError, type PendingMigration } from "./migration-state.ts";

/**
 * Up to this migration, Prisma's engine applied migrations statement by statement, each with its own commit. A process
 * that was killed in between left a prefix of the script. Later ones are applied completely or not at all.
 */
const lastOfEngine = "20261122071900_ledger_corrections";

type Probe = (client: pg.ClientBase, names: readonly string[]) => Promise<boolean>;

const asks =
  (sql: string): Probe =>
  async (client, names) =>
    (await client.query(`select (${sql}) as done`, [...names])).rows[0]?.done === true;

const relationExists = asks("to_regclass(quote_ident($1)) is not null");
const hasRows: Probe = async (client, [table = ""]) =>
  (await relationExists(client, [table])) &&
  (await client.query(`select exists (select from "${table}") as done`)).rows[0]?.done === true;

/** How to detect that a statement was run. Without `done`, running it again changes nothing. */
const statementForms: readonly { readonly form: RegExp; readonly done?: Probe }[] = [
  { form: /^CREATE TABLE "(\w+)"/, done: relationExists },
  { form: /^CREATE (?:UNIQUE )?INDEX "(\w+)"/, done: relationExists },
  {
    form: /^ALTER TABLE "(\w+)" ADD COLUMN +"(\w+)"/,
    done: asks(
      `exists (select from pg_attribute where attrelid = to_regclass(quote_ident($1)) and attname = $2 and not attisdropped)`,
    ),
  },
  {
    form: /^ALTER TABLE "(\w+)" ADD CONSTRAINT "(\w+)"/,
    done: asks(
      `exists (select from pg_constraint where conrelid = to_regclass(quote_ident($1)) and conname = $2)`,
    ),
  },
  // Into tables that the same migration creates.
  { form: /^INSERT INTO "(\w+)"/, done: hasRows },
  { form: /^(?:CREATE SCHEMA IF NOT EXISTS|DELETE FROM|UPDATE|ALTER TABLE "\w+" ALTER COLUMN) / },
];

/** The statements of a script, split as Prisma's driver adapter does. */
export const statementsOf = (script: string): string[] =>
  script
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement.length > 0);

async function wasRun(client: pg.ClientBase, statement: string): Promise<boolean> {
  const bare = statement.replace(/^--.*\n/gm, "").trim();
  for (const { form, done } of statementForms) {
    const match = form.exec(bare);
    if (match) return (await done?.(client, match.slice(1))) ?? false;
  }
  throw new MigrationError(`There is no way to tell whether this was run: ${bare}`);
}

/** The rest of a migration that was begun: everything after the last statement known to have run. */
export async function restOfMigration(
  client: pg.ClientBase,
  { name, sql, begun }: PendingMigration,
): Promise<string> {
  if (!begun) return sql;
  if (begun.stepsDone > 0) return "";
  if (name > lastOfEngine) {
    throw new MigrationError(
      `Migration ${name} was begun by another program and did not finish. Resolve it there (npx prisma migrate resolve), or restore a backup.`,
    );
  }
  const statements = statementsOf(sql);
  for (let at = statements.length - 1; at >= 0; at--) {
    if (await wasRun(client, statements[at] ?? "")) return statements.slice(at + 1).join(";\n");
  }
  return sql;
}
