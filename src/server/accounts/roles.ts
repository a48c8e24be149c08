import type { Tx } from "#server/db/client.ts";
import { AppError } from "#server/platform/errors.ts";

/** Locks the members of an organisation, so that concurrent changes cannot remove its last owner. */
export async function lockMembers(tx: Tx, orgId: string): Promise<void> {
  await tx.$queryRaw`select id from organisation where id = ${orgId}::uuid for update`;
}

/** Call it after the change, under the lock. Throws CONFLICT if no active owner is left. */
export async function assertOwnerLeft(tx: Tx, orgId: string): Promise<void> {
  const owners = await tx.member.count({ where: { org_id: orgId, role: "owner", disabled: false } });
  if (owners > 0) return;
  throw new AppError("CONFLICT", "The organisation would have no owner left; make somebody else owner first");
}
