import { Decimal } from "decimal.js";

/**
 * Money is an integer number of pico-units (10^-12) of one currency, a bigint from price to ledger.
 * Decimal text and decimal.js stand at the edges only; no float is ever added to another.
 */
export type Pico = bigint;
export type Currency = "USD" | "EUR";

const picoDigits = 12;
const picoPerUnit = 10n ** BigInt(picoDigits);
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_EVEN });

/** `"1.5"` → 1_500_000_000_000n. Throws when the text is no decimal or finer than a pico-unit. */
export function picoFromDecimal(text: string | number): Pico {
  const scaled = new Exact(text).times(new Exact(10).pow(picoDigits));
  if (!scaled.isInteger()) throw new RangeError(`${text} is finer than 10^-${picoDigits}`);
  return BigInt(scaled.toFixed(0));
}

/** The exact decimal text of an amount, cut or rounded half-even to `digits` fraction digits. */
export function decimalFromPico(amount: Pico, digits = picoDigits): string {
  return new Exact(amount.toString()).div(new Exact(10).pow(picoDigits)).toFixed(digits);
}

/** The larger of two amounts, which `Math.max` cannot tell of bigints. */
export function largest(first: Pico, second: Pico): Pico {
  if (first > second) return first;
  return second;
}

/** The smaller of two amounts. */
export const smallest = (first: Pico, second: Pico): Pico =>
  largest(first, second) === first ? second : first;

/** The double nearest to the amount: JSON prints it exactly for every amount under 8,192 units. */
export const numberFromPico = (amount: Pico): number => Number(amount) / Number(picoPerUnit);

/** `numerator / denominator` rounded half-even, for non-negative and negative amounts alike. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const quotient = n / d;
  const twice = (n % d) * 2n;
  const up = twice > d || (twice === d && quotient % 2n === 1n);
  const rounded = up ? quotient + 1n : quotient;
  return negative ? -rounded : rounded;
}

/** Units of USD for 1 EUR as the ECB quotes it, stored as an integer ratio so that history can be recomputed. */
export interface ExchangeRate {
  /** Decimal text as published, e.g. `"1.1596"`. */
  readonly usdPerEur: string;
  /** The day the rate holds for, `YYYY-MM-DD`. */
  readonly date: string;
  readonly source: string;
  /** `usdPerEur` times 10^12. */
  readonly picoUsdPerEur: bigint;
}

export function exchangeRate(usdPerEur: string, date: string, source: string): ExchangeRate {
  const picoUsdPerEur = picoFromDecimal(usdPerEur);
  if (picoUsdPerEur <= 0n) throw new RangeError(`An exchange rate must be positive, got ${usdPerEur}`);
  return { usdPerEur, date, source, picoUsdPerEur };
}

/** EUR = USD / rate, rounded half-even to a pico-euro. */
export const eurFromUsd = (usd: Pico, rate: ExchangeRate): Pico =>
  divideHalfEven(usd * picoPerUnit, rate.picoUsdPerEur);

/** USD = EUR × rate, rounded half-even to a pico-dollar. */
export const usdFromEur = (eur: Pico, rate: ExchangeRate): Pico =>
  divideHalfEven(eur * rate.picoUsdPerEur, picoPerUnit);
