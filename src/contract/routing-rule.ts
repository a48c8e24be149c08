import { z } from "zod";
import { Paging, QueryBoolean, Timestamp, Uuid } from "./common.ts";
import { Metadata } from "./completions.ts";
import { EndpointWords } from "./endpoint-words.ts";
import { Exclusion } from "./exclusion.ts";
import { list } from "./list.ts";
import { mediaModalities } from "./modalities.ts";
import { FieldLimit, ParameterChanges } from "./parameter-changes.ts";
import { AnsweredPreferences, ProviderPreferences } from "./preferences.ts";
import { PresetReference } from "./preset-reference.ts";

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
    id: Uuid.describe("Unique ID of the rule."),
    name: z.string().describe("Name of the rule."),
    description: z.string().nullable().describe("Description of the rule; null if there is none."),
    scope: RuleScope.describe(
      "Whose requests the rule applies to: one user, the organisation, a workspace or an API key.",
    ),
    user_id: z
      .string()
      .describe("ID of the user who created the rule; with scope `user` it applies to their requests."),
    org_id: Uuid.describe("ID of the organisation the rule belongs to."),
    workspace_id: Uuid.nullable().describe(
      "ID of the workspace to whose requests the rule is limited; null if it is not limited to one.",
    ),
    api_key_id: Uuid.nullable().describe(
      "ID of the API key the rule applies to; null unless the scope is `api_key`.",
    ),
    model: z
      .string()
      .nullable()
      .describe("Model the rule applies to, besides those in `models`. If both are null, all models."),
    models: z
      .array(z.string())
      .nullable()
      .describe("Models the rule applies to, besides the one in `model`. If both are null, all models."),
    provider: AnsweredPreferences.nullable().describe(
      "Provider preferences that the rule sets; null if it sets none.",
    ),
    enabled: z.boolean().describe("Whether the rule is in effect."),
    auto_apply: z
      .boolean()
      .describe(
        "Whether the rule applies to every matching request. If false, it applies only to requests that name it.",
      ),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why the stored preferences cannot be read; the rule then excludes every endpoint until it is corrected. Null if they can be read.",
      ),
    created_at: Timestamp.describe("Time the rule was created."),
    updated_at: Timestamp.describe("Time the rule was last changed."),
  })
  .meta({ id: "RoutingRule" });
export type RoutingRule = z.infer<typeof RoutingRule>;

