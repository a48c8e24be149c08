import { type BudgetMeasure, isMoney } from "#contract/budget.ts";
import type { Counter, CounterOfRecord, LeasedCounter } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import type { AppError } from "#server/platform/errors.ts";
import { uuidv5 } from "#server/platform/ids.ts";
import { moneyRefusal, rateRefusal, tooManyValues } from "./budget-errors.ts";
import { openCounter } from "./counter-rows.ts";
import type { CounterPlace, IndexedBudget } from "./indexed-budget.ts";
import { type Span, spanAt } from "./period.ts";

interface CounterOf {
  /** The values of the dimensions that are counted separately. */
  readonly values: readonly string[];
  readonly model: string | null;
  readonly nowMs: number;
}

/** What one budget counts in one period for one combination of values. */
export class BudgetCounter implements Counter, CounterOfRecord, CounterPlace, LeasedCounter {
  readonly budget: IndexedBudget;
  readonly accountId: string;
  readonly values: readonly string[];
  readonly span: Span;
  readonly measure: BudgetMeasure;
  /** The model that it counts alone; null for every model. */
  readonly model: string | null;
  readonly limitText: string;
  readonly holder: LeasedCounter["holder"];

  constructor(budget: IndexedBudget, { values, model, nowMs }: CounterOf) {
    this.budget = budget;
    this.values = values;
    this.span = spanAt(budget.period, nowMs);
    this.accountId = uuidv5(budget.id, `${this.span.startMs}\n${values.join("\n")}`);
    this.measure = budget.measure;
    this.model = model;
    this.limitText = String(budget.limit);
    this.holder = { owner: "budget", limit: budget.limit, counter: this };
  }

  isAt(nowMs: number): boolean {
    const { startMs, endsAtMs } = this.span;
    return (startMs === null || startMs <= nowMs) && (endsAtMs === null || nowMs < endsAtMs);
  }

  open(database: Database): ReturnType<typeof openCounter> {
    return openCounter(database, this);
  }

  tooMany(): AppError {
    return tooManyValues(this.budget);
  }

  refuse(needed: bigint, available: bigint): AppError {
    return (isMoney(this.budget.measure) ? moneyRefusal : rateRefusal)(this, needed, available);
  }
}
