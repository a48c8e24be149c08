import type { AlertSettings } from "#contract/alert-kind.ts";
import { BudgetMeasure, isMoney } from "#contract/budget.ts";
import { dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { numberFromPico } from "#server/platform/money.ts";
import { type Condition, type Evaluator, finderOf } from "../kind.ts";
import { shownMoney, shownNumber } from "../samples.ts";

const { marginPercent, countersMax } = limits.alerts;

/** A counter of a budget in its current period. */
export interface BudgetFact {
  /** Of the counter, which is another one in each period. */
  readonly account_id: string;
  readonly name: string;
  readonly measure: string;
  readonly period: string;
  readonly values: readonly string[];
  readonly used: string;
  readonly amount: string;
  readonly ends_at: Date | null;
}

function shown(measure: BudgetMeasure, amount: bigint): string {
  if (!isMoney(measure)) return `${shownNumber(Number(amount))} ${measure}`;
  return shownMoney(measure === "eur" ? "EUR" : "USD", numberFromPico(amount));
}

function textsOf(fact: BudgetFact, threshold: number): Omit<Condition, "subject"> {
  const measure = BudgetMeasure.parse(fact.measure);
  const [used, amount] = [BigInt(fact.used), BigInt(fact.amount)];
  const of = fact.values.length > 0 ? ` for ${fact.values.join(", ")}` : "";
  const until = fact.ends_at ? `, until ${fact.ends_at.toISOString()}` : "";
  return {
    title: `Budget “${fact.name}”${of} reached ${threshold} %`,
    detail: `${shown(measure, used)} of ${shown(measure, amount)} used${until}`,
  };
}

export const budget: Evaluator<AlertSettings<"budget">, readonly BudgetFact[]> = {
  /** The counters that are near a threshold, the most used first. */
  async read({ database }, { orgId, settings, nowMs }) {
    const lowest = (Math.min(...settings.thresholds) * (100 - marginPercent)) / 100;
    return database.prisma.$queryRaw<BudgetFact[]>`
      select counter.account_id, budget.name, budget.measure, budget.period, counter.values,
        balance.used_pico_eur::text as used, budget.amount::text as amount, counter.ends_at
      from budget
      join budget_counter as counter on counter.budget_id = budget.id
      join credit_balance as balance on balance.account_id = counter.account_id
      where budget.org_id = ${orgId}::uuid
        and (${settings.budget_id}::uuid is null or budget.id = ${settings.budget_id}::uuid)
        and budget.enabled and budget.period in ('day', 'week', 'month', 'total') and budget.amount > 0
        and (counter.ends_at is null or counter.ends_at > ${dateAt(nowMs)})
        and balance.used_pico_eur * 100 >= budget.amount * ${lowest}::numeric
      order by balance.used_pico_eur / budget.amount desc, counter.account_id
      limit ${countersMax}`;
  },
  evaluate: ({ thresholds }, facts, { open }) =>
    facts.flatMap((fact) =>
      thresholds.flatMap((threshold) => {
        const subject = `${fact.account_id}:${threshold}`;
        const percent = BigInt(threshold * (open.has(subject) ? 100 - marginPercent : 100));
        const isReached = BigInt(fact.used) * 10_000n >= BigInt(fact.amount) * percent;
        return isReached ? [{ subject, ...textsOf(fact, threshold) }] : [];
      }),
    ),
};

export const findBudgets = finderOf("budget", budget);
