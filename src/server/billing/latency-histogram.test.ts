import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketOf, bucketsMax, countTime, percentileOf, startOfBucketMs } from "./latency-histogram.ts";

const time = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 4_000_000 }));

test("a bucket holds the times from its start to the start of the next, and is at most a sixteenth wide", () => {
  fc.assert(
    fc.property(time, (ms) => {
      const bucket = bucketOf(ms);
      const [startMs, endMs] = [startOfBucketMs(bucket), startOfBucketMs(bucket + 1)];
      expect(startMs).toBeLessThanOrEqual(ms);
      expect(endMs).toBeGreaterThan(ms);
      expect(endMs - startMs).toBeLessThanOrEqual(Math.max(1, startMs / 16));
    }),
  );
});

test("buckets are in the order of their times, without a gap", () => {
  for (let bucket = 0; bucket < bucketsMax; bucket++) expect(bucketOf(startOfBucketMs(bucket))).toBe(bucket);
});

test("a percentile is within 6.25 % of the exact one", () => {
  const share = fc.constantFrom(0.5, 0.95, 0.99);
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 300 }), share, (times, part) => {
      const histogram: number[] = [];
      for (const ms of times) countTime(histogram, ms);
      const exact = times.toSorted((a, b) => a - b)[Math.ceil(times.length * part) - 1] ?? 0;
      expect(Math.abs((percentileOf(histogram, part) ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact / 16);
    }),
  );
});

test("without any time there is no percentile, and a time beyond the range counts as the longest", () => {
  expect(percentileOf([], 0.5)).toBeNull();
  expect(bucketOf(Number.MAX_SAFE_INTEGER)).toBe(bucketsMax - 1);
});
