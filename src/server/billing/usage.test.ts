import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTokens, promptTokens, usageFromOpenAi } from "./usage.ts";

describe("usage of an upstream", () => {
  test("is split into its parts", () => {
    expect(
      usageFromOpenAi({
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 20 },
      }),
    ).toEqual({
      uncached: 30,
      cacheRead: 60,
      cacheWrite: 10,
      completion: 50,
      reasoning: 20,
      searchUnits: 0,
      estimated: false,
    });
  });

  test.each([
    null,
    undefined,
    7,
    "usage",
    [],
    {},
    { prompt_tokens: 0, completion_tokens: 0 },
    { prompt_tokens: "9" },
  ])("%o is none", (value) => {
    expect(usageFromOpenAi(value)).toBeNull();
  });

  test("has whole, countable parts that never exceed their whole, whatever JSON it is", () => {
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
        prompt_tokens_details: fc.oneof(
          fc.record({ cached_tokens: number, cache_write_tokens: number }, { requiredKeys: [] }),
          fc.jsonValue(),
        ),
        completion_tokens_details: fc.oneof(
          fc.record({ reasoning_tokens: number }, { requiredKeys: [] }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(upstream, (value) => {
        const usage = usageFromOpenAi(value);
        if (!usage) return;
        const { uncached, cacheRead, cacheWrite, completion, reasoning } = usage;
        for (const part of [uncached, cacheRead, cacheWrite, completion, reasoning]) {
          expect(Number.isInteger(part)).toBe(true);
          expect(part).toBeGreaterThanOrEqual(0);
          expect(part).toBeLessThan(2 ** 31);
        }
        expect(promptTokens(usage)).toBeLessThan(2 ** 31);
        expect(reasoning).toBeLessThanOrEqual(completion);
      }),
      { numRuns: 2000 },
    );
  });
});

test("an estimate is a token for four bytes, at least one for any text", () => {
  expect([estimateTokens(""), estimateTokens("a"), estimateTokens("abcde"), estimateTokens("é€")]).toEqual([
    0, 1, 2, 2,
  ]);
});
