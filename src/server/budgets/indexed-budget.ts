import type { BudgetMeasure, BudgetPeriod } from "#contract/budget.ts";
import type { Span } from "./period.ts";

/** A budget as the inference path sees it. */
export interface IndexedBudget {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly measure: BudgetMeasure;
  readonly period: BudgetPeriod;
  /** Pico-units of the currency for money, else a number. */
  readonly limit: bigint;
  /** Null values are counted separately. */
  readonly dimensions: ReadonlyMap<string, string | null>;
}

/** One counter of a budget: its period, and the values of the dimensions that are counted separately. */
export interface CounterPlace {
  readonly budget: IndexedBudget;
  readonly accountId: string;
  readonly values: readonly string[];
  readonly span: Span;
  /** The limit of the budget as headers show it. */
  readonly limitText: string;
}
