import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { amountText } from "#app/_lib/limit-text.ts";
import type { BudgetDimension, BudgetMeasure, BudgetPeriod } from "#contract/budget.ts";
import { isPlainDimension, type PlainDimension } from "#contract/budget-dimensions.ts";

interface MeasureText {
  /** The choice in a form. */
  readonly label: string;
  /** An amount with its unit. */
  readonly amount: (amount: number) => string;
  /** An amount beside another one that has the unit: without it, where it is a word. */
  readonly short: (amount: number) => string;
  /** The field of the limit. */
  readonly limitLabel: string;
}

const counted =
  (one: string, several: string) =>
  (count: number): string =>
    `${formatCount(count)} ${count === 1 ? one : several}`;

const dollars = (amount: number): string => amountText(amount).replace("€", "$");

export const measures: Record<BudgetMeasure, MeasureText> = {
  eur: { label: "Cost in euros", amount: amountText, short: amountText, limitLabel: "Limit in euros" },
  usd: { label: "Cost in US dollars", amount: dollars, short: dollars, limitLabel: "Limit in US dollars" },
  tokens: {
    label: "Tokens",
    amount: counted("token", "tokens"),
    short: formatCount,
    limitLabel: "Limit in tokens",
  },
  requests: {
    label: "Requests",
    amount: counted("request", "requests"),
    short: formatCount,
    limitLabel: "Limit in requests",
  },
  concurrency: {
    label: "Parallel requests",
    amount: counted("parallel request", "parallel requests"),
    short: formatCount,
    limitLabel: "Limit of parallel requests",
  },
};

/** A period as a choice, and after an amount: `€20.00 per day`. */
export const periods: Record<BudgetPeriod, { readonly label: string; readonly per: string }> = {
  minute: { label: "Minute", per: " per minute" },
  hour: { label: "Hour", per: " per hour" },
  day: { label: "Day", per: " per day" },
  week: { label: "Week (from Monday)", per: " per week" },
  month: { label: "Month", per: " per month" },
  total: { label: "Total (never resets)", per: " in total" },
  none: { label: "At the same time", per: "" },
};

interface DimensionText {
  readonly label: string;
  /** After `each` and before a value. */
  readonly noun: string;
}

const plainTexts: Record<PlainDimension, DimensionText> = {
  workspace: { label: "Workspace", noun: "workspace" },
  key: { label: "API key", noun: "key" },
  person: { label: "Person", noun: "person" },
  model: { label: "Model", noun: "model" },
  end_user: { label: "End user", noun: "end user" },
};

/** A key of `metadata` is called as in the API, because it may be any word, such as `model`. */
export const dimensionText = (name: string): DimensionText =>
  isPlainDimension(name) ? plainTexts[name] : { label: name, noun: name };

/** The name of a value: of a workspace for its ID. */
export type NameOf = (dimension: string, value: string) => string;

/** What a budget applies to: `each end user; model openai/gpt-5`. */
export const scopeText = (dimensions: readonly BudgetDimension[], nameOf: NameOf): string =>
  dimensions.length === 0
    ? "the whole organisation"
    : dimensions
        .map(({ dimension, value }) =>
          value === null
            ? `each ${dimensionText(dimension).noun}`
            : `${dimensionText(dimension).noun} ${nameOf(dimension, value)}`,
        )
        .join("; ");

/** When a period ends; nothing if it never does. */
export const resetText = (resetsAt: string | null): string =>
  resetsAt === null ? "Never" : formatAbsolute(resetsAt);

/** `in 3 h` until a moment in the future. */
export function untilText(resetsAt: string, nowMs: number): string {
  const minutes = Math.max(1, Math.ceil((Date.parse(resetsAt) - nowMs) / 60_000));
  if (minutes < 120) return `in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} days`;
}
