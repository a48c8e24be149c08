import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage, promptTokens, usageFromOpenAi } from "#server/billing/index.ts";
import { billedUsage } from "./billed-usage.ts";

const figure = fc.oneof(
  fc.nat({ max: 2_000 }),
  fc.constantFrom(-1, 1e300, Number.MAX_SAFE_INTEGER, 0, 0.5, "7", null, Number.NaN),
);
const reports = fc.record(
  {
    prompt_tokens: figure,
    completion_tokens: figure,
    total_tokens: figure,
    prompt_tokens_details: fc.record(
      {
        cached_tokens: figure,
        cache_write_tokens: figure,
        cache_write_1h_tokens: figure,
        audio_tokens: figure,
      },
      { requiredKeys: [] },
    ),
    completion_tokens_details: fc.record(
      { reasoning_tokens: figure, audio_tokens: figure },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const count = fc.nat({ max: 1_500 });
const boundsOf = fc
  .record({
    reservedPromptTokens: count,
    added: count,
    completionTokens: count,
    searchUnits: fc.nat({ max: 5 }),
  })
  .map(({ added, ...bounds }) => ({ ...bounds, promptTokens: bounds.reservedPromptTokens + added }));
const estimates = fc.record({ prompt: count, completion: count });
const asEstimate = ({ prompt, completion }: { prompt: number; completion: number }) => ({
  promptTokens: () => prompt,
  completionTokens: () => completion,
});

describe("what is billed", () => {
  test("never exceeds the bound, whatever a provider reports, and its parts add up", () => {
    fc.assert(
      fc.property(reports, boundsOf, estimates, (report, bounds, estimate) => {
        const usage = billedUsage(usageFromOpenAi(report), bounds, asEstimate(estimate));
        expect(promptTokens(usage)).toBeLessThanOrEqual(bounds.promptTokens);
        expect(usage.completion).toBeLessThanOrEqual(bounds.completionTokens);
        const { estimated: _, implausible: __, ...parts } = usage;
        for (const part of Object.values(parts)) expect(Number.isSafeInteger(part) && part >= 0).toBe(true);
        expect(usage.reasoning).toBeLessThanOrEqual(usage.completion);
        expect(usage.cacheWriteHour).toBeLessThanOrEqual(usage.cacheWrite);
        expect(usage.audioPrompt).toBeLessThanOrEqual(promptTokens(usage));
      }),
      { numRuns: 10_000 },
    );
  });

  test("is exactly the reported usage if that is possible", () => {
    fc.assert(
      fc.property(count, count, boundsOf, estimates, (prompt, completion, bounds, estimate) => {
        fc.pre(prompt + completion > 0);
        fc.pre(prompt <= bounds.promptTokens && completion <= bounds.completionTokens);
        const reported = usageFromOpenAi({ prompt_tokens: prompt, completion_tokens: completion });
        expect(billedUsage(reported, bounds, asEstimate(estimate))).toEqual(reported);
      }),
    );
  });

  const bounds = { promptTokens: 500, reservedPromptTokens: 400, completionTokens: 100, searchUnits: 0 };
  const estimate = asEstimate({ prompt: 30, completion: 12 });
  test.each([
    ["far above the answer's limit", { prompt_tokens: 9, completion_tokens: 20_000 }, 9, 100, true, false],
    ["a few tokens above it", { prompt_tokens: 9, completion_tokens: 103 }, 9, 100, false, false],
    ["far above the prompt", { prompt_tokens: 1e300, completion_tokens: 7 }, 500, 7, true, false],
    ["negative", { prompt_tokens: -5, completion_tokens: -5 }, 30, 12, true, true],
    ["of the answer negative", { prompt_tokens: 9, completion_tokens: -5 }, 9, 12, true, true],
    ["no number", { prompt_tokens: "many", completion_tokens: 7 }, 30, 7, true, true],
  ])("of a report that is %s is flagged correctly", (_how, report, prompt, completion, flagged, counted) => {
    const usage = billedUsage(usageFromOpenAi(report), bounds, estimate);
    expect([promptTokens(usage), usage.completion]).toEqual([prompt, completion]);
    expect([usage.implausible, usage.estimated]).toEqual([flagged, counted]);
  });

  test("separates cached tokens even if the sum is reduced", () => {
    const reported = { ...noUsage, uncached: 10_000, cacheRead: 300, cacheWrite: 100, completion: 1 };
    expect(billedUsage(reported, bounds, estimate)).toMatchObject({
      cacheRead: 300,
      cacheWrite: 100,
      uncached: 100,
    });
  });
});
