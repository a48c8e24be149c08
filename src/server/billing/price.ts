import type { Price } from "#server/catalog/index.ts";
import { type ExchangeRate, eurFromUsd, type Pico, usdFromEur } from "#server/platform/money.ts";
import { promptTokens, type Usage } from "./usage.ts";

/** The parts of a cost in pico-USD. `prompt` is the sum of its three parts, `total` of everything. */
export interface UpstreamCost {
  readonly uncachedPrompt: Pico;
  readonly cacheRead: Pico;
  readonly cacheWrite: Pico;
  readonly prompt: Pico;
  readonly completion: Pico;
  readonly request: Pico;
  readonly total: Pico;
}

export interface Cost {
  readonly upstream: UpstreamCost;
  /** What the account is charged. */
  readonly picoUsd: Pico;
  readonly picoEur: Pico;
}

const nothing: UpstreamCost = {
  uncachedPrompt: 0n,
  cacheRead: 0n,
  cacheWrite: 0n,
  prompt: 0n,
  completion: 0n,
  request: 0n,
  total: 0n,
};
export const noCost: Cost = { upstream: nothing, picoUsd: 0n, picoEur: 0n };

type Rates = Pick<Price, "input" | "output" | "cacheRead" | "cacheWrite">;

/** The figures for an input of this size: the dearest tier it reaches applies to the whole request. */
function ratesFor(price: Price, inputTokens: number): Rates {
  let rates: Rates = price;
  for (const tier of price.tiers) if (inputTokens > tier.aboveInputTokens) rates = tier;
  return rates;
}

/** The upstream's charge in the price's own currency (interface.md 12.2). */
function upstreamCost(usage: Usage, price: Price): UpstreamCost {
  const rates = ratesFor(price, promptTokens(usage));
  const uncachedPrompt = BigInt(usage.uncached) * rates.input;
  const cacheRead = BigInt(usage.cacheRead) * (rates.cacheRead ?? rates.input);
  const cacheWrite = BigInt(usage.cacheWrite) * (rates.cacheWrite ?? rates.input);
  const completion =
    BigInt(usage.completion - usage.reasoning) * rates.output +
    BigInt(usage.reasoning) * (price.reasoning ?? rates.output);
  const request = price.request + BigInt(usage.searchUnits) * (price.searchUnit ?? 0n);
  const prompt = uncachedPrompt + cacheRead + cacheWrite;
  return {
    uncachedPrompt,
    cacheRead,
    cacheWrite,
    prompt,
    completion,
    request,
    total: prompt + completion + request,
  };
}

/**
 * A EUR cost in USD. Each part is converted by itself and the sums are formed after it, so that the parts
 * printed in USD add up to the total printed in USD to the last digit.
 */
function inUsd(cost: UpstreamCost, rate: ExchangeRate): UpstreamCost {
  const uncachedPrompt = usdFromEur(cost.uncachedPrompt, rate);
  const cacheRead = usdFromEur(cost.cacheRead, rate);
  const cacheWrite = usdFromEur(cost.cacheWrite, rate);
  const completion = usdFromEur(cost.completion, rate);
  const request = usdFromEur(cost.request, rate);
  const prompt = uncachedPrompt + cacheRead + cacheWrite;
  return {
    uncachedPrompt,
    cacheRead,
    cacheWrite,
    prompt,
    completion,
    request,
    total: prompt + completion + request,
  };
}

/** What `usage` costs at `price`. A EUR price is exact in EUR, a USD price exact in USD. */
export function costOf(usage: Usage, price: Price, rate: ExchangeRate): Cost {
  const own = upstreamCost(usage, price);
  if (price.currency === "EUR") {
    const upstream = inUsd(own, rate);
    return { upstream, picoUsd: upstream.total, picoEur: own.total };
  }
  return { upstream: own, picoUsd: own.total, picoEur: eurFromUsd(own.total, rate) };
}

const dearer = (a: Pico, b: Pico): Pico => (a > b ? a : b);

/** No usage within these bounds can cost more, whatever tier, cache or reasoning applies. In pico-EUR. */
export function costUpperBound(
  bounds: { readonly promptTokens: number; readonly completionTokens: number; readonly searchUnits: number },
  price: Price,
  rate: ExchangeRate,
): Pico {
  const reached = price.tiers.filter((tier) => bounds.promptTokens > tier.aboveInputTokens);
  let input = 0n;
  let output = price.reasoning ?? 0n;
  for (const rates of [price, ...reached]) {
    input = dearer(input, dearer(rates.input, dearer(rates.cacheRead ?? 0n, rates.cacheWrite ?? 0n)));
    output = dearer(output, rates.output);
  }
  const own =
    BigInt(bounds.promptTokens) * input +
    BigInt(bounds.completionTokens) * output +
    price.request +
    BigInt(bounds.searchUnits) * (price.searchUnit ?? 0n);
  return price.currency === "EUR" ? own : eurFromUsd(own, rate) + 1n;
}
