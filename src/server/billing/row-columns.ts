import { exchangeRate, type Pico } from "#server/platform/money.ts";
import { inOnePiece } from "#server/platform/one-piece.ts";
import type { GenerationRow } from "./generation-row.ts";
import { type Cost, costOf, noCost, type UpstreamCost } from "./price.ts";
import { type Pricing, priceOfPricing } from "./pricing.ts";
import { noUsage, promptTokens, type Usage } from "./usage.ts";

/** The columns of what was consumed. */
export const usageColumns = (usage: Usage) => ({
  prompt_tokens: promptTokens(usage),
  completion_tokens: usage.completion,
  cached_tokens: usage.cacheRead,
  cache_write_tokens: usage.cacheWrite,
  reasoning_tokens: usage.reasoning,
  search_units: usage.searchUnits,
  usage_estimated: usage.estimated,
  usage_implausible: usage.implausible,
});

/** The decimal text of an amount. Most parts of a cost are zero. */
const text = (amount: Pico): string => (amount === 0n ? "0" : amount.toString());

const fiveParts = ({ uncachedPrompt, cacheRead, cacheWrite, completion, request }: UpstreamCost): string =>
  `${text(uncachedPrompt)} ${text(cacheRead)} ${text(cacheWrite)} ${text(completion)} ${text(request)}`;

/** The parts in USD, and for a EUR price also in EUR: with the rate, every sum can be computed again from them. */
const partsOf = ({ upstream, own, currency }: Cost): string =>
  inOnePiece(
    currency === "EUR"
      ? `EUR ${fiveParts(upstream)} ${fiveParts(own)}`
      : `${currency} ${fiveParts(upstream)}`,
  );

const columnsOf = (cost: Cost) => ({
  cost_pico_usd: text(cost.picoUsd),
  cost_pico_eur: text(cost.picoEur),
  upstream_pico_usd: text(cost.upstream.total),
  cost_parts: partsOf(cost),
});
const columnsOfNothing = columnsOf(noCost);

/** The columns of the cost. */
export const costColumns = (cost: Cost) => (cost === noCost ? columnsOfNothing : columnsOf(cost));

/** What a PROGRESS record contains besides the row: with its price, the row can be computed for more tokens. */
export interface ProgressRow extends GenerationRow {
  readonly pricing?: Pricing | null;
  /** The part of `cache_write_tokens` that is cached for an hour, which has its own price and no column. */
  readonly cache_write_1h_tokens?: number;
}

/** The row of a stream that was interrupted after `completionTokens`. */
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
