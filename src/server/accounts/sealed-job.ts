import { uuidv7 } from "#server/platform/ids.ts";
import type { SealedPlace, Sealer } from "#server/platform/sealing.ts";

/** Job data that must not be readable in the database: an address, or a link that contains a secret. */
export interface SealedJob {
  readonly id: string;
  readonly sealed: string;
}

const placeOf = (id: string): SealedPlace => ({ table: "jobs.job", column: "data", rowId: id, orgId: "" });

export function sealJob(sealer: Sealer, text: string): SealedJob {
  const id = uuidv7();
  return { id, sealed: sealer.seal(text, placeOf(id)) };
}

export const openJob = (sealer: Sealer, { id, sealed }: SealedJob): string =>
  sealer.open(sealed, placeOf(id));
