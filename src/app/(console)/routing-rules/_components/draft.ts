import type { ProviderPreferences } from "#contract/preferences.ts";
import type { RoutingRule, RoutingRuleCreate, RuleScope } from "#contract/routing-rule.ts";

/** A rule as the form holds it: no field is missing, and only what is not chosen is `null`. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly scope: RuleScope;
  /** The workspace of the scope `workspace`; with another scope the workspace the rule is limited to, if any. */
  readonly workspace_id: string | null;
  readonly api_key_id: string | null;
  readonly models: readonly string[];
  readonly provider: ProviderPreferences;
  readonly enabled: boolean;
  readonly auto_apply: boolean;
}

export const newDraft: Draft = {
  name: "",
  description: "",
  scope: "org",
  workspace_id: null,
  api_key_id: null,
  models: [],
  provider: {},
  enabled: true,
  auto_apply: true,
};

export const modelsOf = ({ model, models }: Pick<RoutingRule, "model" | "models">): string[] => [
  ...new Set([...(model ? [model] : []), ...(models ?? [])]),
];

export const draftOf = (rule: RoutingRule): Draft => ({
  name: rule.name,
  description: rule.description ?? "",
  scope: rule.scope,
  workspace_id: rule.workspace_id,
  api_key_id: rule.api_key_id,
  models: modelsOf(rule),
  provider: rule.provider ?? {},
  enabled: rule.enabled,
  auto_apply: rule.auto_apply,
});

/** Without empty fields, so that an empty form is an empty object. */
export const cleaned = (provider: ProviderPreferences): ProviderPreferences =>
  Object.fromEntries(
    Object.entries(provider).filter(
      ([, value]) => value != null && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );

/** What may be changed of a stored rule. */
export const changeOf = ({ name, description, models, provider, enabled, auto_apply }: Draft) => ({
  name: name.trim(),
  description: description.trim() || null,
  model: null,
  models: models.length > 0 ? [...models] : null,
  provider: cleaned(provider),
  enabled,
  auto_apply,
});

/** The draft as the server creates or tries it. */
export const createOf = (draft: Draft): RoutingRuleCreate => ({
  ...changeOf(draft),
  scope: draft.scope,
  workspace_id: draft.workspace_id,
  api_key_id: draft.scope === "api_key" ? draft.api_key_id : null,
});

/** Whether it is chosen what the rule applies to. */
export const hasScope = ({ scope, workspace_id, api_key_id }: Draft): boolean =>
  (scope !== "workspace" || workspace_id !== null) && (scope !== "api_key" || api_key_id !== null);
