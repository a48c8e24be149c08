import type { Caller } from "#server/access/caller.ts";
import { excessOf, type Grant, type Grantor, roleGrant } from "#server/access/grants.ts";
import { isPermission, permissionsOf } from "#server/access/permissions.ts";
import type { Tx } from "#server/db/client.ts";
import { AppError } from "#server/platform/errors.ts";

/** Who granted something that is used only now. */
export interface StoredGrantor {
  readonly orgId: string;
  readonly userId: string;
  /** The key it was granted with; null if a person granted it. */
  readonly keyId: string | null;
}

interface KeyRow {
  readonly permissions: string[];
  readonly counts: boolean;
  readonly has_bounds: boolean;
}

/**
 * The effective state of a key by the database's clock: it and the keys that made it are neither disabled nor
 * expired.
 */
async function keyOf(tx: Tx, orgId: string, keyId: string): Promise<KeyRow | null> {
  const rows = await tx.$queryRaw<KeyRow[]>`
    with recursive lineage as (
      select * from api_key where id = ${keyId}::uuid and org_id = ${orgId}::uuid
      union all
      select maker.* from api_key maker join lineage on maker.id = lineage.maker_id
    )
    select (select permissions from lineage where id = ${keyId}::uuid) as permissions,
      bool_and(not disabled and (expires_at is null or expires_at > now())) as counts,
      bool_or(limit_pico_eur is not null or expires_at is not null) or bool_or(id = ${keyId}::uuid
        and (workspace_id is not null or models_restricted or requests_per_minute is not null)) as has_bounds
    from lineage having count(*) > 0`;
  return rows[0] ?? null;
}

/** The grantor's current permissions; null if they are no longer valid. */
async function grantorOf(tx: Tx, { orgId, userId, keyId }: StoredGrantor): Promise<Grantor | null> {
  const membership = await tx.member.findUnique({
    where: {
      org_id_user_id: { org_id: orgId, user_id: userId },
      disabled: false,
      org: { suspended_at: null },
    },
    select: { role: true },
  });
  if (!membership) return null;
  const permissions = permissionsOf(membership.role);
  if (keyId === null) return { kind: "person", permissions };
  const key = await keyOf(tx, orgId, keyId);
  if (!key?.counts) return null;
  const own = new Set(
    key.permissions.filter(isPermission).filter((permission) => permissions.has(permission)),
  );
  return { kind: "key", permissions: own, hasBounds: key.has_bounds };
}

/** Whether the grantor could still grant this today. */
export async function stillMayGrant(tx: Tx, stored: StoredGrantor, grant: Grant): Promise<boolean> {
  const grantor = await grantorOf(tx, stored);
  return grantor !== null && excessOf(grantor, grant) === null;
}

/** The caller in the form stored with a grant. */
export const storedGrantor = (caller: Caller): StoredGrantor => ({
  orgId: caller.orgId,
  userId: caller.userId,
  keyId: caller.kind === "key" ? caller.keyId : null,
});

/**
 * Checks that a caller grants no role beyond their own permissions and decides about nobody who has one. Checks the
 * caller's permissions at the start of the request and now, because a role may have changed in between. Throws
 * FORBIDDEN.
 */
export async function assertMayGrantRole(tx: Tx, caller: Caller, role: string): Promise<void> {
  const grant = roleGrant(role);
  const today = caller.kind === "system" ? caller : await grantorOf(tx, storedGrantor(caller));
  if (today === null) throw new AppError("FORBIDDEN", "You are not a member of this organisation");
  const excess = excessOf(caller, grant) ?? excessOf(today, grant);
  if (excess === null) return;
  throw new AppError("FORBIDDEN", `role: you cannot decide about the role ${role}: ${excess}`, {
    param: "role",
  });
}
