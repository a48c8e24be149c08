import { sha256 } from "#server/platform/crypto.ts";

/** A row of the audit log as its hash covers it: everything except the row's own number and hash. */
export interface ChainedEntry {
  readonly org_id: string;
  readonly position: number;
  readonly previous_hash: string;
  /** ISO 8601 with milliseconds. */
  readonly occurred_at: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly action: string;
  readonly subject_type: string;
  readonly subject_id: string;
  readonly request_id: string | null;
  readonly ip_address: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** JSON with sorted keys, because the database does not keep their order. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? "null"
  );
}

/** The text of a row that its hash covers. */
export const chainedText = (entry: ChainedEntry): string =>
  canonicalJson([
    entry.org_id,
    entry.position,
    entry.previous_hash,
    entry.occurred_at,
    entry.actor_type,
    entry.actor_id,
    entry.action,
    entry.subject_type,
    entry.subject_id,
    entry.request_id,
    entry.ip_address,
    entry.before ?? null,
    entry.after ?? null,
  ]);

/**
 * Returns the hash of a row, which the next row contains. The first row of an organisation contains an empty text.
 */
export const entryHash = (entry: ChainedEntry): string => sha256(chainedText(entry));
