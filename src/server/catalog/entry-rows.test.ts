import { expect, test } from "vitest";
import { assertRoom } from "./entry-rows.ts";

const rows = Array.from({ length: 70 }, () => ({ body: { note: "é".repeat(7_600) }, source: null }));

test("all entries of a scope together are limited in bytes", () => {
  expect(() => assertRoom("organisation", [], rows)).toThrow(/may take 1048576 bytes/);
  expect(() => assertRoom("installation", [], rows)).not.toThrow();
  expect(() => assertRoom("organisation", [], rows.slice(0, 60))).not.toThrow();
  const sourced = rows.map(({ body }) => ({ body: {}, source: body.note }));
  expect(() => assertRoom("organisation", [], sourced)).toThrow(/may take/);
});

test("entries that were too large before the limit can be changed, but not grow", () => {
  expect(() => assertRoom("organisation", rows, rows.slice(1))).not.toThrow();
  expect(() => assertRoom("organisation", rows, rows)).not.toThrow();
  expect(() => assertRoom("organisation", rows.slice(1), rows)).toThrow(/may take/);
});
