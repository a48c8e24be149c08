import { expect, test } from "vitest";
import { filterNames, generationFilter } from "./log-filters.ts";

const nowMs = Date.UTC(2026, 10, 20, 12);
const none = Object.fromEntries(filterNames.map((name) => [name, null])) as Parameters<
  typeof generationFilter
>[0];

test("without filters the last day is shown", () => {
  expect(generationFilter(none, nowMs)).toEqual({ from: "2026-11-19T12:00:00.000Z" });
});

test("an id is searched at any time, together with the other filters", () => {
  expect(generationFilter({ ...none, find: "abc", range: "1h", model: "a/b" }, nowMs)).toEqual({
    find: "abc",
    model: "a/b",
  });
});

test("unknown values in the URL are no filters", () => {
  expect(generationFilter({ ...none, range: "constructor", status: "nonsense" }, nowMs)).toEqual(
    generationFilter(none, nowMs),
  );
  expect(generationFilter({ ...none, range: "custom", from: "yesterday" }, nowMs)).toEqual({});
});

test("several statuses are one filter", () => {
  expect(generationFilter({ ...none, status: "cancelled,interrupted" }, nowMs).status).toEqual([
    "cancelled",
    "interrupted",
  ]);
});
