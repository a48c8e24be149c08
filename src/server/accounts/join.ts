import type { Caller } from "#server/access/caller.ts";
import { roleGrant } from "#server/access/grants.ts";
import { permissionsOf } from "#server/access/permissions.ts";
import { record } from "#server/audit/record.ts";
import type { Tx } from "#server/db/client.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { stillMayGrant } from "./grantors.ts";
import { operatorOrganisation, ownerByOperator } from "./operator.ts";

interface NewPerson {
  readonly email: string;
  readonly name: string;
  /** Whether they have proven that the address is theirs. */
  readonly emailVerified: boolean;
  readonly passwordHash?: string;
}

/** Writes a person's account. Returns its id. */
export async function createPerson(tx: Tx, person: NewPerson): Promise<string> {
  const { email, name, emailVerified, passwordHash } = person;
  const id = uuidv7();
  await tx.user.create({ data: { id, email, name, email_verified: emailVerified } });
  if (passwordHash !== undefined) {
    await tx.account.create({
      data: { account_id: id, provider_id: "credential", user_id: id, password: passwordHash },
    });
  }
  return id;
}

/** Makes a person a member. A person who is a member already keeps their role. */
export async function joinOrganisation(
  tx: Tx,
  { userId, email }: { userId: string; email: string },
  { orgId, role, how }: { orgId: string; role: string; how: string },
): Promise<void> {
  const place = { org_id: orgId, user_id: userId };
  if ((await tx.member.count({ where: place })) > 0) return;
  await tx.member.create({ data: { ...place, role } });
  const caller: Caller = {
    kind: "person",
    ...{ orgId, userId, email, role },
    permissions: permissionsOf(role),
  };
  const subject = { type: "member", id: userId };
  await record(tx, caller, { action: "member.join", subject, after: { email, role, how } });
}

export interface OpenInvitation {
  readonly id: string;
  readonly org_id: string;
  readonly email: string;
  readonly role: string;
  readonly mailed: boolean;
  readonly invited_by: string;
  readonly maker_id: string | null;
  readonly by_operator: boolean;
}

/**
 * Whether an invitation is still valid: the inviting person or key must still be allowed to send it, and the
 * organisation must not be suspended.
 */
export async function stillHolds(
  tx: Tx,
  { org_id, invited_by: userId, maker_id: keyId, role, by_operator }: OpenInvitation,
): Promise<boolean> {
  const served = await tx.organisation.count({ where: { id: org_id, suspended_at: null } });
  if (served === 0) return false;
  const orgId = by_operator ? (await operatorOrganisation(tx))?.id : org_id;
  if (orgId === undefined) return false;
  const { permissions, withBounds } = roleGrant(role);
  const grant = { permissions: [...permissions, "members:write" as const], withBounds };
  return stillMayGrant(tx, { orgId, userId, keyId }, by_operator ? ownerByOperator : grant);
}
