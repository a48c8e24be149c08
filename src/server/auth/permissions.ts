/** Every permission and which role has it: one table for the guard, the documents and the console. */
const permissionTable = {
  "inference:use": ["owner", "admin", "member"],
  "activity:read": ["owner", "admin", "member", "viewer"],
  "keys:read": ["owner", "admin", "member", "viewer"],
  "keys:write": ["owner", "admin", "member"],
  "routing:read": ["owner", "admin", "member", "viewer"],
  "routing:write": ["owner", "admin", "member"],
  "routing:delete": ["owner", "admin", "member"],
} as const satisfies Record<string, readonly Role[]>;

export type Role = "owner" | "admin" | "member" | "viewer";
export type Permission = keyof typeof permissionTable;
export const permissions = Object.keys(permissionTable) as Permission[];

export const isPermission = (text: string): text is Permission => Object.hasOwn(permissionTable, text);

const rolesHaving = (permission: Permission): readonly Role[] => permissionTable[permission];

/** What a role may do. An unknown role may do nothing. */
export const permissionsOf = (role: string): ReadonlySet<Permission> =>
  new Set(permissions.filter((permission) => rolesHaving(permission).some((allowed) => allowed === role)));
