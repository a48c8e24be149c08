import fc from "fast-check";
import { expect, test } from "vitest";
import { timeBucketsOf } from "./time-buckets.ts";

const day = 86_400_000;

test("any time span is divided into at most 61 time buckets that cover it, aligned to their size", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4_000_000_000_000 }),
      fc.integer({ min: 1, max: 1_000 * day }),
      (fromMs, spanMs) => {
        const { stepMs, startsMs } = timeBucketsOf(fromMs, fromMs + spanMs);
        expect(startsMs.length).toBeLessThanOrEqual(61);
        const [first = Number.NaN] = startsMs;
        const last = startsMs.at(-1) ?? Number.NaN;
        expect(first).toBeLessThanOrEqual(fromMs);
        expect(last + stepMs).toBeGreaterThanOrEqual(fromMs + spanMs);
        expect(startsMs.every((startMs) => startMs % stepMs === 0)).toBe(true);
      },
    ),
  );
});

test.each([
  [3_600_000, 60_000],
  [day, 3_600_000],
  [7 * day, 3 * 3_600_000],
  [30 * day, day],
])("%d ms are shown in steps of %d ms", (spanMs, stepMs) => {
  expect(timeBucketsOf(1_760_000_000_000, 1_760_000_000_000 + spanMs).stepMs).toBe(stepMs);
});
