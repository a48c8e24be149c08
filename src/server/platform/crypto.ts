import { hash, hkdfSync } from "node:crypto";

/** SHA-256 as base64url, the form in which keys and codes are stored and looked up. */
export const sha256 = (data: string | Buffer): string => hash("sha256", data, "base64url");

/** SHA-256 as hexadecimal digits. */
export const sha256Hex = (data: string): string => hash("sha256", data, "hex");

/** A 32-byte key for one purpose, derived from the installation's key (RFC 5869). */
export const deriveKey = (master: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", master, "portolan", purpose, 32));
