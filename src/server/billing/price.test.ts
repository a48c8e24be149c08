import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Price } from "#server/catalog/index.ts";
import { eurFromUsd, exchangeRate, type Pico, picoFromDecimal, usdFromEur } from "#server/platform/money.ts";
import { counts, prices, rates, usages } from "#test/arbitrary-usages.ts";
import { costOf, costUpperBound } from "./price.ts";
import { noUsage, type Usage } from "./usage.ts";

const rate = exchangeRate("1.1596", "2026-08-31", "ECB");

/** Pico-units for one token at this price per million. */
const perMillion = (figure: string): Pico => picoFromDecimal(figure) / 1_000_000n;

const price = (figures: Partial<Price>): Price => ({
  version: "test",
  currency: "USD",
  input: perMillion("0.15"),
  output: perMillion("0.60"),
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  request: 0n,
  searchUnit: null,
  tiers: [],
  sources: [],
  asOf: null,
  expiresAt: null,
  ...figures,
});
const usage = (parts: Partial<Usage>): Usage => ({ ...noUsage, ...parts });
const usd = (amount: string) => picoFromDecimal(amount);

describe("costs calculated by hand", () => {
  test("plain tokens in USD: 1,000 in at 0.15 and 200 out at 0.60 per million", () => {
    const cost = costOf(usage({ uncached: 1000, completion: 200 }), price({}), rate);
    expect(cost.picoUsd).toBe(usd("0.00027"));
    expect(cost.picoEur).toBe(eurFromUsd(usd("0.00027"), rate));
    expect(cost.upstream).toMatchObject({ prompt: usd("0.00015"), completion: usd("0.00012") });
  });

  test("cached and written input have their own price, or that of plain input", () => {
    const parts = usage({ uncached: 400, cacheRead: 500, cacheWrite: 100 });
    const own = price({ cacheRead: perMillion("0.015"), cacheWrite: perMillion("0.30") });
    expect(costOf(parts, own, rate).upstream).toMatchObject({
      uncachedPrompt: usd("0.00006"),
      cacheRead: usd("0.0000075"),
      cacheWrite: usd("0.00003"),
      prompt: usd("0.0000975"),
    });
    expect(costOf(parts, price({}), rate).picoUsd).toBe(usd("0.00015"));
  });

  test("input cached for an hour has its own price, or that of other writes", () => {
    // 248 written, 100 of them for an hour: Anthropic's Sonnet 5 at 2 in, 2.50 written, 4 written for an hour.
    const parts = usage({ cacheWrite: 248, cacheWriteHour: 100 });
    const listed = price({ input: perMillion("2"), cacheWrite: perMillion("2.50") });
    expect(costOf(parts, { ...listed, cacheWriteHour: perMillion("4") }, rate).upstream).toMatchObject({
      cacheWrite: usd("0.00077"),
      prompt: usd("0.00077"),
    });
    expect(costOf(parts, listed, rate).upstream.cacheWrite).toBe(usd("0.00062"));
  });

  test("reasoning is part of the output and may have its own price", () => {
    const parts = usage({ completion: 100, reasoning: 80 });
    expect(costOf(parts, price({}), rate).picoUsd).toBe(usd("0.00006"));
    expect(costOf(parts, price({ reasoning: perMillion("1") }), rate).picoUsd).toBe(usd("0.000092"));
  });

  test("a EUR price is exact in EUR and converted to USD", () => {
    const cost = costOf(
      usage({ uncached: 1000 }),
      price({ currency: "EUR", input: perMillion("0.40") }),
      rate,
    );
    expect(cost.picoEur).toBe(usd("0.0004"));
    expect(cost.picoUsd).toBe(usdFromEur(usd("0.0004"), rate));
    expect(cost.upstream.total).toBe(cost.picoUsd);
  });

  test("requests and search units are added", () => {
    const flat = price({ input: 0n, output: 0n, request: usd("0.002"), searchUnit: usd("0.001") });
    expect(costOf(usage({ searchUnits: 3 }), flat, rate).picoUsd).toBe(usd("0.005"));
    expect(costOf(noUsage, flat, rate).picoUsd).toBe(usd("0.002"));
  });

  test("a tier applies to the whole request, from the first token above it", () => {
    const tier = { cacheRead: null, cacheWrite: null };
    const tiered = price({
      tiers: [
        { aboveInputTokens: 1000, input: perMillion("0.30"), output: perMillion("1.20"), ...tier },
        { aboveInputTokens: 2000, input: perMillion("0.60"), output: perMillion("2.40"), ...tier },
      ],
    });
    const at = (tokens: number) => costOf(usage({ uncached: tokens, completion: 10 }), tiered, rate).picoUsd;
    expect(at(1000)).toBe(usd("0.000156"));
    expect(at(1001)).toBe(1001n * perMillion("0.30") + 10n * perMillion("1.20"));
    expect(at(2001)).toBe(2001n * perMillion("0.60") + 10n * perMillion("2.40"));
  });
});

describe("for any price and usage", () => {
  test("the parts add up to the total exactly", () => {
    fc.assert(
      fc.property(usages, prices, rates, (used, at, on) => {
        const { upstream, picoUsd } = costOf(used, at, on);
        expect(upstream.prompt).toBe(upstream.uncachedPrompt + upstream.cacheRead + upstream.cacheWrite);
        expect(upstream.total).toBe(upstream.prompt + upstream.completion + upstream.request);
        expect(picoUsd).toBe(upstream.total);
      }),
    );
  });

  test("the upper bound is never below the cost of any usage within the bounds", () => {
    fc.assert(
      fc.property(usages, prices, rates, counts, counts, (used, at, on, spareIn, spareOut) => {
        const bounds = {
          promptTokens: used.uncached + used.cacheRead + used.cacheWrite + spareIn,
          completionTokens: used.completion + spareOut,
          searchUnits: used.searchUnits,
        };
        expect(costUpperBound(bounds, at, on) >= costOf(used, at, on).picoEur).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("the minimum cost of anything is zero", () => {
    fc.assert(
      fc.property(usages, prices, rates, (used, at, on) => {
        const { picoEur, picoUsd } = costOf(used, at, on);
        return picoEur >= 0n && picoUsd >= 0n;
      }),
    );
  });
});
