import { sha256 } from "#server/platform/crypto.ts";

/** A row of the audit log as the chain covers it: everything but the row's own number and hash. */
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

/** JSON with the keys of every object in order: the database keeps values, not the order they came in. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? "null"
  );
}

/** The hash of a row, which the next row carries. The first row of an organisation carries the empty text. */
export const entryHash = (entry: ChainedEntry): string =>
  sha256(
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
    ]),
  );
