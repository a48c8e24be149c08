import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { restMs, retryAfterOf, retryDelayMs } from "./backoff.ts";

const [early, middle, late] = [() => 0, () => 0.5, () => 1];
const minute = 60_000;

describe("a trace", () => {
  test("is retried after 5 s, twice as long each time, at most 30 minutes", () => {
    const waits = Array.from({ length: 11 }, (_, at) => retryDelayMs(at + 1, null, middle) / 1000);
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800]);
  });

  test("is spread over exactly ±20 %", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, draw) => {
        const plain = retryDelayMs(n, null, middle);
        const spread = retryDelayMs(n, null, () => draw);
        expect(Math.abs(spread - plain)).toBeLessThanOrEqual(plain * 0.2 + 1);
      }),
    );
    expect([early, late].map((draw) => retryDelayMs(1, null, draw))).toEqual([4000, 6000]);
  });

  test("is not retried before Retry-After, which is limited to a day", () => {
    expect(retryDelayMs(1, 90_000, middle)).toBe(90_000);
    expect(retryDelayMs(1, 1, middle)).toBe(5000);
    expect(retryDelayMs(1, 1e12, middle)).toBe(24 * 60 * minute);
  });
});

describe("a destination", () => {
  test("is paused from the third failure in a row on, and for an hour from the fiftieth", () => {
    expect([1, 2, 3, 4, 12, 49, 50, 500].map((failures) => restMs(failures, null, middle) / 1000)).toEqual([
      0, 0, 5, 10, 1800, 1800, 3600, 3600,
    ]);
  });

  test("is paused as long as it asks for, even at its first failure", () => {
    expect(restMs(1, 30_000, middle)).toBe(30_000);
  });
});

test.each([
  ["7", 7000],
  [" 120 ", 120_000],
  ["Thu, 01 Jan 2026 00:01:00 GMT", minute],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ["-5", null],
  ["soon", null],
  ["1e9", null],
  ["99999999999", null],
  [undefined, null],
])("Retry-After: %s is %s ms", (header, ms) => {
  expect(retryAfterOf(header, Date.parse("2026-01-01T00:00:00Z"))).toBe(ms);
});
