import type { audit_entry } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/client.ts";
import type { RowSeal, SealStanding } from "#server/platform/row-seal.ts";
import { entryHash } from "./chain.ts";
import { brokenAction, signatureStateOf } from "./signature.ts";

/** The row before one, as the chain needs it. The first has position 0 and the empty hash before it. */
interface Before {
  readonly position: number;
  readonly hash: string;
}

/** Why a row is not where, or not as, it was written; null when it is. Says nothing of who wrote it. */
export function misplacement(row: audit_entry, before: Before): string | null {
  if (row.position !== before.position + 1) return "the row is missing or stands twice";
  if (row.previous_hash !== before.hash) return "it does not carry the hash of the row before";
  const hash = entryHash({ ...row, occurred_at: row.occurred_at.toISOString() });
  return row.hash === hash ? null : "it was changed after it was written";
}

/** What is wrong where a signature does not hold. */
export const unsigned: Readonly<Record<Exclude<SealStanding, "holds">, string>> = {
  broken: "the signature is not of this installation's key",
  missing: "the signature is missing",
  foreign: "the signature is of a key that the settings do not hold",
};

/** Why a row does not hold; null when it does. */
export function problemOf(seal: RowSeal, row: audit_entry, before: Before): string | null {
  const misplaced = misplacement(row, before);
  if (misplaced !== null) return misplaced;
  const signatureState = signatureStateOf(seal, "row", row);
  if (signatureState !== "holds") return unsigned[signatureState];
  return row.action === brokenAction
    ? "the end of the chain was not as it had been left when it was written"
    : null;
}

/** What the rows of a database are signed with. Throws when it was opened without. */
export function sealFor({ seal }: Database): RowSeal {
  if (seal) return seal;
  throw new Error("This database was opened without the key that signs the audit log");
}
