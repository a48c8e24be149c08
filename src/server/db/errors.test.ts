import pg from "pg";
import { describe, expect, test } from "vitest";
import { Prisma } from "#generated/prisma/client.ts";
import { AppError, toAppError } from "#server/platform/errors.ts";
import { Unavailable } from "#server/platform/unavailable.ts";
import { databaseFaults, faultOf, isConflict, isDataRefusal, translated } from "./errors.ts";

const statement = "select secret from vault where id = 42";

const sqlState = (code: string): Error =>
  Object.assign(new pg.DatabaseError(`failed: ${statement}`, 0, "error"), { code, severity: "ERROR" });
const system = (code: string): Error => Object.assign(new Error(`${code} /run/postgres`), { code });
const prisma = (code: string, originalCode?: string): Error =>
  new Prisma.PrismaClientKnownRequestError(`failed: ${statement}`, {
    code,
    clientVersion: "7",
    ...(originalCode && { meta: { driverAdapterError: { cause: { originalCode } } } }),
  });
const words = (text: string): Error => new Error(text);

const cases: readonly (readonly [string, Error])[] = [
  ["conflict", sqlState("40001")],
  ["conflict", sqlState("40P01")],
  ["conflict", prisma("P2034")],
  ["lock", sqlState("55P03")],
  ["lock", prisma("P2010", "55P03")],
  ["slow", sqlState("57014")],
  ["slow", sqlState("25P03")],
  ["slow", prisma("P2039", "57014")],
  ["crowded", sqlState("53300")],
  ["crowded", prisma("P2024")],
  ["crowded", prisma("P2028")],
  ["crowded", prisma("P2037")],
  ["crowded", words("timeout exceeded when trying to connect")],
  ["resources", sqlState("53100")],
  ["resources", sqlState("53200")],
  ["resources", sqlState("53400")],
  ["standby", sqlState("25006")],
  ["connection", sqlState("08006")],
  ["connection", sqlState("08P01")],
  ["connection", sqlState("57P01")],
  ["connection", sqlState("57P02")],
  ["connection", sqlState("57P03")],
  ["connection", system("ECONNREFUSED")],
  ["connection", system("ECONNRESET")],
  ["connection", system("ENOENT")],
  ["connection", system("EPIPE")],
  ["connection", system("ETIMEDOUT")],
  ["connection", prisma("P1001")],
  ["connection", prisma("P1017")],
  ["connection", words("Query read timeout")],
  ["connection", words("Connection terminated unexpectedly")],
  ["connection", new Error("outer", { cause: system("ECONNRESET") })],
];

test.each(cases)("%s: %s", (name, error) => {
  expect(faultOf(error)?.name).toBe(name);
});

test("every row of the table has a case", () => {
  expect(databaseFaults.map(({ name }) => name)).toEqual([...new Set(cases.map(([name]) => name))]);
});

test.each([
  prisma("P2002"),
  sqlState("23505"),
  sqlState("22P02"),
  sqlState("42P01"),
  words("Connection refused by somebody else"),
  words("nothing"),
  "ECONNREFUSED",
  null,
])("%s is not a temporary failure", (error) => {
  expect(faultOf(error)).toBeNull();
  expect(translated(error)).toBe(error);
});

describe.each(cases)("%s: the answer for %s", (name, error) => {
  const answer = toAppError(translated(error));

  test("is 503 with the time to retry, without statement and address", () => {
    expect(answer).toMatchObject({ code: "SERVICE_UNAVAILABLE", status: 503 });
    expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(answer.message).toMatch(/^[A-Z][a-z ,]+$/);
  });

  test("says that it may have taken effect only if an answer was lost", () => {
    const sent = translated(error, { isSent: true });
    if (!(sent instanceof Unavailable)) throw new Error("It is not translated");
    expect(sent.mayBeDone).toBe(name === "connection");
    expect(sent.message.includes("may have taken effect")).toBe(name === "connection");
  });
});

test("a conflict is recognized in any wrapper", () => {
  expect(isConflict(translated(sqlState("40P01")))).toBe(true);
  expect(isConflict(new Error("outer", { cause: translated(prisma("P2034")) }))).toBe(true);
  expect(isConflict(translated(sqlState("55P03")))).toBe(false);
});

test("a translated error is not translated again", () => {
  const once = translated(sqlState("57014"));
  expect(translated(once)).toBe(once);
});

test("our own and unknown errors are answered as before", () => {
  const refusal = new AppError("NOT_FOUND", "No such key");
  expect(toAppError(refusal)).toBe(refusal);
  expect(toAppError(sqlState("42P01"))).toMatchObject({ code: "INTERNAL_ERROR", status: 500 });
});

test("data that PostgreSQL refuses is another kind of error", () => {
  expect(["22001", "23505", "54000"].map(sqlState).every(isDataRefusal)).toBe(true);
  expect(isDataRefusal(sqlState("57014"))).toBe(false);
});
