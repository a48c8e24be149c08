import type { PriceEntry } from "#contract/price-entry.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { type Pico, picoFromDecimal } from "#server/platform/money.ts";
import { type Cite, citeWithoutTable } from "./citations.ts";
import type { Price } from "./types.ts";

const one = 10n ** 12n;
const units = { perMillion: 1_000_000n, perThousand: 1_000n, perOne: 1n } as const;

/** A figure that cannot be stored exactly; `field` is its path in the price. */
export class PriceError extends Error {
  override readonly name = "PriceError";
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Returns `figure` × `factors` / `unit` in pico-units. Throws instead of rounding. */
function exactly(field: string, figure: string, unit: bigint, factors: readonly string[]): Pico {
  try {
    const numerator = factors.reduce(
      (product, factor) => product * picoFromDecimal(factor),
      picoFromDecimal(figure),
    );
    const denominator = unit * one ** BigInt(factors.length);
    if (numerator % denominator === 0n) return numerator / denominator;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const times = factors.length ? ` times ${factors.join(" times ")}` : "";
  throw new PriceError(
    field,
    `${figure}${times} is finer than 10^-12 for one unit; give at most 6 decimals per million`,
  );
}

/** The price's figures as integer pico-units for one token, request or search. Throws `PriceError`. */
export function priceFrom(entry: PriceEntry, cite: Cite = citeWithoutTable): Price {
  const uplift = entry.region_uplift === undefined ? [] : [entry.region_uplift];
  const at = (field: string, figure: string | null, unit: bigint, ...factors: string[]) =>
    figure === null ? null : exactly(field, figure, unit, [...uplift, ...factors]);
  const { perMillion, perThousand, perOne } = units;

  /**
   * The price of a write for an hour, in a tier by its factors. By default twice the input price, as providers charge
   * that list it.
   */
  const hour = (field: string, input: readonly string[], written: readonly string[]) => {
    const own = at(field, entry.cache_write_1h ?? null, perMillion, ...written);
    if (own !== null) return { cacheWriteHour: own };
    const twice = entry.cache_write === null ? null : at(field, entry.input, perMillion, ...input, "2");
    return twice === null ? {} : { cacheWriteHour: twice };
  };

  const figures = {
    currency: entry.currency,
    input: at("input", entry.input, perMillion) ?? 0n,
    output: at("output", entry.output, perMillion) ?? 0n,
    cacheRead: at("cached_input", entry.cached_input, perMillion),
    cacheWrite: at("cache_write", entry.cache_write, perMillion),
    ...hour("cache_write_1h", [], []),
    reasoning: at("reasoning", entry.reasoning, perMillion),
    request: at("per_request", entry.per_request, perOne) ?? 0n,
    searchUnit: at("per_1k_searches", entry.per_1k_searches, perThousand),
    tiers: entry.tiers
      .map((tier, index) => {
        const field = (name: string) => `tiers[${index}].${name}`;
        const cached = tier.cached_input_factor ?? tier.input_factor;
        const written = tier.cache_write_factor ?? tier.input_factor;
        return {
          aboveInputTokens: tier.above_input_tokens,
          input: at(field("input_factor"), entry.input, perMillion, tier.input_factor) ?? 0n,
          output: at(field("output_factor"), entry.output, perMillion, tier.output_factor) ?? 0n,
          cacheRead: at(field("cached_input_factor"), entry.cached_input, perMillion, cached),
          cacheWrite: at(field("cache_write_factor"), entry.cache_write, perMillion, written),
          ...hour(field("cache_write_factor"), [tier.input_factor], [written]),
        };
      })
      .toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens),
  };
  return {
    version: priceVersion(figures),
    ...figures,
    sources: cite(entry.source),
    asOf: entry.as_of,
    expiresAt: entry.expires_at,
  };
}

/** A short name of a set of figures: equal figures give equal names, in every installation. */
const priceVersion = (figures: object): string =>
  sha256(JSON.stringify(figures, (_, value) => (typeof value === "bigint" ? value.toString() : value))).slice(
    0,
    12,
  );

/** The price of what a provider marked `free` serves. */
export const freePrice: Price = priceFrom({
  currency: "EUR",
  input: "0",
  output: "0",
  cached_input: null,
  cache_write: null,
  reasoning: null,
  per_request: null,
  per_1k_searches: null,
  tiers: [],
  source: "operator",
  as_of: null,
  expires_at: null,
});
