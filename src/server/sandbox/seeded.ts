import type { Random } from "#server/platform/ids.ts";

/** 32-bit FNV-1a of a text: a seed, not a secret. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** Mulberry32: the same seed gives the same numbers in [0, 1). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `min` to `max`, both included. */
export const integerBetween = (random: Random, min: number, max: number): number =>
  min + Math.floor(random() * (max - min + 1));

/** One of a non-empty list. */
export function pickOne<T>(random: Random, [first, ...rest]: readonly [T, ...T[]]): T {
  const index = Math.floor(random() * (rest.length + 1));
  return index === 0 ? first : (rest[index - 1] ?? first);
}
