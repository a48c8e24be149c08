import type { Price } from "#server/catalog/index.ts";

/** A price as JSON holds it: integers as decimal text. */
export type Pricing = Record<string, unknown>;

const figuresOf = ({ sources: _, asOf: __, expiresAt: ___, ...figures }: Price): Pricing =>
  JSON.parse(JSON.stringify(figures, (_key, value) => (typeof value === "bigint" ? `${value}n` : value)));

/** Prices do not change once they are loaded, and each stream asks for one. */
const known = new WeakMap<Price, Pricing>();

/** The figures of a price that determine a cost. */
export function pricingOf(price: Price): Pricing {
  const written = known.get(price) ?? figuresOf(price);
  known.set(price, written);
  return written;
}

/** Restores the price that `pricingOf` serialized. */
export const priceOfPricing = (pricing: Pricing): Price =>
  JSON.parse(JSON.stringify(pricing), (_key, value) =>
    typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Price;
