import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NotValid, verifyConsistency, verifyInclusion } from "../../../scripts/verify.mjs";
import { appendLeaves, edgeOf, rootOfEdge, type Tile, tileOf, withTiles } from "./tiles.ts";
import { consistencyPath, inclusionPath, leafHash, nodeHash, rootHash } from "./tree.ts";

const leafAt = (index: number): Buffer => leafHash(Buffer.from(`entry ${index}`));

/** The Merkle tree hash by its definition (RFC 9162 2.1.1). */
function rootByDefinition(from: number, to: number): Buffer {
  if (to - from === 1) return leafAt(from);
  let split = 1;
  while (split * 2 < to - from) split *= 2;
  return nodeHash(rootByDefinition(from, from + split), rootByDefinition(from + split, to));
}

/** A tree in its tiles, appended to in batches of these sizes. */
function grown(batches: readonly number[]) {
  const tiles = new Map<string, Tile>();
  const roots: { size: number; edge: readonly Tile[] }[] = [];
  let size = 0;
  for (const count of batches) {
    const edge = edgeOf(size).map((place) => tiles.get(`${place.level}/${place.position}`) as Tile);
    const leaves = Array.from({ length: count }, (_, at) => leafAt(size + at));
    const changed = appendLeaves(size, edge, Buffer.concat(leaves));
    for (const tile of changed) tiles.set(`${tile.level}/${tile.position}`, tile);
    size += count;
    roots.push({ size, edge: [...changed, ...edge.filter((old) => !tileOf(changed, old))] });
  }
  const read = async (places: readonly { level: number; position: number }[]) =>
    places.flatMap((place) => tiles.get(`${place.level}/${place.position}`) ?? []);
  return { size, roots, read };
}

const batches = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 200, max: 700 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((list) => grown(list));

/** Every way to forge a list of hashes. */
const forgeries: Readonly<Record<string, (path: readonly Buffer[]) => Buffer[]>> = {
  "without its first hash": (path) => path.slice(1),
  "without its last hash": (path) => path.slice(0, -1),
  "with a hash more at its end": (path) => [...path, leafAt(0)],
  "with a hash more at its beginning": (path) => [leafAt(0), ...path],
  "in another order": (path) => path.toReversed(),
  "with a bit changed": (path) =>
    path.map((hash, at) =>
      at === 0 ? Buffer.concat([Buffer.of((hash[0] ?? 0) ^ 1), hash.subarray(1)]) : hash,
    ),
};

const isSame = (one: readonly Buffer[], other: readonly Buffer[]) =>
  one.length === other.length && one.every((hash, at) => hash.equals(other[at] as Buffer));

describe("a tree that is stored in tiles", () => {
  test("has the root of RFC 9162 after every batch", () =>
    fc.assert(
      fc.asyncProperty(batches, async ({ roots, read }) => {
        for (const { size, edge } of roots) {
          const expected = rootByDefinition(0, size);
          expect(await rootOfEdge(size, edge)).toEqual(expected);
          expect(await withTiles(read, (hashAt) => rootHash(size, hashAt))).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    ));

  test("has the root of two levels of tiles, and of three", async () => {
    for (const size of [255, 256, 257, 65_535, 65_536, 65_537, 70_000]) {
      const { roots } = grown([size]);
      expect(await rootOfEdge(size, roots[0]?.edge ?? [])).toEqual(rootByDefinition(0, size));
    }
  });

  test("proves each entry in each of its sizes, and nothing else", () =>
    fc.assert(
      fc.asyncProperty(batches, fc.nat(), fc.nat(), async ({ size: all, read }, sizeSeed, indexSeed) => {
        const size = 1 + (sizeSeed % all);
        const index = indexSeed % size;
        const root = await withTiles(read, (hashAt) => rootHash(size, hashAt));
        const head = { origin: "", size, root, signedWith: [] };
        const path = await withTiles(read, (hashAt) => inclusionPath(index, size, hashAt));
        verifyInclusion(leafAt(index), index, path, head);
        const refused = (leaf: Buffer, at: number, forged: readonly Buffer[]) =>
          expect(() => verifyInclusion(leaf, at, forged, head)).toThrow(NotValid);
        refused(leafAt(index + 1), index, path);
        refused(leafAt(index), index + 1, path);
        refused(leafAt(index), size + index, path);
        for (const forge of Object.values(forgeries))
          if (!isSame(forge(path), path)) refused(leafAt(index), index, forge(path));
      }),
      { numRuns: 60 },
    ));

  test("proves that it continues each earlier size, and no other tree", () =>
    fc.assert(
      fc.asyncProperty(batches, fc.nat(), fc.nat(), async ({ size: all, read }, sizeSeed, earlierSeed) => {
        const size = 1 + (sizeSeed % all);
        const earlierSize = earlierSeed % (size + 1);
        const rootOf = (of: number) => withTiles(read, (hashAt) => rootHash(of, hashAt));
        const [root, earlierRoot] = [await rootOf(size), await rootOf(earlierSize)];
        const head = { origin: "", size, root, signedWith: [] };
        const path = await withTiles(read, (hashAt) => consistencyPath(earlierSize, size, hashAt));
        verifyConsistency({ size: earlierSize, root: earlierRoot }, path, head);
        const refused = (earlier: { size: number; root: Buffer }, forged: readonly Buffer[]) =>
          expect(() => verifyConsistency(earlier, forged, head)).toThrow(NotValid);
        refused({ size: earlierSize, root: leafAt(all) }, path);
        refused({ size: size + 1, root: earlierRoot }, path);
        for (const forge of Object.values(forgeries))
          if (!isSame(forge(path), path)) refused({ size: earlierSize, root: earlierRoot }, forge(path));
      }),
      { numRuns: 60 },
    ));

  test("is not appended to if a tile at its edge is missing or too short", () => {
    const [tile] = appendLeaves(0, [], Buffer.concat([leafAt(0), leafAt(1)])) as [Tile];
    expect(() => appendLeaves(2, [], leafAt(2))).toThrow("too short");
    expect(() => appendLeaves(2, [{ ...tile, hashes: tile.hashes.subarray(32) }], leafAt(2))).toThrow(
      "too short",
    );
  });
});
