import { z } from "zod";
import { AskedTime, inOrder, Paging, Timestamp } from "./common.ts";

/** One change: who made it, to what, when and from where. Secrets are never in it. */
export const AuditLogEntry = z
  .object({
    /** Position in the organisation's chain, from 1. */
    position: z.number().int(),
    occurred_at: Timestamp,
    actor_type: z.string(),
    actor_id: z.string().nullable(),
    action: z.string(),
    subject_type: z.string(),
    subject_id: z.string(),
    request_id: z.string().nullable(),
    ip_address: z.string().nullable(),
    before: z.unknown(),
    after: z.unknown(),
    hash: z.string(),
    previous_hash: z.string(),
  })
  .meta({ id: "AuditLogEntry" });
export type AuditLogEntry = z.infer<typeof AuditLogEntry>;

const Filter = z.string().min(1).max(200);

export const AuditLogQuery = Paging.extend({
  action: Filter.optional(),
  actor_id: Filter.optional(),
  subject_type: Filter.optional(),
  subject_id: Filter.optional(),
  /** From this time on. */
  from: AskedTime.optional(),
  /** Up to and without this time. */
  to: AskedTime.optional(),
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
