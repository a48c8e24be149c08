import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";

interface AccountLease {
  readonly instanceId: string;
  readonly accountId: string;
}

/** A process asks the others to return what they do not need of an account. */
export interface Recall extends AccountLease {
  /** When it asked, by the database's clock. */
  readonly recalledAt: string;
}

/** Asks the other processes with leases. Null if what they could return would not suffice. */
async function recallLeases(
  database: Database,
  { instanceId, accountId, needed }: AccountLease & { readonly needed: bigint },
): Promise<string | null> {
  const rows = await database.prisma.$queryRaw<{ at: string }[]>`
    update credit_balance set recalled_at = clock_timestamp()
    where account_id = ${accountId}::uuid
    and granted_pico_eur - used_pico_eur - coalesce((
      select remaining_pico_eur from credit_lease
      where credit_lease.account_id = credit_balance.account_id and instance_id = ${instanceId}::uuid
    ), 0) >= ${needed.toString()}::numeric
    and exists (
      select from credit_lease where credit_lease.account_id = credit_balance.account_id
      and instance_id <> ${instanceId}::uuid and remaining_pico_eur > 0
    )
    returning recalled_at::text as at`;
  return rows[0]?.at ?? null;
}

async function isAnswered(
  database: Database,
  { instanceId, accountId, recalledAt }: Recall,
): Promise<boolean> {
  const waiting = await database.prisma.$queryRaw<unknown[]>`
    select from credit_lease where account_id = ${accountId}::uuid and instance_id <> ${instanceId}::uuid
    and remaining_pico_eur > 0 and (returned_at is null or returned_at < ${recalledAt}::timestamptz) limit 1`;
  return waiting.length === 0;
}

/**
 * Takes what other processes have leased and do not need, so that nobody is refused for it. Waits until all of them
 * have answered, at most `waitMs`: a dead process does not answer. `take` returns what it was granted.
 */
export async function takeRecalled(
  database: Database,
  { waitMs, ...asked }: AccountLease & { readonly needed: bigint; readonly waitMs: number },
  take: () => Promise<bigint>,
): Promise<bigint> {
  const recalledAt = await recallLeases(database, asked);
  // What was returned between the last request and this one.
  if (recalledAt === null) return take();
  const endMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const isLast = (await isAnswered(database, { ...asked, recalledAt })) || clock.monotonicMs() >= endMs;
    const granted = await take();
    if (granted > 0n || isLast) return granted;
    await wait(limits.credit.recallCheckMs, undefined, { ref: false });
  }
}

/** The recalls that this process has not answered. */
export async function openRecalls(database: Database, instanceId: string): Promise<readonly Recall[]> {
  const rows = await database.prisma.$queryRaw<{ account_id: string; at: string }[]>`
    select account_id, recalled_at::text as at from credit_lease join credit_balance using (account_id)
    where instance_id = ${instanceId}::uuid and recalled_at is not null
    and (returned_at is null or returned_at < recalled_at)`;
  return rows.map((row) => ({ instanceId, accountId: row.account_id, recalledAt: row.at }));
}

/** Says that this process has returned what it does not need. */
export async function answerRecall(
  database: Database,
  { instanceId, accountId, recalledAt }: Recall,
): Promise<void> {
  await database.prisma.$executeRaw`
    update credit_lease set returned_at = ${recalledAt}::timestamptz
    where instance_id = ${instanceId}::uuid and account_id = ${accountId}::uuid`;
}

/** Deletes a lease of which nothing is left. */
export async function closeLease(database: Database, { instanceId, accountId }: AccountLease): Promise<void> {
  await database.prisma.$executeRaw`
    delete from credit_lease
    where instance_id = ${instanceId}::uuid and account_id = ${accountId}::uuid and remaining_pico_eur = 0`;
}
