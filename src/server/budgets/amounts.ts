import { type BudgetMeasure, isMoney } from "#contract/budget.ts";
import { numberFromPico, picoFromDecimal } from "#server/platform/money.ts";

/** An amount of the API in the unit in which it is counted: pico-units of the currency, or a number. */
export const countedAmount = (measure: BudgetMeasure, amount: number): bigint =>
  isMoney(measure) ? picoFromDecimal(amount) : BigInt(amount);

/** A counted amount as the API shows it. */
export const shownAmount = (measure: BudgetMeasure, amount: bigint): number =>
  isMoney(measure) ? numberFromPico(amount) : Number(amount);
