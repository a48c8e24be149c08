import { isMoney } from "#contract/budget.ts";
import type { Counter } from "#server/billing/index.ts";
import type { BudgetCounterRow, Database } from "#server/db/index.ts";
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
export class BudgetCounter implements Counter, CounterPlace {
  readonly budget: IndexedBudget;
  readonly accountId: string;
  readonly values: readonly string[];
  readonly span: Span;
  /** What the record of a generation contains. */
  readonly row: BudgetCounterRow;

  constructor(budget: IndexedBudget, { values, model, nowMs }: CounterOf) {
    this.budget = budget;
    this.values = values;
    this.span = spanAt(budget.period, nowMs);
    this.accountId = uuidv5(budget.id, `${this.span.startMs}\n${values.join("\n")}`);
    this.row = { account_id: this.accountId, measure: budget.measure, model };
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
