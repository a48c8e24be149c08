import { Permission } from "#contract/permission.ts";

export type { Permission } from "#contract/permission.ts";
export type Role = "owner" | "admin" | "member" | "viewer";

/** Which role has which permission: one table for the guard, the documents and the console. */
const permissionTable: Record<Permission, readonly Role[]> = {
  "inference:use": ["owner", "admin", "member"],
  "activity:read": ["owner", "admin", "member", "viewer"],
  "keys:read": ["owner", "admin", "member", "viewer"],
  "keys:write": ["owner", "admin", "member"],
  "routing:read": ["owner", "admin", "member", "viewer"],
  "routing:write": ["owner", "admin", "member"],
  "routing:delete": ["owner", "admin", "member"],
  "audit:read": ["owner", "admin"],
};

export const permissions: Permission[] = [...Permission.options];

export const isPermission = (text: string): text is Permission => Object.hasOwn(permissionTable, text);

/** What a role may do. An unknown role may do nothing. */
export const permissionsOf = (role: string): ReadonlySet<Permission> =>
  new Set(
    permissions.filter((permission) => permissionTable[permission].some((allowed) => allowed === role)),
  );
