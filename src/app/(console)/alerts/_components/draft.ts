import { type FieldErrors, fieldErrorsOf } from "#app/_lib/field-errors.ts";
import { recordOf } from "#app/_lib/json.ts";
import { type AlertKind, type AlertScope, settingsSchemaOf } from "#contract/alert-kind.ts";
import { type AlertRule, AlertRuleCreate } from "#contract/alert-rule.ts";
import { mutedFor, scopesOf } from "./alert-text.ts";
import { settingsOf, type TypedSettings, typedByDefault, typedOf } from "./settings-schema.ts";

/** A rule as the form holds it. */
export interface RuleDraft {
  readonly name: string;
  readonly kind: AlertKind;
  readonly scope: AlertScope;
  readonly settings: TypedSettings;
  readonly channelIds: readonly string[];
  /** Empty: not muted. A number of hours from when it is saved, or a time. */
  readonly muted: string;
}

export const newDraft: RuleDraft = {
  name: "",
  kind: "budget",
  scope: "organisation",
  settings: typedByDefault("budget"),
  channelIds: [],
  muted: "",
};

export const draftOf = (rule: AlertRule): RuleDraft => ({
  name: rule.name,
  kind: rule.kind,
  scope: rule.scope,
  settings: typedOf(rule.kind, recordOf(rule.settings)),
  channelIds: rule.channel_ids,
  muted: rule.muted_until ?? "",
});

/** The draft with another kind: its settings begin with their defaults, in a scope that it has. */
export function withKind(draft: RuleDraft, kind: AlertKind): RuleDraft {
  const scopes = scopesOf(kind);
  const scope = scopes.includes(draft.scope) ? draft.scope : (scopes[0] ?? draft.scope);
  return { ...draft, kind, scope, settings: typedByDefault(kind) };
}

function mutedUntil(muted: string): string | null {
  if (muted === "") return null;
  return /^\d+$/.test(muted) ? mutedFor(muted) : muted;
}

/** What can be changed of a stored rule, as the API takes it. */
export const changeOf = (draft: RuleDraft) => ({
  name: draft.name.trim(),
  settings: settingsOf(draft.kind, draft.settings),
  channel_ids: [...draft.channelIds],
  muted_until: mutedUntil(draft.muted),
});

export const createOf = (draft: RuleDraft): AlertRuleCreate => ({
  ...changeOf(draft),
  kind: draft.kind,
  scope: draft.scope,
  enabled: true,
});

/** What is wrong with a draft, by field or setting. */
export const errorsOf = (draft: RuleDraft): FieldErrors => ({
  ...fieldErrorsOf(AlertRuleCreate, { ...createOf(draft), settings: {} }),
  ...fieldErrorsOf(settingsSchemaOf(draft.kind), settingsOf(draft.kind, draft.settings)),
});