/** A word nobody knows is refused: a rule that misspells a requirement would bind nobody. */
export const RoutingRuleCreate = z.strictObject({
  name: Name.describe("Name of the rule, 1 to 255 characters."),
  description: Description.nullish().describe("Description of the rule, at most 1,000 characters."),
  scope: RuleScope.optional().describe(
    "Whose requests the rule applies to. If omitted: `api_key` if `api_key_id` is set, else `org` if `org_id` is set, else `user`.",
  ),
  org_id: Uuid.nullish().describe(
    "ID of your organisation. Not required: a rule always belongs to the organisation of the caller.",
  ),
  workspace_id: Uuid.nullish().describe(
    "ID of the workspace to whose requests the rule is limited, required for scope `workspace`. Defaults to the workspace of the calling API key, if it has one.",
  ),
  api_key_id: Uuid.nullish().describe(
    "ID of the API key the rule applies to. Required for scope `api_key`; ignored for any other.",
  ),
  model: ModelName.nullish().describe(
    "Model the rule applies to, with or without a variant; upper and lower case are not distinguished.",
  ),
  models: Models.nullish().describe(
    "Models the rule applies to, 1 to 20. Without `model` and `models` the rule applies to all models.",
  ),
  provider: ProviderPreferences.nullish().describe("Provider preferences that the rule sets."),
  enabled: z.boolean().default(true).describe("Whether the rule is in effect."),
  auto_apply: z
    .boolean()
    .default(true)
    .describe(
      "Whether the rule applies to every matching request. If false, it applies only to requests that name it.",
    ),
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

/** Only what is sent changes; `null` clears. Who a rule belongs to cannot change after creation. */
export const RoutingRuleUpdate = z.strictObject(
  {
    id: Uuid.describe("ID of the rule."),
    name: Name.optional().describe("New name, 1 to 255 characters."),
    description: Description.nullish().describe(
      "New description, at most 1,000 characters; null removes it.",
    ),
    model: ModelName.nullish().describe(
      "Model the rule applies to, with or without a variant; null removes it.",
    ),
    models: Models.nullish().describe("Models the rule applies to, 1 to 20; null removes them all."),
    provider: ProviderPreferences.nullish().describe(
      "Provider preferences that replace the existing ones as a whole; null removes them.",
    ),
    enabled: z.boolean().optional().describe("Whether the rule is in effect."),
    auto_apply: z
      .boolean()
      .optional()
      .describe(
        "Whether the rule applies to every matching request. If false, it applies only to requests that name it.",
      ),
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
  include_disabled: QueryBoolean.describe(
    "Whether to include disabled rules, false if omitted. Has no effect when `enabled` is set.",
  ).optional(),
  enabled: QueryBoolean.describe(
    "Return only enabled rules (`true`) or only disabled rules (`false`).",
  ).optional(),
  scope: z
    .enum(["all", "user", "org", "workspace", "api_key"])
    .describe("Return only rules of this scope, or rules of every scope with `all`, the default.")
    .optional(),
  workspace_id: Uuid.describe(
    "ID of a workspace. Returns only rules that are limited to it or to no workspace.",
  ).optional(),
  search: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(255, "may have 255 characters at most")
    .describe("Text to find in the name, the description or `model`, or the exact ID of a model in `models`.")
    .optional(),
});
export type RoutingRuleListQuery = z.infer<typeof RoutingRuleListQuery>;

const ParameterNames = list(z.string().max(64)).max(64);

const Modalities = list(z.enum(mediaModalities)).max(mediaModalities.length);

export const DryRunRequest = z.strictObject({
  rule_id: Uuid.nullish().describe("ID of a rule to apply in addition, which may be disabled."),
  user: ModelName.nullish().describe("The end user of the request, for budgets that count end users."),
  metadata: Metadata.nullish().describe("`metadata` of the request, for budgets that count by its keys."),
  rule_name: z
    .string()
    .min(1)
    .max(255)
    .nullish()
    .describe("Name of a rule to apply in addition, which may be disabled; `rule_id` takes precedence."),
  preset: PresetReference.nullish().describe(
    "Preset whose models, provider preferences and parameters apply as to a request: its name, or `name@3` for a fixed version.",
  ),
  model: ModelName.nullish().describe(
    "Model to route, or `@preset/name`. Without `model` and `models`: the models of the preset or of the named rule, else all models of the catalogue.",
  ),
  models: Models.nullish().describe("Models to route, 1 to 20."),
  preference_overrides: ProviderPreferences.nullish().describe(
    "Provider preferences as a request would send them in `provider`.",
  ),
  input_modalities: Modalities.nullish().describe(
    "Content of the request besides text; models that do not accept it are excluded.",
  ),
  output_modalities: Modalities.nullish().describe(
    "Content of the answer besides text; models that do not give it are excluded.",
  ),
  parameters: ParameterNames.nullish().describe(
    "Names of fields that the requests set, such as `tools` or `seed`, at most 64. Endpoints that cannot serve them are excluded, and `parameter_changes` lists what would not be sent as it is.",
  ),
});
export type DryRunRequest = z.infer<typeof DryRunRequest>;

/** A rule as it would be created, tried before it is. */
export const DraftDryRunRequest = z.strictObject({
  rule: RoutingRuleCreate,
  /** A rule the draft takes the place of. */
  rule_id: Uuid.nullish(),
  /** One model; without it those of the draft, or all there are. */
  model: ModelName.nullish(),
  /** Content of the request besides text. */
  input_modalities: Modalities.nullish(),
  /** Names of fields that the request sets. */
  parameters: ParameterNames.nullish(),
});
export type DraftDryRunRequest = z.infer<typeof DraftDryRunRequest>;

export const DryRunResult = z
  .object({
    rule_applied: z
      .object({ id: Uuid.describe("ID of the rule."), name: z.string().describe("Name of the rule.") })
      .nullable()
      .describe(
        "The rule named in the request, else the rule with the narrowest scope that applies; null if none applies.",
      ),
    effective_preferences: AnsweredPreferences,
    results: z
      .array(
        z.object({
          model: z.string().describe("Model as it was requested."),
          provider_count: z
            .number()
            .int()
            .describe("Number of providers that would be allowed to serve the model."),
          providers: z
            .array(z.string())
            .describe("Slugs of the providers that could serve the model, in the order they would be tried."),
          endpoints: z
            .array(z.string())
            .describe("IDs of the endpoints that could serve the model, in the order they would be tried."),
          order: z
            .string()
            .nullable()
            .describe("How the endpoints are ordered, in words; null if the catalogue has no such model."),
          excluded: z.array(Exclusion).describe("Endpoints that could not be used, with the reasons."),
          facts: z
            .array(EndpointWords.extend({ endpoint: z.string().describe("ID of the endpoint.") }))
            .describe("Country, retention and price of each endpoint, also of the excluded ones."),
          parameter_changes: z
            .array(
              ParameterChanges.pick({ dropped: true, translated: true }).extend({
                limited: z
                  .array(FieldLimit)
                  .describe(
                    "Fields that are sent only with some values, or with others than the request has.",
                  ),
                endpoint: z.string().describe("ID of the endpoint."),
              }),
            )
            .describe(
              "What would happen to the fields in `parameters`, by endpoint; without changes it is left out.",
            ),
          reason: z
            .object({
              code: z
                .string()
                .describe(
                  "`model_not_found`: the catalogue has no such model; `no_endpoints`: nothing serves it; `constraint_filtered`: every endpoint is excluded.",
                ),
              message: z.string().describe("Explanation of the code in words."),
            })
            .nullable()
            .describe("Why no endpoint is left for the model; null if there is one."),
        }),
      )
      .describe("Result for each model."),
    summary: z
      .object({
        total_models: z.number().int().describe("Number of models in `results`."),
        models_with_providers: z
          .number()
          .int()
          .describe("Number of those models that a provider could serve."),
      })
      .describe("Totals over all results."),
  })
  .meta({ id: "DryRunResult" });
export type DryRunResult = z.infer<typeof DryRunResult>;
