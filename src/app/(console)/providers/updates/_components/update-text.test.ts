import { expect, test } from "vitest";
import type { CatalogueDifference } from "#contract/catalogue-update.ts";
import { changeText, countText, valueText } from "./update-text.ts";

const price = { currency: "EUR", input: "0.10", output: "0.30", source: "list", as_of: "2026-11-01" };

test.each([
  ["nothing", null, "–"],
  ["a flag", true, "Yes"],
  ["a list", ["DE", "FR"], "DE, FR"],
  ["an empty list", [], "None"],
  ["a price", price, "EUR 0.10 in, 0.30 out"],
  ["a fact", { value: 30, source: "terms", as_of: "2026-11-01" }, "30"],
  ["an unknown fact", { value: null, source: null }, "Unknown"],
  ["anything else", { a: 1 }, '{"a":1}'],
])("%s is shown in one line", (_, value, text) => {
  expect(valueText(value)).toBe(text);
});

const difference = (more: Partial<CatalogueDifference>): CatalogueDifference => ({
  ...{ group: "prices", section: "endpoint", name: "a:b/c", change: "changed", field: "price" },
  ...{ before: null, after: null, overridden_by: null },
  ...more,
});

test.each<[string, Partial<CatalogueDifference>, readonly [string, string]]>([
  [
    "a price shows the figures that differ",
    { before: price, after: { ...price, input: "0.20", as_of: "2026-11-20" } },
    ["input 0.10", "input 0.20"],
  ],
  [
    "a figure that is new is not lost",
    { before: price, after: { ...price, cache_read: "0.01" } },
    ["cache_read –", "cache_read 0.01"],
  ],
  [
    "another currency shows the complete price",
    { before: price, after: { ...price, currency: "USD" } },
    ["EUR 0.10 in, 0.30 out", "USD 0.10 in, 0.30 out"],
  ],
  [
    "a price that was only checked again shows the dates",
    { group: "evidence", before: price, after: { ...price, as_of: "2026-11-20" } },
    ["as_of 2026-11-01", "as_of 2026-11-20"],
  ],
  [
    "a fact shows its value",
    {
      group: "facts",
      field: "training",
      before: { value: null, source: null },
      after: { value: false, source: "terms" },
    },
    ["Unknown", "No"],
  ],
  [
    "a new endpoint shows its price",
    { change: "added", field: null, after: price },
    ["–", "EUR 0.10 in, 0.30 out"],
  ],
])("%s", (_, more, expected) => {
  expect(changeText(difference(more))).toEqual(expected);
});

test("only what there is is counted", () => {
  expect(countText({ group: "models", added: 2, removed: 0, changed: 0 })).toBe("2 new");
  expect(countText({ group: "models", added: 1, removed: 1, changed: 3 })).toBe(
    "1 new, 1 removed, 3 changed",
  );
});
