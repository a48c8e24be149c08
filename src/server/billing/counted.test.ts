import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BudgetMeasure } from "#contract/budget.ts";
import { countedBy, counterOf, counterText } from "./counted.ts";

const row = { cost_pico_eur: "5", cost_pico_usd: "6", prompt_tokens: 7, completion_tokens: 8, model: "a/b" };

describe("a counter in the record of a generation", () => {
  test("is read back as it was written, whatever its model is called", () => {
    const counters = fc.record({
      accountId: fc.uuid(),
      measure: fc.constantFrom(...BudgetMeasure.options),
      model: fc.option(fc.string({ minLength: 1 }), { nil: null }),
    });
    fc.assert(
      fc.property(counters, (counter) => {
        expect(counterOf(counterText(counter))).toEqual(counter);
      }),
    );
  });

  test.each([
    ["eur", null, 5n],
    ["usd", null, 6n],
    ["tokens", "a/b", 15n],
    ["tokens", "c/d", 0n],
    ["requests", null, 1n],
    ["concurrency", null, 0n],
  ] as const)("of %s and the model %s gets %d", (measure, model, amount) => {
    expect(countedBy({ measure, model }, row)).toBe(amount);
  });
});
