import { type Database, generationRowOf, receiptHash } from "#server/db/index.ts";
import {
  auditPositionOf,
  entriesIn,
  entryBytes,
  entryOf,
  generationEntryOf,
  isOf,
  rangesOf,
  uuidOf,
} from "./entry.ts";
import { appendLeaves, edgeOf, type ReadTiles, type Tile, tileHashes, tileOf } from "./tiles.ts";
import { hashBytes, leafHashes } from "./tree.ts";

const pageBundles = 4;

/** The index of the first entry under a tile's first hash that is not in the stored tile; null if all are. */
function firstDifference(tile: Tile, stored: Tile | undefined): number | null {
  for (let at = 0; at * hashBytes < tile.hashes.length; at++) {
    const [from, to] = [at * hashBytes, (at + 1) * hashBytes];
    const isSame = stored?.hashes.subarray(from, to).equals(tile.hashes.subarray(from, to)) ?? false;
    if (!isSame) return (tile.position * tileHashes + at) * tileHashes ** tile.level;
  }
  return null;
}

/** What is known of a log while its entries are verified in their order. */
interface Progress {
  /** The position of the last row of the audit log. */
  auditPosition: number;
  hasRequests: boolean;
  /** Generations whose rows were deleted because they were older than the retention. */
  deleted: number;
}

/** The objects of some entries, as entries that are made from what the database says of them now. */
interface Rebuilt {
  readonly audit: ReadonlyMap<number, readonly Buffer[]>;
  readonly generations: ReadonlyMap<string, Buffer>;
}

async function rebuild(
  { prisma }: Database,
  orgId: string,
  stored: readonly Buffer[],
  { auditPosition }: Progress,
): Promise<Rebuilt> {
  const count = stored.filter((entry) => isOf("auditEntry", entry)).length;
  const rows = await prisma.audit_entry.findMany({
    where: { org_id: orgId, position: { gt: auditPosition, lte: auditPosition + count } },
    orderBy: [{ position: "asc" }, { id: "asc" }],
  });
  const ids = stored.filter((entry) => isOf("generation", entry)).map(uuidOf);
  const generations = await prisma.generation.findMany({ where: { org_id: orgId, id: { in: ids } } });
  const byPosition = Map.groupBy(rows, ({ position }) => position);
  return {
    audit: new Map([...byPosition].map(([position, same]) => [position, same.map(entryOf)])),
    generations: new Map(
      generations.map((row) => [row.id, generationEntryOf(row.id, receiptHash(generationRowOf(row)))]),
    ),
  };
}

/** What is wrong with an entry, given what the database says of its object now; null if nothing is. */
function faultOf(
  entry: Buffer,
  { audit, generations }: Rebuilt,
  progress: Progress,
  firstKept: string,
): string | null {
  if (isOf("auditEntry", entry)) {
    progress.auditPosition++;
    const [row, ...others] = audit.get(progress.auditPosition) ?? [];
    const isRow =
      row?.equals(entry) && others.length === 0 && auditPositionOf(entry) === progress.auditPosition;
    return isRow ? null : "is not the row of the audit log that was added to the log";
  }
  if (!isOf("generation", entry)) return "is of an unknown kind";
  const id = uuidOf(entry);
  const row = generations.get(id);
  if (!row) {
    if (id >= firstKept) return `is about the request ${id}, which is missing`;
    progress.deleted++;
  } else if (!row.equals(entry)) return `is not the request ${id} as it was added to the log`;
  progress.hasRequests = true;
  return null;
}

export interface VerifiedEntries {
  /** The tiles at the right edge, as the entries require them. */
  readonly edge: readonly Tile[];
  /** The first entry that is not what was added to the log; null if there is none. */
  readonly problem: string | null;
  readonly hasRequests: boolean;
  readonly deleted: number;
}

const asText = (ranges: ReturnType<typeof rangesOf>): string => JSON.stringify(ranges);

/**
 * Builds the first `size` entries of a log from the rows of the audit log and from the generations, and compares them
 * with the stored entries and tiles. Generations with smaller IDs than `firstKept` may be missing.
 */
export async function verifyEntries(
  database: Database,
  { orgId, size, firstKept }: { orgId: string; size: number; firstKept: string },
  read: ReadTiles,
): Promise<VerifiedEntries> {
  let edge: Tile[] = [];
  const progress: Progress = { auditPosition: 0, hasRequests: false, deleted: 0 };
  const end = (problem: string | null): VerifiedEntries => {
    const { hasRequests, deleted } = progress;
    return { edge, problem, hasRequests, deleted };
  };
  for (let index = 0; index < size; ) {
    const first = index / tileHashes;
    const bundles = await database.prisma.log_bundle.findMany({
      where: { org_id: orgId, position: { gte: first, lt: first + pageBundles } },
      orderBy: { position: "asc" },
    });
    const stored = bundles.flatMap(({ entries }) => entriesIn(entries));
    const count = Math.min(size - index, pageBundles * tileHashes);
    const rebuilt = await rebuild(database, orgId, stored, progress);
    for (let at = 0; at < count; at++) {
      const entry = stored[at];
      const fault = entry ? faultOf(entry, rebuilt, progress, firstKept) : "is missing";
      if (fault !== null) return end(`entry ${index + at} ${fault}`);
    }
    for (const { position, entries, first_audit, ids_from, ids_to } of bundles) {
      const ranges = { firstAudit: first_audit, idsFrom: ids_from, idsTo: ids_to };
      if (asText(ranges) !== asText(rangesOf(entriesIn(entries))))
        return end(`the entries from ${Number(position) * tileHashes} on have another range than is stored`);
    }
    const built = appendLeaves(index, edge, leafHashes(Buffer.concat(stored.slice(0, count)), entryBytes));
    const tiles = await read(built);
    for (const tile of built) {
      const differs = firstDifference(tile, tileOf(tiles, tile));
      if (differs !== null)
        return end(`the hash of entry ${differs} is not the one that was added to the log`);
    }
    index += count;
    edge = edgeOf(index).flatMap((place) => tileOf(built, place) ?? tileOf(edge, place) ?? []);
  }
  return end(null);
}
