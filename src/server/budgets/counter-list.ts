import type { BudgetCounter, BudgetCounterQuery } from "#contract/budget-counter.ts";
import { Prisma } from "#generated/prisma/client.ts";
import { type Database, type Page, readPage } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { amountsOf, periodOf } from "./budget-rows.ts";
import { findBudget, type Reader } from "./budgets.ts";

interface CounterUse {
  readonly values: string[];
  readonly used: string;
  readonly leased: string;
}

/** Returns the counters of a budget in its current period, the highest use first. */
export async function listCounters(
  { prisma }: Database,
  caller: Reader,
  { id, search, ...paging }: BudgetCounterQuery,
): Promise<Page<BudgetCounter>> {
  const row = await findBudget(prisma, caller, id);
  const { span, start } = periodOf(row, clock.nowMs());
  const found = Prisma.sql`from budget_counter join credit_balance using (account_id)
    where budget_id = ${id}::uuid and budget_counter.period_start is not distinct from ${start}::timestamptz
      and (${search ?? null}::text is null
        or position(lower(${search ?? null}::text) in lower(array_to_string(values, chr(10)))) > 0)`;
  return readPage(paging, {
    rows: ({ take, skip }) => prisma.$queryRaw<CounterUse[]>`
      select values, used_pico_eur::text as used, leased_pico_eur::text as leased ${found}
      order by used_pico_eur desc, leased_pico_eur desc, account_id limit ${take} offset ${skip}`,
    count: async () =>
      (await prisma.$queryRaw<{ count: number }[]>`select count(*)::int as count ${found}`)[0]?.count ?? 0,
    toWire: (uses) => uses.map((use) => ({ values: use.values, ...amountsOf(row, use, span) })),
  });
}
