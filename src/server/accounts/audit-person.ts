import type { Caller } from "#server/access/caller.ts";
import { permissionsOf } from "#server/access/permissions.ts";
import { record } from "#server/audit/record.ts";
import type { Tx } from "#server/db/client.ts";

/**
 * Writes the audit row of a change of a person's own account to each organisation they belong to, because each must
 * see when a member changed how they sign in.
 */
export async function auditPerson(tx: Tx, userId: string, action: string): Promise<void> {
  const memberships = await tx.member.findMany({
    where: { user_id: userId },
    orderBy: { org_id: "asc" },
    select: { org_id: true, role: true, user: { select: { email: true } } },
  });
  for (const { org_id, role, user } of memberships) {
    const caller: Caller = {
      kind: "person",
      orgId: org_id,
      userId,
      email: user.email ?? "",
      role,
      permissions: permissionsOf(role),
    };
    await record(tx, caller, { action, subject: { type: "user", id: userId } });
  }
}
