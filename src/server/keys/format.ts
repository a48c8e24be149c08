import { crc32 } from "node:zlib";
import { sha256 } from "#server/platform/crypto.ts";
import { randomBase62, toBase62 } from "#server/platform/ids.ts";

/** `<prefix>_` + 12 characters public id + 43 secret (256 bit) + 6 CRC32, all base62. */
const publicLength = 12;
const secretLength = 43;
const checksumLength = 6;
const bodyLength = publicLength + secretLength;

const checksum = (text: string): string => toBase62(crc32(text), checksumLength);

/** Makes a new key. The plain text exists only in what this returns. */
export function mintKey(prefix: string): string {
  const body = `${prefix}_${randomBase62(bodyLength)}`;
  return body + checksum(body);
}

export interface ParsedKey {
  readonly publicId: string;
  /** SHA-256 of the whole key, the only form in which it is stored or looked up. */
  readonly digest: string;
  readonly lastFour: string;
}

/** Whether a key begins as those of this installation do. */
export const isOurs = (text: string, prefix: string): boolean =>
  text.startsWith(prefix) && text[prefix.length] === "_";

/** Reads a key of this installation, or returns null when length, alphabet, prefix or checksum are wrong. */
export function parseKey(text: string, prefix: string): ParsedKey | null {
  const bodyEnd = prefix.length + 1 + bodyLength;
  if (text.length !== bodyEnd + checksumLength || !isOurs(text, prefix)) return null;
  if (checksum(text.slice(0, bodyEnd)) !== text.slice(bodyEnd)) return null;
  const start = prefix.length + 1;
  return {
    publicId: text.slice(start, start + publicLength),
    digest: sha256(text),
    lastFour: text.slice(-4),
  };
}

/** Whether a text is a key in the form of this installation's. */
export const isKeyOfInstallation = (text: string, prefix: string): boolean => parseKey(text, prefix) !== null;

/** The public part of a key; null for a text that is no key of this installation. */
export const publicIdOf = (text: string, prefix: string): string | null =>
  parseKey(text, prefix)?.publicId ?? null;
