import { z } from "zod";
import { AskedTime, inOrder, Paging, Timestamp } from "./common.ts";

/** One change: who made it, to what, when and from where. Secrets are never in it. */
export const AuditLogEntry = z
  .object({
    position: z.number().int().describe("Position in the organisation's audit log, starting at 1."),
    occurred_at: Timestamp.describe("Time of the change."),
    actor_type: z.string().describe("Who made the change: `person`, `key` or `system`."),
    actor_id: z.string().nullable().describe("ID of the user or API key; null for `system`."),
    action: z.string().describe("What was done, such as `api_key.create`."),
    subject_type: z.string().describe("Type of the object that was changed, such as `api_key`."),
    subject_id: z.string().describe("ID of the object that was changed."),
    request_id: z
      .string()
      .nullable()
      .describe("ID of the request that made the change; null if it was made outside of a request."),
    ip_address: z.string().nullable().describe("IP address the request came from; null if unknown."),
    before: z.unknown().describe("Values before the change, without secrets; null if there were none."),
    after: z.unknown().describe("Values after the change, without secrets; null if there are none."),
    hash: z.string().describe("SHA-256 hash of the entry, `previous_hash` included, as base64url."),
    previous_hash: z.string().describe("Hash of the entry before; empty for the first entry."),
  })
  .meta({ id: "AuditLogEntry" });
export type AuditLogEntry = z.infer<typeof AuditLogEntry>;

const Filter = z.string().min(1).max(200);

export const AuditLogQuery = Paging.extend({
  action: Filter.describe("Only entries with this action, such as `api_key.create`.").optional(),
  actor_id: Filter.describe("Only changes made by this user or API key.").optional(),
  subject_type: Filter.describe("Only changes of this type of object, such as `api_key`.").optional(),
  subject_id: Filter.describe("Only changes of the object with this ID.").optional(),
  from: AskedTime.describe("Only changes at or after this time.").optional(),
  to: AskedTime.describe("Only changes before this time.").optional(),
}).superRefine(inOrder);
export type AuditLogQuery = z.infer<typeof AuditLogQuery>;

/** Whether the chain of an organisation's audit log holds, as far as it was looked at. */
export const AuditVerification = z.object({
  /** All there are. */
  rows: z.number().int(),
  first_checked: z.number().int(),
  /** From the first that was checked on. */
  rows_holding: z.number().int(),
  /** The first row that does not hold, and why. */
  broken: z.object({ position: z.number().int(), problem: z.string() }).nullable(),
  checked_at: Timestamp,
});
export type AuditVerification = z.infer<typeof AuditVerification>;
