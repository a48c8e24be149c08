import type { Price } from "#server/catalog/index.ts";
import { type ExchangeRate, eurFromUsd, type Pico, usdFromEur } from "#server/platform/money.ts";
import { promptTokens, type Usage } from "./usage.ts";

/** The parts of a cost in pico-USD. `prompt` is the sum of its three parts, `total` the sum of everything. */
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
  /** The same in the price's own currency, in which it is exact. */
  readonly own: UpstreamCost;
  readonly currency: Price["currency"];
  /** Whether the provider bills the account itself. */
  readonly byok: boolean;
  /** What the account is charged. */
  readonly picoUsd: Pico;
  readonly picoEur: Pico;
}

/** Computes the sums of a cost from its parts. */
function summed(parts: Omit<UpstreamCost, "prompt" | "total">): UpstreamCost {
  const { uncachedPrompt, cacheRead, cacheWrite, completion, request } = parts;
  const prompt = uncachedPrompt + cacheRead + cacheWrite;
  return { ...parts, prompt, total: prompt + completion + request };
}

const nothing = summed({ uncachedPrompt: 0n, cacheRead: 0n, cacheWrite: 0n, completion: 0n, request: 0n });
export const noCost: Cost = {
  upstream: nothing,
  own: nothing,
  currency: "USD",
  byok: false,
  picoUsd: 0n,
  picoEur: 0n,
};

type Rates = Pick<Price, "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWriteHour">;

/** The figures for an input of this size: the highest tier it reaches applies to the whole request. */
function ratesFor(price: Price, inputTokens: number): Rates {
  let rates: Rates = price;
  for (const tier of price.tiers) if (inputTokens > tier.aboveInputTokens) rates = tier;
  return rates;
}

/** The provider's charge in the price's own currency. */
function upstreamCost(usage: Usage, price: Price): UpstreamCost {
  const rates = ratesFor(price, promptTokens(usage));
  const uncachedPrompt = BigInt(usage.uncached) * rates.input;
  const cacheRead = BigInt(usage.cacheRead) * (rates.cacheRead ?? rates.input);
  const written = rates.cacheWrite ?? rates.input;
  const cacheWrite =
    BigInt(usage.cacheWrite - usage.cacheWriteHour) * written +
    BigInt(usage.cacheWriteHour) * (rates.cacheWriteHour ?? written);
  const completion =
    BigInt(usage.completion - usage.reasoning) * rates.output +
    BigInt(usage.reasoning) * (price.reasoning ?? rates.output);
  const request = price.request + BigInt(usage.searchUnits) * (price.searchUnit ?? 0n);
  return summed({ uncachedPrompt, cacheRead, cacheWrite, completion, request });
}

/**
 * Converts a EUR cost to USD. Each part is converted separately and the sums are computed afterwards, so that the
 * displayed parts in USD add up exactly to the displayed total.
 */
function inUsd(cost: UpstreamCost, rate: ExchangeRate): UpstreamCost {
  return summed({
    uncachedPrompt: usdFromEur(cost.uncachedPrompt, rate),
    cacheRead: usdFromEur(cost.cacheRead, rate),
    cacheWrite: usdFromEur(cost.cacheWrite, rate),
    completion: usdFromEur(cost.completion, rate),
    request: usdFromEur(cost.request, rate),
  });
}

/**
 * Returns what `usage` costs at `price`: exact in the currency of the price. With the organisation's own credential
 * (`byok`) the provider bills it directly, and nothing is charged here.
 */
export function costOf(usage: Usage, price: Price, rate: ExchangeRate, byok = false): Cost {
  const own = upstreamCost(usage, price);
  const { currency } = price;
  const upstream = currency === "EUR" ? inUsd(own, rate) : own;
  if (byok) return { upstream, own, currency, byok, picoUsd: 0n, picoEur: 0n };
  const picoEur = currency === "EUR" ? own.total : eurFromUsd(own.total, rate);
  return { upstream, own, currency, byok, picoUsd: upstream.total, picoEur };
}

const dearer = (a: Pico, b: Pico): Pico => (a > b ? a : b);

/** The maximum cost of any usage within these bounds, whatever tier, cache or reasoning applies. In pico-EUR. */
export function costUpperBound(
  bounds: { readonly promptTokens: number; readonly completionTokens: number; readonly searchUnits: number },
  price: Price,
  rate: ExchangeRate,
): Pico {
  const reached = price.tiers.filter((tier) => bounds.promptTokens > tier.aboveInputTokens);
  let input = 0n;
  let output = price.reasoning ?? 0n;
  for (const rates of [price, ...reached]) {
    const written = dearer(rates.cacheWrite ?? 0n, rates.cacheWriteHour ?? 0n);
    input = dearer(input, dearer(rates.input, dearer(rates.cacheRead ?? 0n, written)));
    output = dearer(output, rates.output);
  }
  const own =
    BigInt(bounds.promptTokens) * input +
    BigInt(bounds.completionTokens) * output +
    price.request +
    BigInt(bounds.searchUnits) * (price.searchUnit ?? 0n);
  return price.currency === "EUR" ? own : eurFromUsd(own, rate) + 1n;
}
