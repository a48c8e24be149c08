import type { LimitReset } from "#contract/key.ts";
import { formatEur, formatEurShort } from "./format.ts";

/** Amounts come as JSON numbers. Their shortest text is exact; only of tiny ones it would be `1e-7`. */
const decimal = (amount: number) => {
  const shortest = String(amount);
  return shortest.includes("e") ? amount.toFixed(12) : shortest;
};

const resets: Record<LimitReset, string> = { daily: "per day", weekly: "per week", monthly: "per month" };

export const amountText = (amount: number): string => formatEurShort(decimal(amount));
export const exactAmountText = (amount: number): string => formatEur(decimal(amount));

/** `of €25.00 a month`, beside what was used. */
export function limitText(spending: {
  readonly limit: number | null;
  readonly limit_reset: LimitReset | null;
}): string {
  const { limit, limit_reset } = spending;
  if (limit === null) return "no limit";
  return `of ${exactAmountText(limit)}${limit_reset ? ` ${resets[limit_reset]}` : ""}`;
}
