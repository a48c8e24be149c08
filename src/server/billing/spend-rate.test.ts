import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { Pace } from "./spend-rate.ts";

afterEach(() => vi.restoreAllMocks());

function at(startMs = 0) {
  let nowMs = startMs;
  vi.spyOn(clock, "monotonicMs").mockImplementation(() => nowMs);
  return (ms: number) => {
    nowMs += ms;
  };
}

test("what is spent evenly is forecast exactly, however often one asks", () => {
  fc.assert(
    fc.property(
      fc.bigInt(1n, 10n ** 15n),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 50 }),
      (perSecond, stretches) => {
        const pass = at();
        const pace = new Pace();
        for (const seconds of stretches) {
          for (let second = 0; second < seconds; second++) {
            pace.spend(perSecond);
            pass(1_000);
          }
          expect(pace.forecast(60_000)).toBe(perSecond * 60n);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("a change of pace is believed after two windows, and the first cent is no rush", () => {
  const pass = at();
  const pace = new Pace();
  pace.spend(1_000n);
  expect(pace.forecast(1_000)).toBe(1_000n);
  for (const amount of [0n, 0n, 7n, 7n]) {
    for (let second = 0; second < 10; second++) {
      pass(1_000);
      pace.spend(amount);
    }
    pace.forecast(1_000);
  }
  expect(pace.forecast(1_000)).toBe(7n);
});
