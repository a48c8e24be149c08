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

/** The entry about a generation of an organisation; null if there is none. */
export async function findGenerationEntry(
  { prisma }: Database,
  orgId: string,
  id: string,
): Promise<FoundEntry | null> {
  // IDs begin with the time, and generations are booked soon after: few bundles have a range that contains the ID.
  const candidates = await prisma.log_bundle.findMany({
    where: { org_id: orgId, ids_from: { lte: id }, ids_to: { gte: id } },
    orderBy: { ids_to: "asc" },
    select: { position: true },
  });
  for (const { position } of candidates) {
    const bundle = await prisma.log_bundle.findUnique({
      where: { org_id_position: { org_id: orgId, position } },
    });
    const found = findIn(bundle, (entry) => isOf("generation", entry) && generationIdOf(entry) === id);
    if (found) return found;
  }
  return null;
}
