import fc from "fast-check";
import { expect, test } from "vitest";
import { costOf } from "#server/billing/index.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { prices, rates, usages } from "#test/arbitrary-usages.ts";
import { completionUsage } from "./result.ts";

/** The figures as a client reads them in the JSON. */
const printed = (value: unknown) => JSON.parse(JSON.stringify(value)) as ReturnType<typeof completionUsage>;

test("the displayed cost_details add up exactly to the displayed cost, for any usage and price", () => {
  fc.assert(
    fc.property(usages, prices, rates, fc.boolean(), (usage, price, rate, byok) => {
      const exact = costOf(usage, price, rate, byok);
      const answer = printed(completionUsage(usage, exact));
      const { cost_details: details } = answer;
      const prompt = picoFromDecimal(details.upstream_inference_prompt_cost);
      const completions = picoFromDecimal(details.upstream_inference_completions_cost);
      const upstream = picoFromDecimal(details.upstream_inference_cost ?? -1);
      const parts = [
        details.upstream_inference_uncached_prompt_cost ?? -1,
        details.upstream_inference_cache_read_cost ?? -1,
        details.upstream_inference_cache_write_cost ?? -1,
      ];
      expect(parts.map(picoFromDecimal).reduce((a, b) => a + b, 0n)).toBe(prompt);
      expect(prompt + completions + exact.upstream.request).toBe(upstream);
      expect(picoFromDecimal(answer.cost)).toBe(byok ? 0n : upstream);
      expect(picoFromDecimal(answer.cost_eur)).toBe(exact.picoEur);
    }),
    { numRuns: 2000 },
  );
});
