import { createHash, randomBytes, randomFillSync } from "node:crypto";
import { clock } from "./clock.ts";

const pool = Buffer.allocUnsafe(4096);
let poolUsed = pool.length;

function drawTen(): number {
  if (poolUsed + 10 > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const at = poolUsed;
  poolUsed += 10;
  return at;
}

const digits = Buffer.from("0123456789abcdef");
const text = Buffer.alloc(36, "-");

function put(at: number, byte: number): void {
  text[at] = digits[byte >>> 4] as number;
  text[at + 1] = digits[byte & 0x0f] as number;
}

/**
 * A UUID version 7 (RFC 9562): sorts by time, so it is a good primary key. Random bytes are pooled. Written as
 * bytes: text that is put together from pieces makes every `JSON.stringify` it is in three times as slow.
 */
export function uuidv7(): string {
  const at = drawTen();
  const random = (offset: number) => pool[at + offset] as number;
  const time = clock.nowMs();
  const high = Math.floor(time / 2 ** 32);
  put(0, (high >>> 8) & 0xff);
  put(2, high & 0xff);
  put(4, (time >>> 24) & 0xff);
  put(6, (time >>> 16) & 0xff);
  put(9, (time >>> 8) & 0xff);
  put(11, time & 0xff);
  put(14, 0x70 | (random(0) & 0x0f));
  put(16, random(1));
  put(19, 0x80 | (random(2) & 0x3f));
  put(21, random(3));
  for (let offset = 4; offset < 10; offset++) put(16 + 2 * offset, random(offset));
  return text.toString("latin1");
}

const scratch = Buffer.alloc(64);

/** `<prefix>-<uuid>`, 64 characters at most, written as bytes for the same reason. */
export function prefixedId(prefix: string, uuid: string): string {
  const length = scratch.write(`${prefix}-${uuid}`, "latin1");
  return scratch.toString("latin1", 0, length);
}

/** A UUID version 5 (RFC 9562): the same name always gives the same id. */
export function uuidv5(namespace: string, name: string): string {
  const digest = createHash("sha1")
    .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
    .update(name)
    .digest();
  digest[6] = 0x50 | ((digest[6] as number) & 0x0f);
  digest[8] = 0x80 | ((digest[8] as number) & 0x3f);
  const hex = digest.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Random bytes from the operating system in lower-case hexadecimal, two digits each. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString("hex");

/** Random bytes from the operating system, base64url without padding. */
export const randomToken = (bytes: number): string => randomBytes(bytes).toString("base64url");

const base62Alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` characters drawn evenly from base62 (bytes past the last whole multiple of 62 are thrown away). */
export function randomBase62(length: number): string {
  let out = "";
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && out.length < length) out += base62Alphabet[byte % 62];
    }
  }
  return out;
}

/** `value` in base62, padded to `length` characters. */
export function toBase62(value: number, length: number): string {
  let out = "";
  for (let rest = value, at = 0; at < length; at++, rest = Math.floor(rest / 62)) {
    out = base62Alphabet[rest % 62] + out;
  }
  return out;
}

/** A pseudo-random source in [0, 1). Routing draws from it; tests hand in a seeded one. */
export type Random = () => number;
export const systemRandom: Random = Math.random;
