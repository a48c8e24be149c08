import { systemOf } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import { type Database, firstIdOf, type Tx } from "#server/db/index.ts";
import { pendingBytes } from "./entry.ts";
import type { SequenceDeps } from "./sequence.ts";

const beginAction = "transparency_log.add_requests";

/** Whether an organisation has more requests than those that wait for its log. */
async function hasEarlier(tx: Tx, orgId: string): Promise<boolean> {
  const [found] = await tx.$queryRaw<{ earlier: boolean }[]>`
    with waiting as (
      select coalesce(sum(length(entries)), 0) / ${pendingBytes}::int as count
      from log_pending where org_id = ${orgId}::uuid
    ), stored as (
      select from generation where org_id = ${orgId}::uuid limit (select count + 1 from waiting)
    )
    select (select count(*) from stored) > (select count from waiting) as earlier`;
  return found?.earlier ?? false;
}

/**
 * Before the first requests of an organisation are added to its log: records in its audit log, and so in the log itself,
 * that there are earlier ones, of a version without receipts. A new organisation has none.
 */
export async function beginRequests({ database, originOf }: SequenceDeps, orgId: string): Promise<void> {
  await database.prisma.log_tree.createMany({
    data: [{ org_id: orgId, origin: originOf(orgId) }],
    skipDuplicates: true,
  });
  await changeRecords(database, systemOf(orgId), beginAction, async (tx) => {
    const { count } = await tx.log_tree.updateMany({
      where: { org_id: orgId, has_requests: false },
      data: { has_requests: true },
    });
    const isNeeded = count > 0 && (await hasEarlier(tx, orgId));
    return { result: undefined, audit: isNeeded ? { id: orgId } : null };
  });
}

/**
 * The smallest ID from which on every request of an organisation must be in its log, as its audit log says up to
 * `position`.
 */
export async function firstIdLogged({ prisma }: Database, orgId: string, position: number): Promise<string> {
  const begun = await prisma.audit_entry.findFirst({
    where: { org_id: orgId, action: beginAction, position: { lte: position } },
    orderBy: { position: "asc" },
    select: { occurred_at: true },
  });
  return firstIdOf(begun?.occurred_at.getTime() ?? 0);
}
