import type { Tx } from "#server/db/client.ts";
import { AppError } from "#server/platform/errors.ts";

/** Changes of who belongs to an organisation happen one after the other, so that its last owner is found. */
export async function lockMembers(tx: Tx, orgId: string): Promise<void> {
  await tx.$queryRaw`select id from organisation where id = ${orgId}::uuid for update`;
}

/** To be asked after the change, under the lock. Throws CONFLICT when nobody is left who may do everything. */
export async function assertOwnerLeft(tx: Tx, orgId: string): Promise<void> {
  const owners = await tx.member.count({ where: { org_id: orgId, role: "owner", disabled: false } });
  if (owners > 0) return;
  throw new AppError("CONFLICT", "The organisation would have no owner left; make somebody else owner first");
}
