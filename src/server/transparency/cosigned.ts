import type { Database } from "#server/db/index.ts";

/** A checkpoint with the signatures of witnesses. */
export interface CosignedCheckpoint {
  readonly size: number;
  /** The checkpoint with the signature lines of the log and of the witnesses. */
  readonly checkpoint: string;
  readonly witnesses: readonly { readonly name: string; readonly cosigned_at: Date }[];
}

/**
 * The newest checkpoint that a witness signed, of those with more than `index` and at most `size` entries, with the
 * signatures of all witnesses of it; null if there is none.
 */
export async function newestCosigned(
  { prisma }: Database,
  orgId: string,
  { index, size }: { readonly index: number; readonly size: number },
): Promise<CosignedCheckpoint | null> {
  const rows = await prisma.log_cosignature.findMany({
    where: { org_id: orgId, size: { gt: index, lte: size } },
    orderBy: [{ size: "desc" }, { cosigned_at: "desc" }],
  });
  const [newest] = rows;
  if (!newest) return null;
  const same = rows.filter(({ checkpoint }) => checkpoint === newest.checkpoint);
  return {
    size: Number(newest.size),
    checkpoint: newest.checkpoint + same.map(({ line }) => `${line}\n`).join(""),
    witnesses: same.map(({ witness, cosigned_at }) => ({
      name: witness.slice(0, witness.lastIndexOf("+")),
      cosigned_at,
    })),
  };
}
