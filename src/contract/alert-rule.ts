import { z } from "zod";
import { AlertSearch } from "./alert-channel.ts";
import { AlertKind, AlertScope } from "./alert-kind.ts";
import { alertKindTexts } from "./alert-texts.ts";
import { answered } from "./answered.ts";
import { AnyJson, recordOf } from "./bounded.ts";
import { AskedTime, orList, Paging, Timestamp, Uuid } from "./common.ts";
import { list } from "./list.ts";

const Name = z.string().trim().min(1, "must not be empty").max(100, "may have 100 characters at most");
const Settings = recordOf(AnyJson, { max: 20 });
const Channels = list(Uuid)
  .max(10, "may have 10 channels at most")
  .refine((ids) => new Set(ids).size === ids.length, "must not name a channel twice");
const mutedUntil =
  "No new alert is sent before this time; null to send all. What is still open then is sent. What was sent is resolved in any case.";

export const AlertRule = z
  .object({
    id: Uuid.describe("ID of the rule."),
    name: z.string().describe("Name of the rule, which notifications contain."),
    kind: AlertKind.describe("What is watched; `GET /alert-kinds` describes the kinds."),
    scope: AlertScope.describe(
      "`organisation` watches your organisation; `installation` all organisations, for its operator.",
    ),
    settings: answered(Settings).describe("Settings of the kind, complete."),
    channel_ids: z.array(Uuid).describe("IDs of the channels that are notified."),
    enabled: z.boolean().describe("Whether the rule is evaluated. A disabled rule resolves what is open."),
    muted_until: Timestamp.nullable().describe(mutedUntil),
    open_incidents: z.number().int().describe("Number of incidents that are open now."),
    problem: z
      .string()
      .nullable()
      .describe("Why the stored rule cannot be read, so that it is not evaluated; null if it can be read."),
    created_at: Timestamp.describe("Time the rule was created."),
    updated_at: Timestamp.describe("Time the rule was last changed."),
  })
  .meta({ id: "AlertRule" });
export type AlertRule = z.infer<typeof AlertRule>;

export const AlertRuleCreate = z
  .strictObject({
    name: Name.describe("Name of the rule, unique in the organisation."),
    kind: AlertKind.describe("What to watch. It cannot be changed later."),
    scope: AlertScope.default("organisation").describe(
      "`installation` watches all organisations; only for the operator of the installation.",
    ),
    settings: Settings.default({}).describe(
      "Settings of the kind, as its `settings_schema` describes them. Omitted ones have their default.",
    ),
    channel_ids: Channels.default([]).describe(
      "IDs of the channels to notify, 10 at most. Without one, incidents appear in the history only.",
    ),
    enabled: z.boolean().default(true).describe("Whether the rule is evaluated."),
    muted_until: AskedTime.nullish().describe(mutedUntil),
  })
  .superRefine(({ kind, scope }, { addIssue }) => {
    const scopes: readonly AlertScope[] = alertKindTexts[kind].scopes;
    if (!scopes.includes(scope))
      addIssue({ code: "custom", path: ["scope"], message: `must be ${orList(scopes)} for ${kind}` });
  });
export type AlertRuleCreate = z.infer<typeof AlertRuleCreate>;

/** Only what is sent changes. */
export const AlertRuleUpdate = z.strictObject({
  id: Uuid.describe("ID of the rule."),
  name: Name.optional().describe("New name, unique in the organisation."),
  settings: Settings.optional().describe("Settings to change; omitted ones stay."),
  channel_ids: Channels.optional().describe("IDs of the channels to notify, instead of the present ones."),
  enabled: z.boolean().optional().describe("Whether the rule is evaluated."),
  muted_until: AskedTime.nullish().describe(mutedUntil),
});
export type AlertRuleUpdate = z.infer<typeof AlertRuleUpdate>;

export const AlertRuleListQuery = Paging.extend({
  search: AlertSearch.describe("Text to find in the name.").optional(),
  kind: AlertKind.describe("Return only rules of this kind.").optional(),
});
export type AlertRuleListQuery = z.infer<typeof AlertRuleListQuery>;
