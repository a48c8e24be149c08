import { Role } from "#contract/permission.ts";
import type { Caller } from "./caller.ts";
import { permissions as everyPermission, type Permission, permissionsOf } from "./permissions.ts";

/** What a caller grants: a key, a role, or a code or invitation that leads to one. */
export interface Grant {
  readonly permissions: Iterable<Permission>;
  /**
   * Whether the caller's own restrictions (limit, end, models, workspace, rate) apply to it: to keys yes, to members
   * no.
   */
  readonly withBounds: boolean;
}

/** Who grants. A stored grantor is read again when the grant is used. */
export type Grantor = Pick<Caller, "permissions"> &
  ({ readonly kind: "key"; readonly hasBounds: boolean } | { readonly kind: "person" | "system" });

/**
 * The one rule of every grant: nobody grants more than they have. Returns why a grant exceeds that, or null. The
 * program itself may grant everything.
 */
export function excessOf(grantor: Grantor, { permissions, withBounds }: Grant): string | null {
  if (grantor.kind === "system") return null;
  for (const permission of permissions)
    if (!grantor.permissions.has(permission)) return `you do not have ${permission} yourself`;
  if (grantor.kind === "key" && grantor.hasBounds && !withBounds)
    return "your key is limited, and a member is not: a person has to do this";
  return null;
}

/** A role as a grant. An unknown role counts as every permission. */
export const roleGrant = (role: string): Grant => ({
  permissions: Role.safeParse(role).success ? permissionsOf(role) : everyPermission,
  withBounds: false,
});
