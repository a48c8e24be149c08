import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CompletionRequest } from "#contract/completions.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { routerOver, subject } from "#test/arbitrary-policies.ts";
import { catalogueOf, endpoint, model, price, provider } from "#test/catalogues.ts";
import { completions } from "../operations/completions/operation.ts";
import { costBound, maxTokensFor, shortenings } from "./plan.ts";
import type { RequestEstimate } from "./request.ts";

const everyApi = ["completions", "chat"] as const;
const today = isoTime(clock.nowMs()).slice(0, 10);

describe("the length of an answer", () => {
  const lengths = fc
    .record({
      maxTokens: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: null }),
      openTokens: fc.constantFrom(4_096, 32_768),
      promptTokensMin: fc.nat(100_000),
      promptTokensMax: fc.nat(400_000),
      answers: fc.integer({ min: 1, max: 8 }),
    })
    .map((length) => ({ ...length, promptTokensEach: length.promptTokensMax }));
  const windows = fc.record({
    contextLength: fc.option(fc.integer({ min: 1, max: 300_000 }), { nil: null }),
    maxOutputTokens: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: null }),
  });
  const estimateOf = (length: object): RequestEstimate => ({
    ...completions.estimate(CompletionRequest.parse({ prompt: "x" })),
    ...length,
  });

  test("never exceeds what the client, the endpoint and the held credit allow", () => {
    fc.assert(
      fc.property(lengths, windows, (length, window) => {
        const estimate = estimateOf(length);
        const tokens = maxTokensFor(estimate, window);
        const most = estimate.maxTokens ?? estimate.openTokens ?? 0;
        expect(tokens).toBeGreaterThanOrEqual(1);
        expect(tokens).toBeLessThanOrEqual(Math.min(most, window.maxOutputTokens ?? most));
        if (estimate.maxTokens !== null || window.contextLength === null) return;
        // Above the minimum only half the space beside the prompt is used: the prompt may have more tokens than estimated.
        const prompt = Math.max(estimate.promptTokensMin, Math.ceil(estimate.promptTokensMax / 3));
        const room = Math.max(1, window.contextLength - prompt);
        expect(tokens).toBeLessThanOrEqual(Math.min(room, Math.max(4_096, room / 2)));
      }),
    );
  });

  test("of several prompts is computed for each, as each has a context window of its own", () => {
    const one = "x".repeat(1_500);
    const window = { contextLength: 8_192, maxOutputTokens: null };
    const lengthFor = (prompt: string | string[]) =>
      maxTokensFor(completions.estimate(CompletionRequest.parse({ prompt })), window);
    expect(lengthFor(Array.from({ length: 20 }, () => one))).toBe(lengthFor(one));
    expect(lengthFor(one)).toBe(4_096);
  });

  test("is shortened to 4,096 where the client set none, at less cost each time, and otherwise stays as requested", () => {
    const at = endpoint(provider("dear"), model("m/small"), {
      price: price("1", "7"),
      contextLength: 131_072,
      maxOutputTokens: null,
    });
    const catalogue = catalogueOf([at]);
    const { candidates } = routerOver([at], []).route(
      { models: ["m/small"] },
      { subject, apis: everyApi, today },
    );
    fc.assert(
      fc.property(lengths, (length) => {
        const estimate = estimateOf(length);
        const estimates = shortenings(estimate);
        expect(estimates[0]).toBe(estimate);
        if (estimate.maxTokens !== null) {
          expect(estimates).toHaveLength(1);
          return;
        }
        expect(estimates.at(-1)?.openTokens).toBe(4_096);
        const bounds = estimates.map((shorter) => costBound({ candidates }, shorter, catalogue.exchangeRate));
        for (const [index, bound] of bounds.slice(1).entries())
          expect(bound <= (bounds[index] ?? 0n)).toBe(true);
      }),
    );
  });
});
