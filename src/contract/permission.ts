import { z } from "zod";

/** What somebody is in an organisation; each may do what those after it may, and more. */
export const Role = z.enum(["owner", "admin", "member", "viewer"], {
  error: "must be owner, admin, member or viewer",
});
export type Role = z.infer<typeof Role>;

/** What a caller can be allowed to do. Which role has which stands in the server's table. */
export const Permission = z.enum([
  "inference:use",
  "activity:read",
  "keys:read",
  "keys:write",
  "routing:read",
  "routing:write",
  "routing:delete",
  "workspaces:read",
  "workspaces:write",
  "members:read",
  "members:write",
  "broadcast:read",
  "broadcast:write",
  "alerts:read",
  "alerts:write",
  "billing:write",
  "byok:read",
  "byok:write",
  "audit:read",
  "data_subjects:write",
  "organisations:write",
]);
export type Permission = z.infer<typeof Permission>;

/** What a key may do when nobody says otherwise, and all that a key issued to an app can ever do. */
export const inferencePermissions: readonly Permission[] = ["inference:use"];
