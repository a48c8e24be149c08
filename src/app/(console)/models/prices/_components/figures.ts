import { formatEur, formatUsd } from "#app/_lib/format.ts";
import type { PriceFigures, PriceVersion } from "#contract/price-book.ts";

export type Figure = keyof PriceFigures;

/** The labels of the figures of a price. */
const labels: Record<Figure | "currency" | "tiers", string> = {
  currency: "Currency",
  input: "Prompt",
  output: "Completion",
  cached_input: "Cached prompt",
  cache_write: "Cache write",
  cache_write_1h: "Cache write (1 hour)",
  reasoning: "Reasoning",
  per_request: "Per request",
  per_1k_searches: "Per 1,000 searches",
  tiers: "Long prompts",
};

const isFigure = (name: string): name is Figure =>
  Object.hasOwn(labels, name) && !/^(currency|tiers)$/.test(name);

export const figureLabel = (name: string): string =>
  Object.entries(labels).find(([figure]) => figure === name)?.[1] ?? name;

/** The figures above zero, without a one-hour cache write that costs the same as other writes. */
export const pricedFigures = (version: PriceFigures): Figure[] =>
  Object.keys(labels)
    .filter(isFigure)
    .filter(
      (figure) =>
        Number(version[figure] ?? 0) > 0 &&
        !(figure === "cache_write_1h" && version.cache_write_1h === version.cache_write),
    );

export const inCurrency = (amount: string, currency: PriceVersion["currency"]): string =>
  currency === "USD" ? formatUsd(amount) : formatEur(amount);

const signed = new Intl.NumberFormat("en-GB", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** `Prompt €0.10 → €0.12, +20%`. `earlier` is the currency before the change. */
export function changeText(
  { figure, before, after }: PriceVersion["changes"][number],
  currency: PriceVersion["currency"],
  earlier: PriceVersion["currency"],
): string {
  const label = figureLabel(figure);
  if (!isFigure(figure)) return `${label} ${before ?? "none"} → ${after ?? "none"}`;
  const text = (amount: string | null, of: PriceVersion["currency"]) =>
    amount === null ? "none" : inCurrency(amount, of);
  const share = before !== null && after !== null && currency === earlier && Number(before) > 0;
  const change = share ? `, ${signed.format(Number(after) / Number(before) - 1)}` : "";
  return `${label} ${text(before, earlier)} → ${text(after, currency)}${change}`;
}
