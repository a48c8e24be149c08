import type { RowSeal, SealState } from "#server/platform/row-seal.ts";

/** The purpose the key of the audit log is derived for. */
export const auditPurpose = "audit log";

/** A position in an organisation's chain: its hash covers the row and all earlier ones. */
export interface ChainPlace {
  readonly org_id: string;
  readonly position: number;
  readonly hash: string;
}

type Kind = "row" | "head";
const partsOf = (kind: Kind, { org_id, position, hash }: ChainPlace) => [kind, org_id, position, hash];

/** Signs a row or the end of the chain; one signature is not valid for the other. */
export const signatureOf = (seal: RowSeal, kind: Kind, place: ChainPlace): string =>
  seal.sign(partsOf(kind, place));

export const signatureStateOf = (
  seal: RowSeal,
  kind: Kind,
  { signature, ...place }: ChainPlace & { readonly signature: string },
): SealState => seal.check(partsOf(kind, place), signature);

/** The action of a row that was written after somebody changed the end of the chain. */
export const brokenAction = "audit_log.broken";
