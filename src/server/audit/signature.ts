import type { RowSeal, SealStanding } from "#server/platform/row-seal.ts";

/** What the key of the audit log is derived for. */
export const auditPurpose = "audit log";

/** A place in an organisation's chain: the hash covers the row there and all before it. */
export interface ChainPlace {
  readonly org_id: string;
  readonly position: number;
  readonly hash: string;
}

type Kind = "row" | "head";
const partsOf = (kind: Kind, { org_id, position, hash }: ChainPlace) => [kind, org_id, position, hash];

/** The signature of a row, or of the chain's end; the one does not stand for the other. */
export const signatureOf = (seal: RowSeal, kind: Kind, place: ChainPlace): string =>
  seal.sign(partsOf(kind, place));

export const signatureStateOf = (
  seal: RowSeal,
  kind: Kind,
  { signature, ...place }: ChainPlace & { readonly signature: string },
): SealStanding => seal.standing(partsOf(kind, place), signature);

/** What a row says that was written over a chain whose end was not as it had been left. */
export const brokenAction = "audit_log.broken";
