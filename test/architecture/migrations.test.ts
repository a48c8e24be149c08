import { expect, test } from "vitest";
import { shippedMigrations } from "#server/db/migrations.ts";
import { statementsOf } from "#server/db/unfinished-migration.ts";

/** Each migration is one transaction. What cannot run in one, or would end it, has no place there. */
const forbidden: readonly { readonly what: string; readonly form: RegExp }[] = [
  { what: "CONCURRENTLY", form: /\bCONCURRENTLY\b/i },
  { what: "VACUUM", form: /^VACUUM\b/i },
  { what: "REINDEX DATABASE or SYSTEM", form: /^REINDEX\s+(?:\(.*\)\s*)?(?:DATABASE|SYSTEM)\b/i },
  { what: "CREATE or DROP DATABASE", form: /^(?:CREATE|DROP)\s+DATABASE\b/i },
  { what: "CREATE or DROP TABLESPACE", form: /^(?:CREATE|DROP)\s+TABLESPACE\b/i },
  { what: "ALTER SYSTEM", form: /^ALTER\s+SYSTEM\b/i },
  // The new value may not be used before the transaction is over.
  { what: "ALTER TYPE … ADD VALUE", form: /^ALTER\s+TYPE\b.*\bADD\s+VALUE\b/is },
  {
    what: "transaction control",
    form: /^(?:BEGIN|COMMIT|ROLLBACK|START\s+TRANSACTION|END|SAVEPOINT|PREPARE\s+TRANSACTION)\b/i,
  },
  // It would outlive the migration on the connection.
  { what: "SET without LOCAL", form: /^SET\s+(?!LOCAL\b)/i },
];

const bare = (statement: string): string =>
  statement
    .replace(/^--.*\n/gm, "")
    .replace(/\s--.*$/gm, "")
    .trim();

/** A block of PL/pgSQL is one statement: its own `begin` and `end` are no transaction control. */
const withoutBodies = (sql: string): string => sql.replace(/\$\$.*?\$\$/gs, "$$$$");

const offences = (sql: string): string[] =>
  statementsOf(withoutBodies(sql))
    .map(bare)
    .flatMap((statement) => forbidden.filter(({ form }) => form.test(statement)).map(({ what }) => what));

test.each(shippedMigrations().map(({ name, sql }) => [name, sql]))(
  "%s can run in one transaction",
  (_, sql) => {
    expect(offences(sql)).toEqual([]);
  },
);

test.each([
  ['-- CreateIndex\nCREATE INDEX CONCURRENTLY "a" ON "b"("c");', "CONCURRENTLY"],
  ["VACUUM ANALYZE;", "VACUUM"],
  ["ALTER TYPE \"role\" ADD VALUE 'x';", "ALTER TYPE … ADD VALUE"],
  ['BEGIN;\nDROP TABLE "x";', "transaction control"],
  ["SET search_path = x;", "SET without LOCAL"],
])("%j would be found", (sql, what) => {
  expect(offences(sql)).toEqual([what]);
});
