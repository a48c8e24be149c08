import type { AuditLogEntry } from "#contract/audit.ts";

/** An entry as it comes: JSON has no field for what is not there. */
export type ListedEntry = Omit<AuditLogEntry, "before" | "after"> & {
  readonly before?: unknown;
  readonly after?: unknown;
};

/** One field a change touched, as text; null where it was not there. */
export interface ChangedField {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | null =>
  value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);

/**
 * The fields in which an entry's before and after differ; all of them where there is only one side. That a row
 * was written says nothing about the change.
 */
export function changedFields(before: unknown, after: unknown): ChangedField[] {
  const [old, given] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  return [...new Set([...Object.keys(old), ...Object.keys(given)])]
    .map((field) => ({ field, before: textOf(old[field]), after: textOf(given[field]) }))
    .filter((row) => row.before !== row.after && row.field !== "updated_at");
}
