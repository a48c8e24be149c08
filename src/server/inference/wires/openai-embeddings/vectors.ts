import { malformed } from "#server/inference/pipeline/failures.ts";

const bytesPerFloat = 4;

/** How many numbers a vector in base64 has; broken when its bytes do not come out even. */
export const dimensionsOf = (base64: string): number => Buffer.byteLength(base64, "base64") / bytesPerFloat;

/** Numbers → base64. Each is rounded to the nearest 32-bit float, the precision models compute in. Throws `AttemptError`. */
export function toBase64(numbers: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(numbers.length * bytesPerFloat);
  let offset = 0;
  for (const number of numbers) {
    if (!Number.isFinite(number)) throw malformed("a vector holds what is no number", 200);
    offset = bytes.writeFloatLE(number, offset);
  }
  return bytes.toString("base64");
}

/** Base64 → numbers. Bytes after the last whole number do not count. */
export function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  const numbers: number[] = [];
  for (let offset = 0; offset + bytesPerFloat <= bytes.length; offset += bytesPerFloat)
    numbers.push(bytes.readFloatLE(offset));
  return numbers;
}

/** A vector as the JSON the client gets: made when it comes, and not looked into again. */
export class VectorJson {
  readonly json: string;
  readonly dimensions: number;
  constructor(json: string, dimensions: number) {
    this.json = json;
    this.dimensions = dimensions;
  }
}

/** The list inside of a JSON text, when there is only one. */
function onlyListIn(text: string): string | null {
  const from = text.indexOf("[");
  const to = text.indexOf("]");
  const only = from === text.lastIndexOf("[") && to === text.lastIndexOf("]");
  return only ? text.slice(from, to + 1) : null;
}

/** The numbers of a vector are not looked at one by one: there are millions of them. */
const areNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && typeof value[0] === "number";

/**
 * A vector in the format the client wants, whether it came as numbers or as base64; null when it is none. Numbers
 * pass as they stand in `text`, the JSON they were parsed from.
 */
export function vectorJson(value: unknown, format: unknown, text?: string): VectorJson | null {
  if (value instanceof VectorJson) return value;
  if (typeof value === "string") {
    const json = JSON.stringify(format === "base64" ? value : fromBase64(value));
    return new VectorJson(json, dimensionsOf(value));
  }
  if (!areNumbers(value)) return null;
  if (format === "base64") return new VectorJson(`"${toBase64(value)}"`, value.length);
  return new VectorJson((text && onlyListIn(text)) ?? JSON.stringify(value), value.length);
}
