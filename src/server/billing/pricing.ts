import type { Price } from "#server/catalog/index.ts";

/** A price as JSON holds it: integers as decimal text. */
export type Pricing = Record<string, unknown>;

/** The figures of a price that a cost is worked out of. */
export const pricingOf = ({ sources: _, asOf: __, expiresAt: ___, ...figures }: Price): Pricing =>
  JSON.parse(JSON.stringify(figures, (_key, value) => (typeof value === "bigint" ? `${value}n` : value)));

/** The price that `pricingOf` wrote down. */
export const priceOfPricing = (pricing: Pricing): Price =>
  JSON.parse(JSON.stringify(pricing), (_key, value) =>
    typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Price;
