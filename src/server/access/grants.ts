import { Role } from "#contract/permission.ts";
import type { Caller } from "./caller.ts";
import { permissions as everyPermission, type Permission, permissionsOf } from "./permissions.ts";

/** What somebody hands out: a key, a role, or a code or invitation that brings one. */
export interface Grant {
  readonly permissions: Iterable<Permission>;
  /** Whether the bounds of the caller (limit, end, models, workspace, rate) go with it: keys have them, members not. */
  readonly withBounds: boolean;
}

/** Who hands out. A stored grantor is looked up anew when what it handed out is used. */
export type Grantor = Pick<Caller, "permissions"> &
  ({ readonly kind: "key"; readonly hasBounds: boolean } | { readonly kind: "person" | "system" });

/**
 * The one rule of every grant: nobody hands out more than they have. Returns why a grant is more than that, or null.
 * The program itself may grant everything.
 */
export function excessOf(grantor: Grantor, { permissions, withBounds }: Grant): string | null {
  if (grantor.kind === "system") return null;
  for (const permission of permissions)
    if (!grantor.permissions.has(permission)) return `you do not have ${permission} yourself`;
  if (grantor.kind === "key" && grantor.hasBounds && !withBounds)
    return "your key is limited, and a member is not: a person has to do this";
  return null;
}

/** A role as a grant. One that nobody knows counts as every permission. */
export const roleGrant = (role: string): Grant => ({
  permissions: Role.safeParse(role).success ? permissionsOf(role) : everyPermission,
  withBounds: false,
});
