import type { Database } from "#server/db/index.ts";
import { auditPositionOf, entriesIn, isOf, uuidOf } from "./entry.ts";
import { tileHashes } from "./tiles.ts";

interface Bundle {
  readonly position: bigint;
  readonly entries: Uint8Array;
}

function indexIn(bundle: Bundle | null, isWanted: (entry: Buffer) => boolean): number | null {
  if (!bundle) return null;
  const at = entriesIn(bundle.entries).findIndex(isWanted);
  return at < 0 ? null : Number(bundle.position) * tileHashes + at;
}

/** The index of the entry about a row of an organisation's audit log; null if there is none. */
export async function indexOfAuditEntry(
  { prisma }: Database,
  orgId: string,
  position: number,
): Promise<number | null> {
  const bundle = await prisma.log_bundle.findFirst({
    where: { org_id: orgId, first_audit: { lte: position } },
    orderBy: [{ first_audit: "desc" }, { position: "desc" }],
  });
  return indexIn(bundle, (entry) => isOf("auditEntry", entry) && auditPositionOf(entry) === position);
}

const selectBundles = `
  select position, entries from log_bundle
  where org_id = $1::uuid and ids_from <= $2::uuid and ids_to >= $2::uuid and position($3::bytea in entries) > 0
  order by ids_to`;

/** The index of the entry about a generation of an organisation; null if there is none. */
export async function indexOfGeneration(
  { statement }: Database,
  orgId: string,
  id: string,
): Promise<number | null> {
  // IDs begin with the time, and generations are booked soon after: few bundles have a range that contains the ID.
  const bundles = await statement<{ position: string; entries: Buffer }>(selectBundles, [
    orgId,
    id,
    Buffer.from(id.replaceAll("-", ""), "hex"),
  ]);
  for (const { position, entries } of bundles) {
    const found = indexIn(
      { position: BigInt(position), entries },
      (entry) => isOf("generation", entry) && uuidOf(entry) === id,
    );
    if (found !== null) return found;
  }
  return null;
}
