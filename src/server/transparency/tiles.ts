import { type HashAt, hashBytes, nodesAbove, rootHash } from "./tree.ts";

/** Hashes of a full tile; each level of tiles covers 8 levels of the tree (C2SP tlog-tiles). */
export const tileHashes = 256;
const levelsPerTile = 8;

export interface TilePlace {
  readonly level: number;
  readonly position: number;
}

export interface Tile extends TilePlace {
  /** Up to 256 hashes, one after the other. */
  readonly hashes: Buffer;
}

/** Stored tiles are missing or too short. */
export class DamagedTree extends Error {}

export type ReadTiles = (places: readonly TilePlace[]) => Promise<readonly Tile[]>;

/** The tile at a place, if it is among these. */
export const tileOf = (tiles: readonly Tile[], { level, position }: TilePlace): Tile | undefined =>
  tiles.find((tile) => tile.level === level && tile.position === position);

/** The hash of a complete subtree within a tile, of `2^height` of its hashes. */
function hashWithin(tile: Buffer, height: number, position: number): Buffer {
  const bytes = 2 ** height * hashBytes;
  let hashes = tile.subarray(position * bytes, (position + 1) * bytes);
  if (hashes.length !== bytes) throw new DamagedTree(`A tile has not all hashes below ${height}/${position}`);
  while (hashes.length > hashBytes) hashes = nodesAbove(hashes);
  return hashes;
}

/** Where the hash of a complete subtree is: its tile, and in it the subtree of `height` at `position`. */
function placeOf(height: number, position: number): { tile: TilePlace; height: number; position: number } {
  const level = Math.floor(height / levelsPerTile);
  const within = height % levelsPerTile;
  const perTile = tileHashes / 2 ** within;
  return {
    tile: { level, position: Math.floor(position / perTile) },
    height: within,
    position: position % perTile,
  };
}

const keyOf = ({ level, position }: TilePlace): string => `${level}/${position}`;

/**
 * Runs a computation on the tree with the tiles that it needs. It runs twice: first to find out which these are, so
 * that they are read together. Throws `DamagedTree` if one of them is missing or too short.
 */
export async function withTiles<Result>(
  read: ReadTiles,
  compute: (hashAt: HashAt) => Result,
): Promise<Result> {
  const needed = new Map<string, TilePlace>();
  compute((height, position) => {
    const { tile } = placeOf(height, position);
    needed.set(keyOf(tile), tile);
    return Buffer.alloc(hashBytes);
  });
  const found = needed.size === 0 ? [] : await read([...needed.values()]);
  const tiles = new Map(found.map((tile) => [keyOf(tile), tile.hashes]));
  return compute((height, position) => {
    const place = placeOf(height, position);
    const hashes = tiles.get(keyOf(place.tile));
    if (!hashes) throw new DamagedTree(`The tile ${keyOf(place.tile)} is missing`);
    return hashWithin(hashes, place.height, place.position);
  });
}

/** The tiles at the right edge of a tree that are not full: those that grow. */
export function edgeOf(size: number): TilePlace[] {
  const places: TilePlace[] = [];
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / tileHashes))
    if (count % tileHashes > 0) places.push({ level, position: Math.floor(count / tileHashes) });
  return places;
}

/**
 * Appends leaves, whose hashes follow each other in `leaves`, to a tree of `size` leaves, of which `edge` contains the
 * tiles of `edgeOf`. Returns the tiles that are new or longer than before. Throws `DamagedTree` if a tile of the edge is
 * missing or too short.
 */
export function appendLeaves(size: number, edge: readonly Tile[], leaves: Buffer): Tile[] {
  const changed: Tile[] = [];
  let added = leaves;
  for (let level = 0, count = size; added.length > 0; level++, count = Math.floor(count / tileHashes)) {
    const first = Math.floor(count / tileHashes);
    const width = count % tileHashes;
    const begun = tileOf(edge, { level, position: first })?.hashes;
    if ((begun?.length ?? 0) < width * hashBytes)
      throw new DamagedTree(`The tile ${level}/${first} is too short`);
    const hashes = begun ? Buffer.concat([begun.subarray(0, width * hashBytes), added]) : added;
    const roots: Buffer[] = [];
    for (let at = 0; at * tileHashes * hashBytes < hashes.length; at++) {
      const part = hashes.subarray(at * tileHashes * hashBytes, (at + 1) * tileHashes * hashBytes);
      changed.push({ level, position: first + at, hashes: part });
      if (part.length === tileHashes * hashBytes) roots.push(hashWithin(part, levelsPerTile, 0));
    }
    added = Buffer.concat(roots);
  }
  return changed;
}

/** The root of a tree, which needs only the tiles of `edgeOf`. */
export const rootOfEdge = (size: number, edge: readonly Tile[]): Promise<Buffer> =>
  withTiles(
    async () => edge,
    (hashAt) => rootHash(size, hashAt),
  );
