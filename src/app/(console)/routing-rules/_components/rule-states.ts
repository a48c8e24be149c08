import { type ChangedField, changedFields } from "#app/_lib/changed-fields.ts";
import { recordOf } from "#app/_lib/json.ts";
import type { AuditLogEntry } from "#contract/audit.ts";
import type { Draft } from "./draft.ts";
import { readRule } from "./rule-json.ts";

/** A change of a rule, as the audit log has it. */
export type RuleChange = Pick<AuditLogEntry, "position" | "occurred_at" | "action"> & {
  readonly before?: unknown;
  readonly after?: unknown;
};

/** The fields of a recorded rule that a person decides. */
function fieldsOf(state: unknown): Record<string, unknown> {
  const { name, description, scope, workspace_id, api_key_id, model, models, provider, enabled, auto_apply } =
    recordOf(state);
  return { name, description, scope, workspace_id, api_key_id, model, models, provider, enabled, auto_apply };
}

/** A recorded state as a draft; null if it is not a rule that this version accepts. */
export function draftOfState(state: unknown): Draft | null {
  const read = readRule(JSON.stringify(fieldsOf(state)));
  return "draft" in read ? read.draft : null;
}

/** The fields that are set, those of the preferences one by one. */
function setFieldsOf(state: unknown): Record<string, unknown> {
  const { provider, ...fields } = fieldsOf(state);
  const all = Object.entries({ ...fields, ...recordOf(provider) });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** What a change did to the fields of the rule. */
export const fieldChanges = ({ before, after }: RuleChange): ChangedField[] =>
  changedFields(setFieldsOf(before), setFieldsOf(after));
