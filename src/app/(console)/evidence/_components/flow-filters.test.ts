import { expect, test } from "vitest";
import { transferAreas } from "#contract/data-flows.ts";
import { areaLabels, dataFlowFilter, flowFilterNames, packageFilter } from "./flow-filters.ts";

const nowMs = Date.UTC(2026, 10, 20, 12);
const none = Object.fromEntries(flowFilterNames.map((name) => [name, null])) as Parameters<
  typeof dataFlowFilter
>[0];
const week = { from: "2026-11-13T12:00:00.000Z", to: "2026-11-20T12:00:00.000Z" };

test("without filters the last week is reported", () => {
  expect(dataFlowFilter(none, nowMs)).toEqual(week);
});

test("every filter of the URL is asked for", () => {
  const values = {
    ...{ ...none, provider: "a", endpoint: "a:m", area: "unknown", country: "us", facts: "a".repeat(64) },
    ...{ key: "k", person: "p", user: "u", destination: "d", workspace: "w", rule: "r" },
  };
  expect(dataFlowFilter(values, nowMs)).toEqual({
    ...week,
    ...{ provider: "a", endpoint: "a:m", area: "unknown", country: "US", facts_hash: "a".repeat(64) },
    ...{ api_key_id: "k", user_id: "p", end_user: "u", destination_id: "d" },
    ...{ workspace_id: "w", rule_id: "r" },
  });
});

test("unknown and incomplete values in the URL are no filters", () => {
  const values = { ...none, range: "constructor", area: "toString", country: "U", facts: "abc" };
  expect(dataFlowFilter(values, nowMs)).toEqual(week);
});

test.each([
  [{ from: "2026-11-01T00:00", to: null }],
  [{ from: "2026-11-02T00:00", to: "2026-11-01T00:00" }],
  [{ from: "yesterday", to: "2026-11-01T00:00" }],
])("a custom period %j is not complete", (times) => {
  expect(dataFlowFilter({ ...none, range: "custom", ...times }, nowMs)).toBeNull();
});

test("every area of the contract has a label", () => {
  expect(Object.keys(areaLabels)).toEqual([...transferAreas]);
});

test("a package ends eleven minutes ago at the latest", () => {
  expect(packageFilter(week, nowMs + 30_500).to).toBe("2026-11-20T11:49:00.000Z");
  expect(packageFilter(week, nowMs + 3_600_000)).toEqual(week);
});
