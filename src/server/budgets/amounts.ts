import { type BudgetMeasure, isMoney } from "#contract/budget.ts";
import { numberFromPico, picoFromDecimal } from "#server/platform/money.ts";

/** An amount of the API in the unit in which it is counted: pico-units of the currency, or a number. */
export const countedAmount = (measure: BudgetMeasure, amount: number): bigint =>
  isMoney(measure) ? picoFromDecimal(amount) : BigInt(amount);

/** A counted amount as the API shows it. */
export const shownAmount = (measure: BudgetMeasure, amount: bigint): number =>
  isMoney(measure) ? numberFromPico(amount) : Number(amount);

const units: Readonly<Record<BudgetMeasure, string>> = {
  eur: "EUR",
  usd: "USD",
  tokens: "token",
  requests: "request",
  concurrency: "parallel request",
};

/** An amount of the API with its unit: `EUR 20`, `1 request`, `2 parallel requests`. */
export const amountText = (measure: BudgetMeasure, amount: number): string =>
  isMoney(measure) ? `${units[measure]} ${amount}` : `${amount} ${units[measure]}${amount === 1 ? "" : "s"}`;
