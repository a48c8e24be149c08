import { expect, test } from "vitest";
import { customDays, everyDay, ranges } from "./days.ts";

const march = Date.UTC(2026, 2, 1, 0, 30);

test("ranges are whole days in UTC, both ends included", () => {
  expect(ranges["7d"].days(march)).toEqual({ from: "2026-02-23", to: "2026-03-01" });
  expect(ranges.month.days(march)).toEqual({ from: "2026-03-01", to: "2026-03-01" });
  expect(ranges.last_month.days(march)).toEqual({ from: "2026-02-01", to: "2026-02-28" });
  expect(ranges.last_month.days(Date.UTC(2026, 0, 15))).toEqual({ from: "2025-12-01", to: "2025-12-31" });
});

test("every day of a range is listed, across the end of a month and a change to summer time", () => {
  expect(everyDay({ from: "2026-02-27", to: "2026-03-02" })).toEqual([
    "2026-02-27",
    "2026-02-28",
    "2026-03-01",
    "2026-03-02",
  ]);
  expect(everyDay({ from: "2026-03-28", to: "2026-03-30" })).toHaveLength(3);
});

test("custom days are valid if both are given, in order and at most a year apart", () => {
  expect(customDays("2026-01-01", "2026-12-31")).toEqual({ from: "2026-01-01", to: "2026-12-31" });
  expect(customDays("2026-01-02", "2026-01-01")).toBeNull();
  expect(customDays("2026-01-01", null)).toBeNull();
  expect(customDays("2024-01-01", "2026-01-01")).toBeNull();
});
