import fc from "fast-check";
import { noUsage } from "#server/billing/index.ts";
import { exchangeRate } from "#server/platform/money.ts";
import { price } from "./catalogues.ts";

const figure = fc.bigInt({ min: 0n, max: 10n ** 9n });
const maybe = fc.option(figure);

/** Any price in either currency, with or without prices of its own for caches, thoughts, searches and long input. */
export const prices = fc
  .record({
    currency: fc.constantFrom<"EUR" | "USD">("EUR", "USD"),
    input: figure,
    output: figure,
    cacheRead: maybe,
    cacheWrite: maybe,
    cacheWriteHour: figure,
    reasoning: maybe,
    request: figure,
    searchUnit: maybe,
    tiers: fc.uniqueArray(
      fc.record({
        aboveInputTokens: fc.integer({ min: 1, max: 3000 }),
        input: figure,
        output: figure,
        cacheRead: maybe,
        cacheWrite: maybe,
        cacheWriteHour: figure,
      }),
      { maxLength: 3, selector: ({ aboveInputTokens }) => aboveInputTokens },
    ),
  })
  .map((figures) => ({
    ...price("1"),
    ...figures,
    tiers: figures.tiers.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens),
  }));

/** Up to 2,000 of anything. */
export const counts = fc.integer({ min: 0, max: 2000 });

export const usages = fc
  .record({
    uncached: counts,
    cacheRead: counts,
    cacheWrite: counts,
    answer: counts,
    reasoning: counts,
    searchUnits: counts,
  })
  .map(({ answer, ...parts }) => ({
    ...noUsage,
    ...parts,
    cacheWriteHour: Math.floor(parts.cacheWrite / 2),
    completion: answer + parts.reasoning,
  }));

/** Rates with four decimals, as the European Central Bank gives them. */
export const rates = fc
  .integer({ min: 5000, max: 20_000 })
  .map((tenThousandths) => exchangeRate((tenThousandths / 10_000).toFixed(4), "2026-08-31", "test"));
