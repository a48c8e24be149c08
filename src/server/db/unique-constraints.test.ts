import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Prisma } from "#generated/prisma/client.ts";
import { AppError } from "#server/platform/errors.ts";
import { isUniqueViolation, namingConflict, uniqueConstraints } from "./unique-constraints.ts";

/** PostgreSQL truncates names to this length. */
const nameCharsMax = 63;

/** Unique indexes that exist after all migrations. */
function uniqueIndexes(): string[] {
  const folder = new URL("../../../prisma/migrations/", import.meta.url);
  const names = new Set<string>();
  for (const { name } of readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .toSorted((a, b) => a.name.localeCompare(b.name))) {
    const sql = readFileSync(new URL(`${name}/migration.sql`, folder), "utf8");
    for (const [, made, dropped] of sql.matchAll(
      /create unique index (?:if not exists )?"?(\w+)"?|drop index (?:if exists )?"?(\w+)"?/gi,
    )) {
      if (made) names.add(made.slice(0, nameCharsMax));
      if (dropped) names.delete(dropped);
    }
  }
  return [...names].toSorted();
}

test("every unique constraint of the database has a message for duplicates", () => {
  expect(Object.keys(uniqueConstraints).toSorted()).toEqual(uniqueIndexes());
});

const refusalBy = (index: string) =>
  new Prisma.PrismaClientKnownRequestError("no matter", {
    code: "P2002",
    clientVersion: "7",
    meta: { driverAdapterError: { cause: { constraint: { index } } } },
  });

test.each([...Object.entries(uniqueConstraints), ["some_table_pkey", null] as const])(
  "a duplicate in %s is a conflict that names the field",
  (index, taken) => {
    const conflict = namingConflict(refusalBy(index));
    expect(conflict).toBeInstanceOf(AppError);
    expect(conflict).toMatchObject({ code: "CONFLICT", status: 409, param: taken?.param ?? null });
    expect(isUniqueViolation(conflict)).toBe(true);
  },
);

test("other errors are not changed", () => {
  const other = new Prisma.PrismaClientKnownRequestError("no matter", { code: "P2003", clientVersion: "7" });
  for (const error of [other, new AppError("CONFLICT", "another"), "text", null]) {
    expect(namingConflict(error)).toBe(error);
    expect(isUniqueViolation(error)).toBe(false);
  }
});
