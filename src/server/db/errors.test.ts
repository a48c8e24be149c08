import { expect, test } from "vitest";
import { isConnectionFailure } from "./errors.ts";

const withCode = (code: string) => Object.assign(new Error("no matter"), { code });

test.each([
  withCode("ECONNREFUSED"),
  withCode("ENOENT"),
  withCode("P1001"),
  withCode("57P01"),
  withCode("08006"),
  new Error("Query read timeout"),
  new Error("timeout exceeded when trying to connect"),
  new Error("Connection terminated unexpectedly"),
  new Error("outer", { cause: withCode("ECONNRESET") }),
])("a database that does not answer is known by %o", (error) => {
  expect(isConnectionFailure(error)).toBe(true);
});

test.each([
  withCode("P2002"),
  withCode("23505"),
  withCode("57014"),
  new Error("Connection refused by somebody else"),
  "ECONNREFUSED",
  null,
])("%o is no sign of it", (error) => {
  expect(isConnectionFailure(error)).toBe(false);
});
