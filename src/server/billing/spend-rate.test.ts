import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { SpendRate } from "./spend-rate.ts";

afterEach(() => vi.restoreAllMocks());

function at(startMs = 0) {
  let nowMs = startMs;
  vi.spyOn(clock, "monotonicMs").mockImplementation(() => nowMs);
  return (ms: number) => {
    nowMs += ms;
  };
}

test("even spending is forecast exactly, however often it is forecast", () => {
  fc.assert(
    fc.property(
      fc.bigInt(1n, 10n ** 15n),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 50 }),
      (perSecond, periods) => {
        const pass = at();
        const rate = new SpendRate();
        for (const seconds of periods) {
          for (let second = 0; second < seconds; second++) {
            rate.spend(perSecond);
            pass(1_000);
          }
          expect(rate.forecast(60_000)).toBe(perSecond * 60n);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("a change of rate counts fully after two windows, and the first cent is not extrapolated", () => {
  const pass = at();
  const rate = new SpendRate();
  rate.spend(1_000n);
  expect(rate.forecast(1_000)).toBe(1_000n);
  for (const amount of [0n, 0n, 7n, 7n]) {
    for (let second = 0; second < 10; second++) {
      pass(1_000);
      rate.spend(amount);
    }
    rate.forecast(1_000);
  }
  expect(rate.forecast(1_000)).toBe(7n);
});
