import type { Caller } from "#server/access/caller.ts";
import { type Suspension, suspensionColumns, suspensionOf } from "#server/access/suspension.ts";
import type { Database, Tx } from "#server/db/client.ts";

export interface Membership {
  readonly orgId: string;
  readonly orgName: string;
  readonly role: string;
  /** Null if the organisation is not suspended. */
  readonly suspension: Suspension | null;
}

/** Returns the organisations a person belongs to, in the order they joined. */
export async function membershipsOf(database: Database, userId: string): Promise<Membership[]> {
  const rows = await database.prisma.member.findMany({
    where: { user_id: userId, disabled: false },
    orderBy: [{ created_at: "asc" }, { id: "asc" }],
    select: { role: true, org: { select: { id: true, name: true, ...suspensionColumns } } },
  });
  return rows.map(({ role, org }) => ({
    orgId: org.id,
    orgName: org.name,
    role,
    suspension: suspensionOf(org),
  }));
}

const administrators = new Set(["owner", "admin"]);

/** Whether the person behind a caller may decide for others. Their membership decides, not the key they use. */
export async function isAdministrator(tx: Tx, caller: Caller): Promise<boolean> {
  if (caller.kind === "system") return true;
  const membership = await tx.member.findUnique({
    where: { org_id_user_id: { org_id: caller.orgId, user_id: caller.userId }, disabled: false },
    select: { role: true },
  });
  return membership !== null && administrators.has(membership.role);
}
