import type { AlertSettings } from "#contract/alert-kind.ts";
import { BudgetMeasure, isMoney } from "#contract/budget.ts";
import { readColumns } from "#server/db/index.ts";
import { dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { numberFromPico } from "#server/platform/money.ts";
import { type Condition, type Evaluator, finderOf } from "../kind.ts";
import { shownMoney, shownNumber } from "../samples.ts";
import { type LimitOwner, namedLimit, watches } from "./limits.ts";

const { marginPercent, countersMax } = limits.alerts;

/** A counter of a budget, or the use of the limit of a key or workspace, in the current period. */
export interface BudgetFact {
  readonly limit_of: LimitOwner;
  /** Another one in each period. */
  readonly account_id: string;
  readonly name: string;
  readonly measure: string;
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
  const { measure } = readColumns(fact, { measure: [BudgetMeasure, "requests"] });
  const [used, amount] = [BigInt(fact.used), BigInt(fact.amount)];
  const of = fact.values.length > 0 ? ` for ${fact.values.join(", ")}` : "";
  const until = fact.ends_at ? `, until ${fact.ends_at.toISOString()}` : "";
  return {
    title: `${namedLimit(fact)}${of} reached ${threshold} %`,
    detail: `${shown(measure, used)} of ${shown(measure, amount)} used${until}`,
  };
}

export const budget: Evaluator<AlertSettings<"budget">, readonly BudgetFact[]> = {
  /** The limits that are near a threshold, the most used first. Of keys and workspaces those of today's period. */
  async read({ database }, { orgId, settings, nowMs }) {
    const lowest = (Math.min(...settings.thresholds) * (100 - marginPercent)) / 100;
    const now = dateAt(nowMs);
    return database.prisma.$queryRaw<BudgetFact[]>`
      with limited as (
        select 'key' as limit_of, id, name, limit_pico_eur, limit_reset from api_key
        where org_id = ${orgId}::uuid and not disabled and (expires_at is null or expires_at > ${now})
          and ${watches(settings, "key")}
        union all
        select 'workspace', id, name, limit_pico_eur, limit_reset from workspace
        where org_id = ${orgId}::uuid and ${watches(settings, "workspace")}
      ), facts as (
        select 'budget' as limit_of, counter.account_id::text, budget.name, budget.measure, counter.values,
          balance.used_pico_eur as used, budget.amount, counter.ends_at
        from budget
        join budget_counter as counter on counter.budget_id = budget.id
        join credit_balance as balance on balance.account_id = counter.account_id
        where budget.org_id = ${orgId}::uuid and ${watches(settings, "budget")}
          and (${settings.budget_id}::uuid is null or budget.id = ${settings.budget_id}::uuid)
          and budget.enabled and budget.period in ('hour', 'day', 'week', 'month', 'total')
          and (counter.ends_at is null or counter.ends_at > ${now})
        union all
        select limit_of, concat_ws(':', limit_of, limited.id, to_char(period_start, 'YYYY-MM-DD')), name, 'eur',
          '{}'::text[], used_pico_eur, limit_pico_eur,
          (period_start at time zone 'UTC' + ('1 ' || period)::interval) at time zone 'UTC'
        from limited join credit_balance as balance on balance.account_id = limited.id
        where period is not distinct from
            case limit_reset when 'daily' then 'day' when 'weekly' then 'week' when 'monthly' then 'month' end
          and (period is null or period_start = date_trunc(period, ${now}::timestamptz, 'UTC'))
      )
      select limit_of, account_id, name, measure, values, used::text, amount::text, ends_at from facts
      where amount > 0 and used * 100 >= amount * ${lowest}::numeric
      order by used / amount desc, account_id limit ${countersMax}`;
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
