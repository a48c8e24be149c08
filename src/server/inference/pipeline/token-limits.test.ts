import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CompletionRequest } from "#contract/completions.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { routerOver, subject } from "#test/arbitrary-policies.ts";
import { catalogueOf, endpoint, model, price, provider } from "#test/catalogues.ts";
import { completions } from "../operations/completions/operation.ts";
import { costBound } from "./plan.ts";
import type { RequestEstimate } from "./request.ts";
import { shortenings, shortest, tokenBounds, tokenLimitFor } from "./token-limits.ts";

const lengths = fc
  .record({
    maxTokens: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: null }),
    openTokens: fc.option(fc.constantFrom(4_096, 32_768), { nil: undefined }),
    promptTokensMin: fc.nat(100_000),
    promptTokensMax: fc.nat(400_000),
    answers: fc.integer({ min: 1, max: 8 }),
  })
  .map((length) => ({ ...length, promptTokensEach: length.promptTokensMax }));
const windows = fc.record({
  contextLength: fc.option(fc.integer({ min: 1, max: 300_000 }), { nil: null }),
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: null }),
});
const today = isoTime(clock.nowMs()).slice(0, 10);
const dear = price("1", "7");
const facts = fc.record({ required: fc.boolean(), charged: fc.boolean() });

const estimateOf = (length: object): RequestEstimate => ({
  ...completions.estimate(CompletionRequest.parse({ prompt: "x" })),
  ...length,
});
const targetOf = (window: object, { required = false, charged = true } = {}) => {
  const made = endpoint(provider("dear"), model("m/small"), { price: charged ? dear : null, ...window });
  return { endpoint: { ...made, provider: { ...made.provider, tokenLimitRequired: required } } };
};

describe("the limit of an answer's length that is sent to a provider", () => {
  test("never exceeds what the client, the endpoint and the held credit allow", () => {
    fc.assert(
      fc.property(lengths, windows, facts, (length, window, fact) => {
        const estimate = estimateOf(length);
        const target = targetOf(window, fact);
        const sent = tokenLimitFor(estimate, target);
        expect(sent ?? 1).toBeGreaterThanOrEqual(1);
        const { maxTokens, openTokens } = estimate;
        const most = Math.min(
          maxTokens ?? Number.MAX_SAFE_INTEGER,
          window.maxOutputTokens ?? Number.MAX_SAFE_INTEGER,
          maxTokens === null && fact.charged
            ? (openTokens ?? Number.MAX_SAFE_INTEGER)
            : Number.MAX_SAFE_INTEGER,
        );
        expect(sent ?? 1).toBeLessThanOrEqual(most);
        expect(tokenBounds(estimate, target).completionTokens).toBeGreaterThanOrEqual(
          (sent ?? 1) * estimate.answers,
        );
        if (maxTokens !== null || sent === null || window.contextLength === null) return;
        // Above the minimum only half the space beside the prompt is used: the prompt may have more tokens than estimated.
        const prompt = Math.max(estimate.promptTokensMin, Math.ceil(estimate.promptTokensMax / 3));
        const room = Math.max(1, window.contextLength - prompt);
        expect(sent).toBeLessThanOrEqual(Math.min(room, Math.max(4_096, room / 2)));
      }),
    );
  });

  const known = { contextLength: 131_072, maxOutputTokens: 65_536 };
  const unknown = { contextLength: null, maxOutputTokens: null };
  test.each([
    ["is the client's", { maxTokens: 99 }, known, {}, 99],
    ["is at most the model's own", { maxTokens: 99_000 }, known, {}, 65_536],
    ["is not sent if the client set none and the credit covers the model's own", {}, known, {}, null],
    ["is what the credit covers if that is less", { openTokens: 8_192 }, known, {}, 8_192],
    [
      "is sent to a provider that needs one",
      {},
      { ...known, contextLength: 262_144 },
      { required: true },
      65_536,
    ],
    ["is sent if nobody knows the model's own", {}, unknown, {}, 32_768],
    ["is not sent if the answer costs nothing", { openTokens: 8_192 }, unknown, { charged: false }, null],
  ] as const)("%s", (_, length, window, fact, expected) => {
    expect(tokenLimitFor(estimateOf({ maxTokens: null, ...length }), targetOf(window, fact))).toBe(expected);
  });

  test("of several prompts is computed for each, as each has a context window of its own", () => {
    const one = "x".repeat(1_500);
    const target = targetOf({ contextLength: 8_192, maxOutputTokens: null });
    const limitFor = (prompt: string | string[]) =>
      tokenLimitFor(shortest(completions.estimate(CompletionRequest.parse({ prompt }))), target);
    expect(limitFor(Array.from({ length: 20 }, () => one))).toBe(limitFor(one));
    expect(limitFor(one)).toBe(4_096);
  });
});

test("without a limit the hold covers the longest answer that the endpoint can give, whatever the prompts are", () => {
  const prompts = fc.array(fc.constantFrom("x", " ".repeat(40_000), "word ".repeat(4_000)), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(prompts, windows, (prompt, window) => {
      const estimate = completions.estimate(CompletionRequest.parse({ prompt }));
      const target = targetOf(window);
      fc.pre(tokenLimitFor(estimate, target) === null);
      const { contextLength, maxOutputTokens } = window;
      const longest = Math.min(
        contextLength ?? Number.MAX_SAFE_INTEGER,
        maxOutputTokens ?? Number.MAX_SAFE_INTEGER,
      );
      expect(tokenBounds(estimate, target).completionTokens).toBe(longest * prompt.length);
    }),
  );
});

test("a request with a limit is not shortened", () => {
  const estimate = estimateOf({ maxTokens: 99_000 });
  expect(shortest(estimate)).toBe(estimate);
});

test("a request without a limit is shortened down to 4,096 tokens, at less cost each time", () => {
  const { exchangeRate } = catalogueOf([]);
  fc.assert(
    fc.property(lengths, windows, (length, window) => {
      const estimate = estimateOf({ ...length, maxTokens: null, openTokens: undefined });
      const target = targetOf(window);
      const { candidates } = routerOver([target.endpoint], []).route(
        { models: ["m/small"] },
        { subject, apis: ["completions", "chat"], today },
      );
      const shorter = [...shortenings(estimate, [target])];
      expect(shorter.at(-1)?.openTokens).toBe(4_096);
      const bounds = [estimate, ...shorter].map((one) => costBound({ candidates }, one, exchangeRate));
      for (const [index, bound] of bounds.slice(1).entries())
        expect(bound <= (bounds[index] ?? 0n)).toBe(true);
    }),
  );
});
