import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BudgetMeasure } from "#contract/budget.ts";
import { countedBy, countersOf, countersText } from "./counted.ts";

const row = { cost_pico_eur: "5", cost_pico_usd: "6", prompt_tokens: 7, completion_tokens: 8, model: "a/b" };

describe("the counters in the record of a generation", () => {
  test("are read back as they were written, whatever their models are called", () => {
    const counter = fc.record({
      accountId: fc.uuid(),
      measure: fc.constantFrom(...BudgetMeasure.options),
      model: fc.option(fc.string({ minLength: 1, unit: "grapheme" }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(counter, { minLength: 1, maxLength: 4 }), (counters) => {
        expect(countersOf(countersText(counters))).toEqual(counters);
      }),
    );
  });

  test("are read from records of earlier versions", () => {
    const id = "5f3a0c66-94a0-4c5b-9f3c-6d1c9a1c0a11";
    expect(countersOf([`${id} eur`, `${id} tokens 100% a model`])).toEqual([
      { accountId: id, measure: "eur", model: null },
      { accountId: id, measure: "tokens", model: "100% a model" },
    ]);
  });

  test.each([
    ["eur", null, 5n],
    ["usd", null, 6n],
    ["tokens", "a/b", 15n],
    ["tokens", "c/d", 0n],
    ["requests", null, 1n],
    ["concurrency", null, 0n],
  ] as const)("of %s and the model %s gets %d", (measure, model, amount) => {
    expect(countedBy({ measure, model }, [row])).toBe(amount);
  });

  test("of several generations gets what each of them adds", () => {
    const amount = fc.integer({ min: 0, max: 10 ** 9 });
    const any = fc
      .record({ eur: amount, usd: amount, prompt_tokens: amount, completion_tokens: amount })
      .map(({ eur, usd, ...tokens }) => ({
        ...{ cost_pico_eur: `${eur}000000000`, cost_pico_usd: `${usd}000000000`, model: "a/b", ...tokens },
      }));
    fc.assert(
      fc.property(
        fc.tuple(any, fc.array(any)),
        fc.constantFrom(...BudgetMeasure.options),
        ([first, others], measure) => {
          const counter = { measure, model: null };
          const each = [first, ...others].map((one) => countedBy(counter, [one]));
          expect(countedBy(counter, [first, ...others])).toBe(each.reduce((sum, one) => sum + one, 0n));
        },
      ),
    );
  });
});
