import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "./limits.ts";

/** How many characters of a text, or elements of an array, one call of `JSON.stringify` writes. */
const sliceChars = 64 * 1024;
const sliceElements = 4 * 1024;

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** A long text as JSON, in slices that do not split characters. */
function* textPieces(text: string): Generator<string, void, undefined> {
  yield '"';
  let from = 0;
  while (from < text.length) {
    let to = Math.min(text.length, from + sliceChars);
    if (to < text.length && isHigh(text.charCodeAt(to - 1))) to++;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

const isPlain = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "boolean" || value === null;

function* arrayPieces(array: readonly unknown[]): Generator<string, void, undefined> {
  yield "[";
  let at = 0;
  while (at < array.length) {
    if (at > 0) yield ",";
    // There may be millions of tokens in a row.
    let end = at;
    while (end < array.length && end - at < sliceElements && isPlain(array[end])) end++;
    if (end > at) {
      yield JSON.stringify(array.slice(at, end)).slice(1, -1);
      at = end;
    } else yield* pieces(array[at++] ?? null);
  }
  yield "]";
}

function* objectPieces(object: Readonly<Record<string, unknown>>): Generator<string, void, undefined> {
  let opening = "{";
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    yield `${opening}${JSON.stringify(name)}:`;
    opening = ",";
    yield* pieces(value);
  }
  yield opening === "{" ? "{}" : "}";
}

/** A JSON value as `JSON.stringify` writes it, in small pieces. */
function* pieces(value: unknown): Generator<string, void, undefined> {
  if (typeof value === "string" && value.length > sliceChars) yield* textPieces(value);
  else if (typeof value !== "object" || value === null) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* arrayPieces(value);
  else yield* objectPieces(value as Readonly<Record<string, unknown>>);
}

/** Joins pieces, with yields, because copying a large body takes long. */
export async function joinWithYields(pieces: readonly Buffer[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((bytes, piece) => bytes + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    at += piece.copy(joined, at);
    await nextTurn();
  }
  return joined;
}

/**
 * Writes a long JSON value as `JSON.stringify` does, with yields so that other requests run in between. The value must
 * be plain JSON, without `toJSON` methods.
 */
export async function writeWithYields(
  value: unknown,
  stepBytes: number = limits.stream.yieldEveryBytes,
): Promise<Buffer[]> {
  const written: Buffer[] = [];
  let held = "";
  for (const piece of pieces(value)) {
    held += piece;
    if (held.length < stepBytes) continue;
    written.push(Buffer.from(held));
    held = "";
    await nextTurn();
  }
  written.push(Buffer.from(held));
  return written;
}
