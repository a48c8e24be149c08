import { Permission, Role } from "#contract/permission.ts";

export type { Permission, Role } from "#contract/permission.ts";

/** Which role has which permission: one table for the server, the documents and the console. */
const permissionTable: Record<Permission, readonly Role[]> = {
  "inference:use": ["owner", "admin", "member"],
  "activity:read": ["owner", "admin", "member", "viewer"],
  "keys:read": ["owner", "admin", "member", "viewer"],
  "keys:write": ["owner", "admin", "member"],
  "routing:read": ["owner", "admin", "member", "viewer"],
  "routing:write": ["owner", "admin", "member"],
  "routing:delete": ["owner", "admin", "member"],
  "workspaces:read": ["owner", "admin", "member", "viewer"],
  "workspaces:write": ["owner", "admin"],
  "members:read": ["owner", "admin", "member", "viewer"],
  "members:write": ["owner", "admin"],
  "broadcast:read": ["owner", "admin", "member", "viewer"],
  "broadcast:write": ["owner", "admin"],
  "alerts:read": ["owner", "admin", "member", "viewer"],
  "alerts:write": ["owner", "admin"],
  // One permission for everything that changes credit or prices, because the effects are the same. Only callers of
  // the organisation that runs the installation may use it (`authorizeOperator`).
  "billing:write": ["owner"],
  "byok:read": ["owner", "admin"],
  "byok:write": ["owner", "admin"],
  "audit:read": ["owner", "admin"],
  // It reads prompts and answers of everybody in the organisation, and erases them.
  "data_subjects:write": ["owner"],
  // Only for the organisation that runs the installation (`authorizeOperator`).
  "organisations:write": ["owner"],
};

export const permissions: Permission[] = [...Permission.options];

export const isPermission = (text: string): text is Permission => Object.hasOwn(permissionTable, text);

const byRole: ReadonlyMap<string, ReadonlySet<Permission>> = new Map(
  Role.options.map((role) => [
    role,
    new Set(permissions.filter((permission) => permissionTable[permission].includes(role))),
  ]),
);
const nothing: ReadonlySet<Permission> = new Set();

/** What a role may do. An unknown role may do nothing. */
export const permissionsOf = (role: string): ReadonlySet<Permission> => byRole.get(role) ?? nothing;
