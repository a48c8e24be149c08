import { z } from "zod";

/** What a caller can be allowed to do. Which role has which stands in the server's table. */
export const Permission = z.enum([
  "inference:use",
  "activity:read",
  "keys:read",
  "keys:write",
  "routing:read",
  "routing:write",
  "routing:delete",
  "audit:read",
]);
export type Permission = z.infer<typeof Permission>;

/** What a key may do when nobody says otherwise, and all that a key issued to an app can ever do. */
export const inferencePermissions: readonly Permission[] = ["inference:use"];
