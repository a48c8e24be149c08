import type { ExchangeRate } from "#server/platform/money.ts";
import type { RoutedPrice } from "./routed-endpoint.ts";

/** Computes something of a price once for each rate: exact arithmetic is too slow for every request. */
export function perPrice<T>(compute: (price: RoutedPrice, rate: ExchangeRate) => T) {
  const byRate = new WeakMap<ExchangeRate, WeakMap<RoutedPrice, T>>();
  return (price: RoutedPrice, rate: ExchangeRate): T => {
    const known = byRate.get(rate) ?? new WeakMap<RoutedPrice, T>();
    byRate.set(rate, known);
    const found = known.get(price);
    if (found !== undefined) return found;
    const made = compute(price, rate);
    known.set(price, made);
    return made;
  };
}
