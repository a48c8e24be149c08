import type { audit_entry } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/client.ts";
import type { RowSeal, SealState } from "#server/platform/row-seal.ts";
import { entryHash } from "./chain.ts";
import { brokenAction, signatureStateOf } from "./signature.ts";

/** The previous row, as the chain requires it. For the first row: position 0 and an empty hash. */
interface Before {
  readonly position: number;
  readonly hash: string;
}

/** Returns why a row's position or content is not valid; null if it is. Does not check the signature. */
export function misplacement(row: audit_entry, before: Before): string | null {
  if (row.position !== before.position + 1) return "the row is missing or stands twice";
  if (row.previous_hash !== before.hash) return "it does not carry the hash of the row before";
  const hash = entryHash({ ...row, occurred_at: row.occurred_at.toISOString() });
  return row.hash === hash ? null : "it was changed after it was written";
}

/** The problem of each invalid state of a signature. */
export const unsigned: Readonly<Record<Exclude<SealState, "holds">, string>> = {
  broken: "the signature is not of this installation's key",
  missing: "the signature is missing",
  foreign: "the signature is of a key that the settings do not hold",
};

/** Returns why a row is not valid; null if it is. */
export function problemOf(seal: RowSeal, row: audit_entry, before: Before): string | null {
  const misplaced = misplacement(row, before);
  if (misplaced !== null) return misplaced;
  const signatureState = signatureStateOf(seal, "row", row);
  if (signatureState !== "holds") return unsigned[signatureState];
  return row.action === brokenAction
    ? "the end of the chain differed from its record when the row was written"
    : null;
}

/** Returns the key that signs rows of a database. Throws if it was opened without one. */
export function sealFor({ seal }: Database): RowSeal {
  if (seal) return seal;
  throw new Error("This database was opened without the key that signs the audit log");
}
