import type { BudgetForecast } from "#contract/budget.ts";
import type { Database } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { shownAmount } from "./amounts.ts";
import type { BudgetIndex, BudgetSubject } from "./budget-index.ts";

/** The budgets that would count a request, those that would stop it first. Reserves nothing. */
export async function forecastBudgets(
  { prisma }: Database,
  index: BudgetIndex,
  subject: BudgetSubject,
): Promise<BudgetForecast[]> {
  const { counters } = index.match(subject, clock.nowMs());
  const accounts = await prisma.credit_balance.findMany({
    where: { account_id: { in: counters.map(({ accountId }) => accountId) } },
    select: { account_id: true, used_pico_eur: true },
  });
  const usedBy = new Map(accounts.map((row) => [row.account_id, BigInt(row.used_pico_eur.toFixed(0))]));
  return counters
    .map(({ budget: { id, name, measure, limit }, accountId, span, model: counted }) => {
      const left = limit - (usedBy.get(accountId) ?? 0n);
      const stops = left <= 0n;
      return {
        id,
        name,
        measure,
        limit: shownAmount(measure, limit),
        remaining: shownAmount(measure, stops ? 0n : left),
        resets_at: span.endsAtMs === null ? null : isoTime(span.endsAtMs),
        model: counted,
        stops,
      };
    })
    .sort((a, b) => Number(b.stops) - Number(a.stops) || (a.name < b.name ? -1 : 1));
}
