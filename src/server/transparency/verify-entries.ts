import type { Database } from "#server/db/index.ts";
import { auditPositionOf, entriesIn, entryOf } from "./entry.ts";
import { appendLeaves, edgeOf, type ReadTiles, type Tile, tileHashes, tileOf } from "./tiles.ts";
import { hashBytes, leafHash } from "./tree.ts";

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

const entriesFrom = async (database: Database, orgId: string, index: number, count: number) => {
  const position = index / tileHashes;
  const bundles = await database.prisma.log_bundle.findMany({
    where: { org_id: orgId, position: { gte: position, lt: position + pageBundles } },
    orderBy: { position: "asc" },
  });
  return bundles.flatMap(({ entries }) => entriesIn(entries)).slice(0, count);
};

export interface VerifiedEntries {
  /** The tiles at the right edge, as the rows require them. */
  readonly edge: readonly Tile[];
  /** The first entry that is not a row of the audit log, or whose hash is not in the tree; null if there is none. */
  readonly problem: string | null;
}

/**
 * Builds the first `size` entries of a log from the rows of the audit log, and compares them with the stored entries and
 * tiles.
 */
export async function verifyEntries(
  database: Database,
  orgId: string,
  size: number,
  read: ReadTiles,
): Promise<VerifiedEntries> {
  let edge: Tile[] = [];
  const changedAt = (index: number): VerifiedEntries => ({
    edge,
    problem: `entry ${index} is not the row of the audit log that was added to the log`,
  });
  for (let index = 0; index < size; ) {
    const count = Math.min(size - index, pageBundles * tileHashes);
    const stored = await entriesFrom(database, orgId, index, count);
    const rows = await database.prisma.audit_entry.findMany({
      // Row and entry have the same place: the log contains nothing but the audit log.
      where: { org_id: orgId, position: { gt: index, lte: index + count } },
      orderBy: [{ position: "asc" }, { id: "asc" }],
    });
    const entries = rows.map(entryOf);
    const changed = Array.from({ length: count }, (_, at) => at).find((at) => {
      const [entry, found] = [entries[at], stored[at]];
      return !entry || !found?.equals(entry) || auditPositionOf(entry) !== index + at + 1;
    });
    if (changed !== undefined) return changedAt(index + changed);
    const built = appendLeaves(index, edge, entries.slice(0, count).map(leafHash));
    const tiles = await read(built);
    for (const tile of built) {
      const differs = firstDifference(tile, tileOf(tiles, tile));
      if (differs !== null) return changedAt(differs);
    }
    index += count;
    edge = edgeOf(index).flatMap((place) => tileOf(built, place) ?? tileOf(edge, place) ?? []);
  }
  return { edge, problem: null };
}
