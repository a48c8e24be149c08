import { stringify } from "csv-stringify/browser/esm/sync";
import type { ListedEntry } from "#app/_lib/changed-fields.ts";

const columns = [
  "position",
  "occurred_at",
  "action",
  "actor_type",
  "actor_id",
  "actor",
  "subject_type",
  "subject_id",
  "request_id",
  "ip_address",
  "before",
  "after",
  "hash",
] as const;

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : JSON.stringify(value);

/** Entries for spreadsheets: values before and after are JSON, and texts cannot become formulas. */
export const csvOf = (entries: readonly ListedEntry[], actorOf: (entry: ListedEntry) => string): string =>
  stringify(
    entries.map((entry) => ({
      ...entry,
      actor: actorOf(entry),
      before: textOf(entry.before),
      after: textOf(entry.after),
    })),
    { header: true, columns: [...columns], escape_formulas: true },
  );
