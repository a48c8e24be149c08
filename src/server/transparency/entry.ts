import { type ChainedEntry, entryHash } from "#server/audit/chain.ts";

/** What an entry of the log is about; the first of its bytes. The numbers are permanent. */
const kinds = { auditEntry: 1 } as const;

const idBytes = 16;
/** The kind (1 byte), the ID of the object (16 bytes), and its hash (32 bytes). */
const entryBytes = 1 + idBytes + 32;
const lengthBytes = 2;
/** An entry in a bundle: its length (big-endian), and it (C2SP tlog-tiles). */
export const bundledBytes = lengthBytes + entryBytes;

/** A row of the audit log as the database returns it. */
export type AuditRow = Omit<ChainedEntry, "occurred_at"> & { readonly occurred_at: Date };

/**
 * The entry of a row of the audit log. Its ID is the row's position in the organisation's audit log, big-endian. It
 * reveals nothing about the row to a person who does not have it.
 */
export function entryOf(row: AuditRow): Buffer {
  const id = Buffer.alloc(idBytes);
  id.writeBigUInt64BE(BigInt(row.position), idBytes - 8);
  const hash = entryHash({ ...row, occurred_at: row.occurred_at.toISOString() });
  return Buffer.concat([Buffer.of(kinds.auditEntry), id, Buffer.from(hash, "base64url")]);
}

/** The position of the audit log's row that an entry is about. */
export const auditPositionOf = (entry: Buffer): number => Number(entry.readBigUInt64BE(1 + idBytes - 8));

const lengthOfEntry = Buffer.of(0, entryBytes);

/** Entries as a bundle contains them. */
export const bundled = (entries: readonly Buffer[]): Buffer =>
  Buffer.concat(entries.flatMap((entry) => [lengthOfEntry, entry]));

/** The entries of a bundle, or of a part of it. */
export const entriesIn = (bundle: Uint8Array): Buffer[] =>
  Array.from({ length: Math.floor(bundle.length / bundledBytes) }, (_, at) =>
    Buffer.from(bundle.subarray(at * bundledBytes + lengthBytes, (at + 1) * bundledBytes)),
  );
