import { hash } from "node:crypto";

/** The length of each hash of the tree (SHA-256). */
export const hashBytes = 32;

/** Node returns a hash as text four times as fast as in a new buffer. */
const sha256Text = (bytes: Uint8Array): string => hash("sha256", bytes, "latin1");
const sha256 = (bytes: Uint8Array): Buffer => Buffer.from(sha256Text(bytes), "latin1");

/** The hash of an entry (RFC 9162 2.1.1). */
export const leafHash = (entry: Uint8Array): Buffer => leafHashes(entry, entry.length);

/** The hashes of entries of the same length, which follow each other in `entries`. */
export function leafHashes(entries: Uint8Array, length: number): Buffer {
  // The prefix is 0. One buffer for all of them, as for their hashes: each new one costs as much as a hash.
  const leaf = Buffer.alloc(1 + length);
  const hashes = Buffer.allocUnsafe((entries.length / length) * hashBytes);
  const source = Buffer.from(entries.buffer, entries.byteOffset, entries.length);
  for (let at = 0, to = 0; at < entries.length; at += length, to += hashBytes) {
    source.copy(leaf, 1, at, at + length);
    hashes.write(sha256Text(leaf), to, "latin1");
  }
  return hashes;
}

const pairBytes = 2 * hashBytes;
/** The prefix of a node, and room for two hashes. */
const node = Buffer.alloc(1 + pairBytes, 1);

/** The hash of two neighbouring subtrees (RFC 9162 2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  node.set(left, 1);
  node.set(right, 1 + hashBytes);
  return sha256(node);
}

/** The hashes of the nodes above hashes that are side by side, an even number of them. */
export function nodesAbove(hashes: Buffer): Buffer {
  const above = Buffer.allocUnsafe(hashes.length / 2);
  for (let at = 0; at < above.length; at += hashBytes) {
    hashes.copy(node, 1, at * 2, at * 2 + pairBytes);
    above.write(sha256Text(node), at, "latin1");
  }
  return above;
}

/** Reads the hash of a complete subtree: of the `2^height` leaves from `position * 2^height` on. */
export type HashAt = (height: number, position: number) => Buffer;

/** The largest power of two that is smaller than `count`, which is at least 2. */
const splitOf = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1);

/** The Merkle tree hash of the leaves from `from` up to `to`, without `to` (RFC 9162 2.1.1). */
function rangeHash(from: number, to: number, hashAt: HashAt): Buffer {
  const count = to - from;
  const height = Math.log2(count);
  if (Number.isInteger(height)) return hashAt(height, from / count);
  const middle = from + splitOf(count);
  return nodeHash(rangeHash(from, middle, hashAt), rangeHash(middle, to, hashAt));
}

/** The root of the tree with `size` leaves. */
export const rootHash = (size: number, hashAt: HashAt): Buffer =>
  size === 0 ? sha256(Buffer.alloc(0)) : rangeHash(0, size, hashAt);

/** The inclusion proof of a leaf in the tree with `size` leaves, from the leaf's sibling up (RFC 9162 2.1.3.1). */
export function inclusionPath(index: number, size: number, hashAt: HashAt): Buffer[] {
  const path: Buffer[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      path.push(rangeHash(middle, to, hashAt));
      to = middle;
    } else {
      path.push(rangeHash(from, middle, hashAt));
      from = middle;
    }
  }
  return path.reverse();
}

/**
 * The proof that the tree with `size` leaves begins with the tree of `oldSize` leaves (RFC 9162 2.1.4.1). Empty if one
 * of them is empty or both are the same.
 */
export function consistencyPath(oldSize: number, size: number, hashAt: HashAt): Buffer[] {
  if (oldSize > size) throw new RangeError(`A tree of ${size} leaves cannot continue one of ${oldSize}`);
  if (oldSize === 0 || oldSize === size) return [];
  const path: Buffer[] = [];
  let [from, to] = [0, size];
  while (to !== oldSize) {
    const middle = from + splitOf(to - from);
    if (oldSize <= middle) {
      path.push(rangeHash(middle, to, hashAt));
      to = middle;
    } else {
      path.push(rangeHash(from, middle, hashAt));
      from = middle;
    }
  }
  // The verifier knows the old root, unless this is only a part of that tree.
  if (from > 0) path.push(rangeHash(from, to, hashAt));
  return path.reverse();
}
