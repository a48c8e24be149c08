import { z } from "zod";
import { AlertSearch } from "./alert-channel.ts";
import { AlertKind } from "./alert-kind.ts";
import { AskedTime, Paging, Timestamp, Uuid } from "./common.ts";

/** What a notification says about its incident. */
export const AlertEvent = z.enum(["opened", "resolved"]);
export type AlertEvent = z.infer<typeof AlertEvent>;

/** Why an incident is resolved. */
export const AlertResolution = z.enum(["ended", "rule_disabled", "rule_deleted"]);
export type AlertResolution = z.infer<typeof AlertResolution>;

export const AlertNotification = z
  .object({
    id: Uuid.describe("ID of the notification: the `webhook-id` of every attempt."),
    channel_id: Uuid.describe("ID of the channel."),
    channel_name: z.string().describe("Name of the channel."),
    event: AlertEvent.describe("What it says about the incident."),
    status: z
      .enum(["pending", "sent", "failed"])
      .describe("`pending` until the receiver accepts it; `failed` if it was given up."),
    attempts: z.number().int().describe("Number of attempts so far."),
    last_error: z.string().nullable().describe("Why the last attempt failed; null if it did not."),
    sent_at: Timestamp.nullable().describe("Time the receiver accepted it; null before."),
  })
  .meta({ id: "AlertNotification" });
export type AlertNotification = z.infer<typeof AlertNotification>;

const mutedUntil =
  "The rule sends no new alert about this subject before this time; null if the subject is not muted. What is still " +
  "open then is sent. What was sent is resolved in any case.";

export const AlertIncident = z
  .object({
    id: Uuid.describe("ID of the incident."),
    rule_id: Uuid.describe("ID of the rule."),
    rule_name: z.string().describe("Name of the rule when the incident opened."),
    rule_deleted: z.boolean().describe("Whether the rule was deleted."),
    kind: AlertKind.describe("What the rule watches."),
    subject: z.string().describe("What it is about, the same for every incident about the same thing."),
    title: z.string().describe("The incident in one sentence."),
    detail: z.string().describe("The figures when it opened."),
    state: z.enum(["open", "resolved"]).describe("Whether it is still open."),
    opened_at: Timestamp.describe("Time it was found."),
    resolved_at: Timestamp.nullable().describe("Time it was resolved; null while it is open."),
    resolution: AlertResolution.nullable().describe(
      "Why it is resolved: its condition ended, or the rule was disabled or deleted; null while it is open.",
    ),
    muted: z.boolean().describe("Whether nothing was sent because the rule or this subject was muted."),
    muted_until: Timestamp.nullable().describe(mutedUntil),
    problem: z
      .string()
      .nullable()
      .describe("Why a part of the stored incident cannot be read; null if it can be read."),
    notifications: z.array(AlertNotification).describe("What was sent to which channel, oldest first."),
  })
  .meta({ id: "AlertIncident" });
export type AlertIncident = z.infer<typeof AlertIncident>;

export const AlertIncidentUpdate = z.strictObject({
  id: Uuid.describe("ID of the incident."),
  muted_until: AskedTime.nullable().describe(mutedUntil),
});
export type AlertIncidentUpdate = z.infer<typeof AlertIncidentUpdate>;

export const AlertIncidentListQuery = Paging.extend({
  rule_id: Uuid.describe("Return only incidents of this rule.").optional(),
  kind: AlertKind.describe("Return only incidents of rules of this kind.").optional(),
  state: z
    .enum(["open", "resolved"], { error: "must be open or resolved" })
    .describe("Return only incidents in this state.")
    .optional(),
  search: AlertSearch.describe("Text to find in the title.").optional(),
});
export type AlertIncidentListQuery = z.infer<typeof AlertIncidentListQuery>;
