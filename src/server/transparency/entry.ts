import { type ChainedEntry, entryHash } from "#server/audit/chain.ts";

/** What an entry of the log is about; the first of its bytes. The numbers are permanent. */
const kinds = { auditEntry: 1, generation: 2 } as const;
type Kind = keyof typeof kinds;

const idBytes = 16;
/** The kind (1 byte), the ID of the object (16 bytes), and its hash (32 bytes). */
export const entryBytes = 1 + idBytes + 32;
const lengthBytes = 2;
/** An entry in a bundle: its length (big-endian), and it (C2SP tlog-tiles). */
export const bundledBytes = lengthBytes + entryBytes;
/** A generation in `log_pending`: an entry without its kind. */
export const pendingBytes = entryBytes - 1;

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

export const isOf = (kind: Kind, entry: Buffer): boolean => entry[0] === kinds[kind];

/** The position of the audit log's row that an entry is about. */
export const auditPositionOf = (entry: Buffer): number => Number(entry.readBigUInt64BE(1 + idBytes - 8));

/** The bytes of a generation in `log_pending` as hexadecimal digits: its ID, and the hash of its receipt. */
export const pendingDigits = (id: string, receiptHash: string): string =>
  id.replaceAll("-", "") + receiptHash;

const generationKind = Buffer.of(kinds.generation);

/** The entries of generations in the bytes of `log_pending`, one after the other. */
export function entriesOfPending(bytes: Buffer): Buffer {
  const count = Math.floor(bytes.length / pendingBytes);
  const entries = Buffer.alloc(count * entryBytes, generationKind);
  for (let at = 0; at < count; at++)
    bytes.copy(entries, at * entryBytes + 1, at * pendingBytes, (at + 1) * pendingBytes);
  return entries;
}

/** Divides entries that follow each other. */
export const entriesOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / entryBytes }, (_, at) =>
    bytes.subarray(at * entryBytes, (at + 1) * entryBytes),
  );

/** Entries of generations as `log_pending` contains them. */
export const pendingOf = (entries: readonly Buffer[]): Buffer =>
  Buffer.concat(entries.map((entry) => entry.subarray(1)));

/** The ID of an entry as a UUID: of the generation that it is about. */
export function uuidOf(entry: Buffer): string {
  const hex = entry.toString("hex", 1, 1 + idBytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The entry of a generation. */
export const generationEntryOf = (id: string, receiptHash: string): Buffer =>
  Buffer.concat([generationKind, Buffer.from(pendingDigits(id, receiptHash), "hex")], entryBytes);

/** How entries are found in a bundle: the first row of the audit log, and the range of the generations. */
export function rangesOf(entries: readonly Buffer[]) {
  const audit = entries.find((entry) => isOf("auditEntry", entry));
  let first: Buffer | null = null;
  let last: Buffer | null = null;
  for (const entry of entries) {
    if (!isOf("generation", entry)) continue;
    if (first === null || first.compare(entry) > 0) first = entry;
    if (last === null || last.compare(entry) < 0) last = entry;
  }
  return {
    firstAudit: audit ? auditPositionOf(audit) : null,
    idsFrom: first && uuidOf(first),
    idsTo: last && uuidOf(last),
  };
}

/** Entries that follow each other, as a bundle contains them. */
export function bundled(entries: Buffer): Buffer {
  const bundle = Buffer.alloc((entries.length / entryBytes) * bundledBytes);
  for (let from = 0, to = 0; from < entries.length; from += entryBytes, to += bundledBytes) {
    bundle.writeUInt16BE(entryBytes, to);
    entries.copy(bundle, to + lengthBytes, from, from + entryBytes);
  }
  return bundle;
}

/** The entries of a bundle, or of a part of it. */
export const entriesIn = (bundle: Uint8Array): Buffer[] =>
  Array.from({ length: Math.floor(bundle.length / bundledBytes) }, (_, at) =>
    Buffer.from(bundle.subarray(at * bundledBytes + lengthBytes, (at + 1) * bundledBytes)),
  );
