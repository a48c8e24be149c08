import { Role } from "#contract/permission.ts";
import type { Caller } from "#server/auth/caller.ts";
import { permissionsOf } from "#server/auth/permissions.ts";
import type { Tx } from "#server/db/client.ts";
import { AppError } from "#server/platform/errors.ts";

const order: readonly string[] = Role.options;

/** Whether a role is the wanted one or stands before it in the table; an unknown one never is. */
function reaches(own: string, wanted: string): boolean {
  const place = order.indexOf(own);
  return place !== -1 && place <= Math.max(order.indexOf(wanted), 0);
}

/** What the person behind a caller is in the organisation they act for; a key is no more than its owner. */
async function roleOf(tx: Tx, caller: Caller): Promise<string> {
  if (caller.kind === "system") return "owner";
  const membership = await tx.member.findUnique({
    where: { org_id_user_id: { org_id: caller.orgId, user_id: caller.userId }, disabled: false },
    select: { role: true },
  });
  if (!membership) throw new AppError("FORBIDDEN", "You are not a member of this organisation");
  return membership.role;
}

/** Whether somebody may, today, hand out a role. */
export async function mayGrant(tx: Tx, orgId: string, userId: string, role: string): Promise<boolean> {
  const membership = await tx.member.findUnique({
    where: { org_id_user_id: { org_id: orgId, user_id: userId }, disabled: false },
    select: { role: true },
  });
  return (
    membership !== null &&
    permissionsOf(membership.role).has("members:write") &&
    reaches(membership.role, role)
  );
}

/** Nobody hands out a role above their own, or decides about somebody who has one. Throws FORBIDDEN. */
export async function demandRank(tx: Tx, caller: Caller, role: string): Promise<void> {
  if (reaches(await roleOf(tx, caller), role)) return;
  throw new AppError("FORBIDDEN", `role: only an ${role} can decide about an ${role}`, { param: "role" });
}

/** Changes of who belongs to an organisation happen one after the other, so that its last owner is found. */
export async function lockMembers(tx: Tx, orgId: string): Promise<void> {
  await tx.$queryRaw`select id from organisation where id = ${orgId}::uuid for update`;
}

/** To be asked after the change, under the lock. Throws CONFLICT when nobody is left who may do everything. */
export async function demandOwner(tx: Tx, orgId: string): Promise<void> {
  const owners = await tx.member.count({ where: { org_id: orgId, role: "owner", disabled: false } });
  if (owners > 0) return;
  throw new AppError("CONFLICT", "The organisation would have no owner left; make somebody else owner first");
}
