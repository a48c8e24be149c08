import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTokens, noUsage, promptTokens, usageFromOpenAi } from "./usage.ts";

describe("usage of an upstream", () => {
  test("is split into its parts", () => {
    expect(
      usageFromOpenAi({
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 20 },
      }),
    ).toEqual({ ...noUsage, uncached: 30, cacheRead: 60, cacheWrite: 10, completion: 50, reasoning: 20 });
  });

  test.each([
    [
      "OpenAI with sound",
      {
        prompt_tokens: 117,
        completion_tokens: 46,
        total_tokens: 163,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 30 },
      },
      { uncached: 117, audioPrompt: 60, completion: 46, reasoning: 10, audioCompletion: 30 },
    ],
    [
      "DeepSeek, hits beside the prompt",
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_cache_hit_tokens: 64,
        prompt_cache_miss_tokens: 36,
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      { uncached: 36, cacheRead: 64, completion: 20, reasoning: 5 },
    ],
    [
      "vLLM, details that are null",
      { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13, prompt_tokens_details: null },
      { uncached: 9, completion: 4 },
    ],
    [
      "xAI, thoughts outside of the completion and inside of the total",
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        completion_tokens_details: { reasoning_tokens: 94 },
      },
      { uncached: 32, completion: 103, reasoning: 94 },
    ],
    [
      "a cache written for an hour and for five minutes",
      {
        prompt_tokens: 1000,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 800, cache_write_1h_tokens: 500 },
      },
      { uncached: 100, cacheRead: 100, cacheWrite: 800, cacheWriteHour: 500, completion: 1 },
    ],
  ])("of %s", (_dialect, value, expected) => {
    expect(usageFromOpenAi(value)).toEqual({ ...noUsage, ...expected });
  });

  test.each([null, undefined, 7, "usage", [], {}, { prompt_tokens: 0, completion_tokens: 0 }])(
    "%o is not a usage",
    (value) => {
      expect(usageFromOpenAi(value)).toBeNull();
    },
  );

  test.each([
    { prompt_tokens: "9" },
    { completion_tokens: -1 },
    { prompt_tokens: Number.NaN, completion_tokens: 3 },
    { prompt_tokens: 3, completion_tokens_details: { reasoning_tokens: -3 } },
  ])("%o is implausible", (value) => {
    expect(usageFromOpenAi(value)).toMatchObject({ implausible: true });
  });

  test("has integer parts that never exceed their sum, whatever JSON it is", () => {
    const number = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.constantFrom(1e300, -1, 0.5, 2 ** 40),
      fc.jsonValue(),
    );
    const upstream = fc.record(
      {
        prompt_tokens: number,
        completion_tokens: number,
        total_tokens: number,
        prompt_cache_hit_tokens: number,
        prompt_tokens_details: fc.oneof(
          fc.record(
            {
              cached_tokens: number,
              cache_write_tokens: number,
              cache_write_1h_tokens: number,
              audio_tokens: number,
            },
            { requiredKeys: [] },
          ),
          fc.jsonValue(),
        ),
        completion_tokens_details: fc.oneof(
          fc.record({ reasoning_tokens: number, audio_tokens: number }, { requiredKeys: [] }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(upstream, (value) => {
        const usage = usageFromOpenAi(value);
        if (!usage) return;
        const { estimated: _, implausible: __, ...parts } = usage;
        for (const part of Object.values(parts)) {
          expect(Number.isInteger(part)).toBe(true);
          expect(part).toBeGreaterThanOrEqual(0);
          expect(Number.isSafeInteger(part)).toBe(true);
        }
        expect(Number.isSafeInteger(promptTokens(usage))).toBe(true);
        expect(usage.reasoning).toBeLessThanOrEqual(usage.completion);
        expect(usage.audioCompletion).toBeLessThanOrEqual(usage.completion);
        expect(usage.audioPrompt).toBeLessThanOrEqual(promptTokens(usage));
        expect(usage.cacheWriteHour).toBeLessThanOrEqual(usage.cacheWrite);
      }),
      { numRuns: 2000 },
    );
  });
});

test("an estimate is one token per four bytes, at least one for any text", () => {
  expect([estimateTokens(""), estimateTokens("a"), estimateTokens("abcde"), estimateTokens("é€")]).toEqual([
    0, 1, 2, 2,
  ]);
});
