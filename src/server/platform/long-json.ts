import { jsonByte } from "./json-byte.ts";
import { limits } from "./limits.ts";

/** How many characters are left until a value counts as long. */
interface Left {
  chars: number;
}

/** The approximate length of a number or literal with its punctuation. */
const plainChars = 8;

function take(value: unknown, left: Left): void {
  if (typeof value === "string") {
    left.chars -= value.length + 2;
    return;
  }
  left.chars -= plainChars;
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left.chars > 0; at++) take(value[at], left);
    return;
  }
  for (const name of Object.keys(value)) {
    if (left.chars <= 0) return;
    left.chars -= name.length;
    take((value as Record<string, unknown>)[name], left);
  }
}

/** Whether a JSON value is so long that writing it at once would block other requests. Stops as soon as it is known. */
export function isLongJson(value: unknown, charsMax: number = limits.body.yieldAboveBytes): boolean {
  const left = { chars: charsMax };
  take(value, left);
  return left.chars <= 0;
}

const { backslash, quote } = jsonByte;
/** Control characters that JSON has a short escape for: \b \t \n \f \r. */
const shortEscapes = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

function textBytes(text: string): number {
  let bytes = Buffer.byteLength(text) + 2;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x20 && code !== quote && code !== backslash) continue;
    bytes += code >= 0x20 || shortEscapes.has(code) ? 1 : 5;
  }
  return bytes;
}

/** How many bytes `JSON.stringify` writes for a JSON value of well-formed texts, without writing them. */
export function jsonBytes(value: unknown): number {
  if (typeof value === "string") return textBytes(value);
  if (typeof value !== "object" || value === null) return String(value).length;
  const isArray = Array.isArray(value);
  let bytes = 2;
  let members = 0;
  for (const name of Object.keys(value)) {
    const inner: unknown = (value as Record<string, unknown>)[name];
    if (inner === undefined && !isArray) continue;
    members++;
    bytes += jsonBytes(inner ?? null) + (isArray ? 0 : textBytes(name) + 1);
  }
  return bytes + Math.max(0, members - 1);
}
