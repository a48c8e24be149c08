import type { Price } from "#server/catalog/index.ts";
import type { ExchangeRate } from "#server/platform/money.ts";

/** Computes something of a price once for each rate: exact arithmetic is too slow for every request. */
export function perPrice<T>(compute: (price: Price, rate: ExchangeRate) => T) {
  const byRate = new WeakMap<ExchangeRate, WeakMap<Price, T>>();
  return (price: Price, rate: ExchangeRate): T => {
    const known = byRate.get(rate) ?? new WeakMap<Price, T>();
    byRate.set(rate, known);
    const found = known.get(price);
    if (found !== undefined) return found;
    const made = compute(price, rate);
    known.set(price, made);
    return made;
  };
}
