import type { Database } from "#server/db/index.ts";
import { auditPositionOf, entriesIn, generationIdOf, isOf } from "./entry.ts";
import { tileHashes } from "./tiles.ts";

interface Bundle {
  readonly position: bigint;
  readonly entries: Uint8Array;
}

/** An entry and its index in the log. */
export interface FoundEntry {
  readonly index: number;
  readonly entry: Buffer;
}

function findIn(bundle: Bundle | null, isWanted: (entry: Buffer) => boolean): FoundEntry | null {
  if (!bundle) return null;
  const entries = entriesIn(bundle.entries);
  const at = entries.findIndex(isWanted);
  const entry = entries[at];
  return entry ? { index: Number(bundle.position) * tileHashes + at, entry } : null;
}

/** The entry about a row of an organisation's audit log; null if there is none. */
export async function findAuditEntry(
  { prisma }: Database,
  orgId: string,
  position: number,
): Promise<FoundEntry | null> {
  const bundle = await prisma.log_bundle.findFirst({
    where: { org_id: orgId, first_audit: { lte: position } },
    orderBy: [{ first_audit: "desc" }, { position: "desc" }],
  });
  return findIn(bundle, (entry) => isOf("auditEntry", entry) && auditPositionOf(entry) === position);
}

const selectBundles = `
  select position, entries from log_bundle
  where org_id = $1::uuid and ids_from <= $2::uuid and ids_to >= $2::uuid and position($3::bytea in entries) > 0
  order by ids_to`;

/** The entry about a generation of an organisation; null if there is none. */
export async function findGenerationEntry(
  { statement }: Database,
  orgId: string,
  id: string,
): Promise<FoundEntry | null> {
  // IDs begin with the time, and generations are booked soon after: few bundles have a range that contains the ID.
  const bundles = await statement<{ position: string; entries: Buffer }>(selectBundles, [
    orgId,
    id,
    Buffer.from(id.replaceAll("-", ""), "hex"),
  ]);
  for (const { position, entries } of bundles) {
    const found = findIn(
      { position: BigInt(position), entries },
      (entry) => isOf("generation", entry) && generationIdOf(entry) === id,
    );
    if (found) return found;
  }
  return null;
}
