import type { Permission } from "#contract/permission.ts";

/** Each permission as the end of a sentence: `A key of this role may not …`. */
export const permissionLabels: Record<Permission, string> = {
  "inference:use": "send requests to models",
  "activity:read": "see logs and usage",
  "keys:read": "see API keys",
  "keys:write": "make and change API keys",
  "routing:read": "see routing rules",
  "routing:write": "make and change routing rules",
  "routing:delete": "delete routing rules",
  "workspaces:read": "see workspaces",
  "workspaces:write": "make and change workspaces",
  "members:read": "see members",
  "members:write": "invite, change and remove members",
  "broadcast:read": "see destinations",
  "broadcast:write": "make and change destinations",
  "alerts:read": "see alerts",
  "alerts:write": "make and change alerts",
  "billing:write": "move credit and set prices",
  "byok:read": "see provider credentials",
  "byok:write": "make and change provider credentials",
  "audit:read": "read the audit log",
  "data_subjects:write": "export and erase data of persons",
  "organisations:write": "make, suspend and delete organisations",
};
