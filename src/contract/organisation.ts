import { z } from "zod";
import { Timestamp, Uuid } from "./common.ts";

export const OrganisationName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(100, "may have 100 characters at most");

/** The caller's organisation. */
export const Organisation = z.object({
  id: Uuid,
  name: z.string(),
  slug: z.string(),
  plan: z.string(),
  created_at: Timestamp,
});
export type Organisation = z.infer<typeof Organisation>;

/** How long something is kept, in days; null = for good. */
export const RetentionRow = z.object({
  what: z.enum([
    "generations",
    "refusals",
    "ledger",
    "audit_log",
    "responses",
    "deliveries_done",
    "deliveries_failed",
    "idempotency",
  ]),
  days: z.number().nullable(),
  /** The setting of the installation that decides it; null where nobody chooses. */
  setting: z.string().nullable(),
});
export type RetentionRow = z.infer<typeof RetentionRow>;
