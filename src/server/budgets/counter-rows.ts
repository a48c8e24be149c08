import type { Database, Tx } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { CounterPlace } from "./indexed-budget.ts";

const timeOf = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/**
 * Updates the account of a counter to the limit of its budget, or creates it. `full`: the budget counts as many
 * different values in this period as it may.
 */
export async function openCounter(
  { prisma }: Database,
  { accountId, values, span, budget: { id } }: CounterPlace,
): Promise<"open" | "gone" | "full"> {
  const updated = await prisma.$executeRaw`
    update credit_balance set granted_pico_eur = budget.amount from budget
    where budget.id = ${id}::uuid and account_id = ${accountId}::uuid`;
  if (updated > 0) return "open";
  const start = timeOf(span.startMs);
  const made = await prisma.$queryRaw<{ made: boolean }[]>`
    with place as (
      select id, amount, (
        select count(*) from budget_counter
        where budget_id = budget.id and period_start is not distinct from ${start}::timestamptz
      ) < ${limits.budgets.countersMax} as is_free
      from budget where id = ${id}::uuid for share
    ), counter as (
      insert into budget_counter (account_id, budget_id, values, period_start, ends_at)
      select ${accountId}::uuid, id, ${[...values]}::text[], ${start}::timestamptz, ${timeOf(span.endsAtMs)}::timestamptz
      from place where is_free on conflict do nothing
    ), account as (
      insert into credit_balance (account_id, granted_pico_eur)
      select ${accountId}::uuid, amount from place where is_free on conflict do nothing
    )
    select is_free as made from place`;
  if (!made[0]) return "gone";
  return made[0].made ? "open" : "full";
}

/** Deletes the accounts of these counters with their leases. Accounts are locked before leases, as everywhere. */
export async function deleteAccounts(tx: Tx, accountIds: readonly string[]): Promise<void> {
  const ids = [...accountIds];
  await tx.$executeRaw`
    select account_id from credit_balance where account_id = any(${ids}::uuid[]) order by account_id for update`;
  await tx.$executeRaw`delete from credit_lease where account_id = any(${ids}::uuid[])`;
  await tx.$executeRaw`delete from credit_balance where account_id = any(${ids}::uuid[])`;
}

/** Deletes counters of periods that ended some time ago. Several processes do it at once without waiting. */
export async function deleteEnded(database: Database): Promise<void> {
  const { endedRetentionMs, sweptTogether } = limits.budgets;
  for (let count: number = sweptTogether; count === sweptTogether; ) {
    count = await database.transaction(async (tx) => {
      const ended = await tx.$queryRaw<{ account_id: string }[]>`
        select account_id from budget_counter
        where ends_at < now() - make_interval(secs => ${endedRetentionMs / 1000})
        order by account_id limit ${sweptTogether} for update skip locked`;
      const ids = ended.map(({ account_id }) => account_id);
      if (ids.length === 0) return 0;
      await deleteAccounts(tx, ids);
      await tx.budget_counter.deleteMany({ where: { account_id: { in: ids } } });
      return ids.length;
    });
  }
}
