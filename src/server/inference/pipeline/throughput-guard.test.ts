import fc from "fast-check";
import { expect, test } from "vitest";
import { createThroughputGuard } from "./throughput-guard.ts";

const limit = { waitedMs: 30_000, eventsMin: 15, pauseMsMax: 5_000 };
const slowAfter = (everyMs: number, brought = 1): number | null => {
  const guard = createThroughputGuard(limit);
  for (let waited = everyMs; waited <= 300_000; waited += everyMs)
    if (guard.waited(everyMs, brought)) return waited;
  return null;
};

test("an event every three seconds is too slow after 30 s, one every two seconds never is", () => {
  expect(slowAfter(3_000)).toBe(30_000);
  expect(slowAfter(2_000)).toBeNull();
  expect(slowAfter(10_000, 5)).toBeNull();
});

test("a pause of 50 s in a fast stream is not slow", () => {
  const guard = createThroughputGuard(limit);
  const waits = [
    ...Array.from({ length: 200 }, () => 100),
    50_000,
    ...Array.from({ length: 200 }, () => 100),
  ];
  expect(waits.some((ms) => guard.waited(ms, 1))).toBe(false);
});

test("no stream is aborted within its first 30 s of waiting, nor while it brings enough", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2_000), { maxLength: 500 }), (waits) => {
      const guard = createThroughputGuard(limit);
      let waited = 0;
      for (const ms of waits) {
        waited += ms;
        const slow = guard.waited(ms, 1);
        if (slow) expect(waited).toBeGreaterThanOrEqual(limit.waitedMs);
        expect(slow).toBe(false);
      }
    }),
  );
});
