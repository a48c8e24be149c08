import { z } from "zod";
import { Paging, QueryBoolean, Timestamp, Uuid } from "./common.ts";
import { Exclusion } from "./exclusion.ts";
import { list } from "./list.ts";
import { AnsweredPreferences, ProviderPreferences } from "./preferences.ts";

export const RuleScope = z.enum(["user", "org", "workspace", "api_key"]);
export type RuleScope = z.infer<typeof RuleScope>;

const Name = z.string().trim().min(1, "must not be empty").max(255, "may have 255 characters at most");
const Description = z.string().max(1000, "may have 1,000 characters at most");
const ModelName = z.string().min(1).max(200);
const Models = list(ModelName)
  .min(1, "must name a model, or be left out")
  .max(20, "may name 20 models at most");

export const RoutingRule = z
  .object({
    id: Uuid,
    name: z.string(),
    description: z.string().nullable(),
    scope: RuleScope,
    user_id: z.string(),
    org_id: Uuid,
    workspace_id: Uuid.nullable(),
    api_key_id: Uuid.nullable(),
    model: z.string().nullable(),
    models: z.array(z.string()).nullable(),
    provider: AnsweredPreferences.nullable(),
    enabled: z.boolean(),
    auto_apply: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "RoutingRule" });
export type RoutingRule = z.infer<typeof RoutingRule>;

/** A word nobody knows is refused: a rule that misspells what it demands would bind nobody. */
export const RoutingRuleCreate = z.strictObject({
  name: Name,
  description: Description.nullish(),
  scope: RuleScope.optional().describe("Whom it binds: what it names, else you"),
  org_id: Uuid.nullish().describe("Yours, which it is without it too: a rule of scope `org` needs none"),
  workspace_id: Uuid.nullish(),
  api_key_id: Uuid.nullish(),
  model: ModelName.nullish().describe("A model of the catalogue, in any case; with a variant or without"),
  models: Models.nullish(),
  provider: ProviderPreferences.nullish(),
  enabled: z.boolean().default(true),
  auto_apply: z.boolean().default(true),
});
export type RoutingRuleCreate = z.infer<typeof RoutingRuleCreate>;

/** Whom a new rule binds: what it says, or else whom it names. */
export function scopeOf({
  scope,
  api_key_id,
  org_id,
}: Pick<RoutingRuleCreate, "scope" | "api_key_id" | "org_id">): RuleScope {
  if (scope) return scope;
  if (api_key_id) return "api_key";
  return org_id ? "org" : "user";
}

const immutable = new Set(["scope", "org_id", "workspace_id", "api_key_id", "user_id", "id"]);

/** Only what is sent changes; `null` clears. Who a rule belongs to is settled when it is made. */
export const RoutingRuleUpdate = z.strictObject(
  {
    id: Uuid,
    name: Name.optional(),
    description: Description.nullish(),
    model: ModelName.nullish(),
    models: Models.nullish(),
    provider: ProviderPreferences.nullish(),
    enabled: z.boolean().optional(),
    auto_apply: z.boolean().optional(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys" && issue.keys.some((key) => immutable.has(key))
        ? "cannot be changed; delete the rule and create another"
        : undefined,
  },
);
export type RoutingRuleUpdate = z.infer<typeof RoutingRuleUpdate>;

export const RoutingRuleListQuery = Paging.extend({
  include_disabled: QueryBoolean.optional(),
  enabled: QueryBoolean.optional().describe("Only those that are on, or only those that are off"),
  scope: z.enum(["all", "user", "org", "workspace", "api_key"]).optional(),
  workspace_id: Uuid.optional(),
  search: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(255, "may have 255 characters at most")
    .optional()
    .describe("A part of the name or the description, or a model"),
});
export type RoutingRuleListQuery = z.infer<typeof RoutingRuleListQuery>;

export const DryRunRequest = z.strictObject({
  rule_id: Uuid.nullish(),
  rule_name: z.string().min(1).max(255).nullish(),
  model: ModelName.nullish(),
  models: Models.nullish(),
  preference_overrides: ProviderPreferences.nullish(),
});
export type DryRunRequest = z.infer<typeof DryRunRequest>;

/** A rule as it would be created, tried before it is. */
export const DraftDryRunRequest = z.strictObject({
  rule: RoutingRuleCreate,
  /** A rule the draft takes the place of. */
  rule_id: Uuid.nullish(),
  /** One model; without it those of the draft, or all there are. */
  model: ModelName.nullish(),
});
export type DraftDryRunRequest = z.infer<typeof DraftDryRunRequest>;

export const DryRunResult = z
  .object({
    /** The named rule, else the narrowest one that applies by itself; null when none does. */
    rule_applied: z.object({ id: Uuid, name: z.string() }).nullable(),
    effective_preferences: AnsweredPreferences,
    results: z.array(
      z.object({
        model: z.string(),
        provider_count: z.number().int(),
        providers: z.array(z.string()),
        endpoints: z.array(z.string()),
        excluded: z.array(Exclusion),
        /** Why nobody is left, as a request would be told; null when somebody is. */
        reason: z.object({ code: z.string(), message: z.string() }).nullable(),
      }),
    ),
    summary: z.object({ total_models: z.number().int(), models_with_providers: z.number().int() }),
  })
  .meta({ id: "DryRunResult" });
export type DryRunResult = z.infer<typeof DryRunResult>;

const Country = z.object({ code: z.string(), name: z.string() });
const AdequateCountry = Country.extend({
  decision: z.string(),
  note: z.string().optional(),
  enabled: z.boolean(),
});

export const EuResidency = z
  .object({
    as_of: z.string(),
    eu_countries: z.array(Country),
    eea_countries: z.array(Country),
    eu_adequate_countries: z.array(AdequateCountry),
  })
  .meta({ id: "EuResidency" });
export type EuResidency = z.infer<typeof EuResidency>;
