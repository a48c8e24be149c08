import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BudgetPeriod } from "#contract/budget.ts";
import { spanAt } from "./period.ts";

const at = (time: string) => Date.parse(time);

describe("a period of a budget", () => {
  test.each([
    ["minute", "2026-11-24T08:20:59.999Z", "2026-11-24T08:20:00Z", "2026-11-24T08:21:00Z"],
    ["hour", "2026-11-24T08:20:00Z", "2026-11-24T08:00:00Z", "2026-11-24T09:00:00Z"],
    ["day", "2026-11-24T23:59:59.999Z", "2026-11-24T00:00:00Z", "2026-11-25T00:00:00Z"],
    ["week", "2026-11-29T23:59:59.999Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"],
    ["week", "2026-11-23T00:00:00Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"],
    ["month", "2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"],
    ["month", "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ] as const)("of one %s contains %s", (period, now, start, end) => {
    expect(spanAt(period, at(now))).toEqual({ startMs: at(start), endsAtMs: at(end) });
  });

  test("contains its moment, and is the same for every moment in it", () => {
    const moments = fc.integer({ min: at("1970-01-01T00:00:00Z"), max: at("2100-01-01T00:00:00Z") });
    fc.assert(
      fc.property(fc.constantFrom(...BudgetPeriod.options), moments, (period, nowMs) => {
        const span = spanAt(period, nowMs);
        const { startMs, endsAtMs } = span;
        if (startMs === null || endsAtMs === null) return startMs === endsAtMs;
        expect(spanAt(period, startMs)).toEqual(span);
        expect(spanAt(period, endsAtMs - 1)).toEqual(span);
        return startMs <= nowMs && nowMs < endsAtMs;
      }),
    );
  });
});
