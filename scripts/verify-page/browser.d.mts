/** The part of Node's `Buffer` that verify.mjs uses. */
export class Buffer extends Uint8Array<ArrayBuffer> {
  static from(value: string | Iterable<number>, encoding?: "utf8" | "base64" | "hex"): Buffer;
  toString(encoding?: "base64" | "hex"): string;
}

/** SHA-256. */
export function createHash(): { update(bytes: Uint8Array): { digest(): Buffer } };
