import type { AuditLogEntry } from "#contract/audit.ts";
import type { Draft } from "./draft.ts";
import { readRule } from "./rule-json.ts";

/** A change of a rule, as the audit log has it. */
export type RuleChange = Pick<AuditLogEntry, "position" | "occurred_at" | "action"> & {
  readonly before?: unknown;
  readonly after?: unknown;
};

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

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

export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

const shown = (value: unknown): string =>
  value === undefined || value === null
    ? "not set"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

/** The fields with their values, those of the preferences one by one. */
const flat = (state: unknown): Record<string, unknown> => {
  const { provider, ...fields } = fieldsOf(state);
  return { ...fields, ...recordOf(provider) };
};

/** What a change did to the fields of the rule. */
export function fieldChanges({ before, after }: RuleChange): FieldChange[] {
  const [old, given] = [flat(before), flat(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(given)])]
    .map((field) => ({ field, before: shown(old[field]), after: shown(given[field]) }))
    .filter((change) => change.before !== change.after);
}
