import { exchangeRate } from "#server/platform/money.ts";
import type { GenerationRow } from "./generation-row.ts";
import { type Cost, costOf, type UpstreamCost } from "./price.ts";
import { type Pricing, priceOfPricing } from "./pricing.ts";
import { noUsage, promptTokens, type Usage } from "./usage.ts";

/** The columns that say what was consumed. */
export const usageColumns = (usage: Usage) => ({
  prompt_tokens: promptTokens(usage),
  completion_tokens: usage.completion,
  cached_tokens: usage.cacheRead,
  cache_write_tokens: usage.cacheWrite,
  reasoning_tokens: usage.reasoning,
  search_units: usage.searchUnits,
  usage_estimated: usage.estimated,
});

const parts = {
  uncached_prompt: "uncachedPrompt",
  cache_read: "cacheRead",
  cache_write: "cacheWrite",
  completion: "completion",
  request: "request",
} as const satisfies Record<string, keyof UpstreamCost>;
const names = Object.keys(parts) as (keyof typeof parts)[];

/** The parts in USD, and for a EUR price in EUR too: from them and the rate every sum can be worked out again. */
function detailsOf({ upstream, own, currency }: Cost): Record<string, string> {
  const details: Record<string, string> = { currency };
  for (const name of names) details[`${name}_pico_usd`] = upstream[parts[name]].toString();
  if (currency === "EUR") for (const name of names) details[`${name}_pico_eur`] = own[parts[name]].toString();
  return details;
}

/** The columns that say what it cost. */
export const costColumns = (cost: Cost) => ({
  cost_pico_usd: cost.picoUsd.toString(),
  cost_pico_eur: cost.picoEur.toString(),
  upstream_pico_usd: cost.upstream.total.toString(),
  cost_details: detailsOf(cost),
});

/** What a PROGRESS record carries beside the row: with its price the row can be worked out for more tokens. */
export interface ProgressRow extends GenerationRow {
  readonly pricing?: Pricing | null;
  /** The part of `cache_write_tokens` that is kept for an hour, which has a price of its own and no column. */
  readonly cache_write_1h_tokens?: number;
}

/** The row of a stream that was cut when it had produced `completionTokens`. */
export function rowAt(
  { pricing, cache_write_1h_tokens: cacheWriteHour = 0, ...row }: ProgressRow,
  completionTokens: number,
): GenerationRow {
  if (!pricing || completionTokens <= row.completion_tokens) return row;
  const usage: Usage = {
    ...noUsage,
    uncached: row.prompt_tokens - row.cached_tokens - row.cache_write_tokens,
    cacheRead: row.cached_tokens,
    cacheWrite: row.cache_write_tokens,
    cacheWriteHour,
    completion: completionTokens,
    reasoning: row.reasoning_tokens,
    searchUnits: row.search_units,
    estimated: true,
  };
  const rate = exchangeRate(row.fx_usd_per_eur, row.fx_date, "");
  const cost = costOf(usage, priceOfPricing(pricing), rate, row.is_byok);
  return { ...row, ...usageColumns(usage), ...costColumns(cost) };
}
