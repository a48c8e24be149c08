import { hash, hkdfSync, timingSafeEqual } from "node:crypto";

/** SHA-256 as base64url, the form in which keys and codes are stored and looked up. */
export const sha256 = (text: string): string => hash("sha256", text, "base64url");

/** Constant-time equality of two strings of possibly different length. */
export function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A 32-byte key for one purpose, derived from the installation's key (RFC 5869). */
export const deriveKey = (master: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", master, "portolan", purpose, 32));
