import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey, sha256 } from "./crypto.ts";

/** The result of verifying a row's signature. `foreign`: by a key that the settings do not contain. */
export type SealState = "holds" | "broken" | "missing" | "foreign";

/** Signs rows of the database, so that write access to the database alone cannot forge them. */
export interface RowSeal {
  /** IDs of the keys: first the one that signs, then those that only verify. */
  readonly keyIds: readonly [string, ...string[]];
  sign(parts: readonly (string | number)[]): string;
  check(parts: readonly (string | number)[], signature: string): SealState;
}

const macOf = (key: Buffer, parts: readonly (string | number)[]): string =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");

const keyIdLength = 8;
const idOf = (key: Buffer): string => sha256(key.toString("base64url")).slice(0, keyIdLength);

/** Signs with a key derived from the first of the installation's keys for this purpose, and verifies with any of them. */
export function createRowSeal(
  [master, ...previous]: readonly [Uint8Array, ...Uint8Array[]],
  purpose: string,
): RowSeal {
  const current = deriveKey(master, purpose);
  const keys = new Map(
    [current, ...previous.map((other) => deriveKey(other, purpose))].map((key) => [idOf(key), key]),
  );
  const id = idOf(current);
  return {
    keyIds: [id, ...[...keys.keys()].slice(1)],
    sign: (parts) => `${id}.${macOf(current, parts)}`,
    check(parts, signature) {
      if (signature === "") return "missing";
      const [keyId = "", mac = ""] = signature.split(".");
      const key = keys.get(keyId);
      if (!key) return "foreign";
      const expected = Buffer.from(macOf(key, parts));
      const given = Buffer.from(mac);
      return expected.length === given.length && timingSafeEqual(expected, given) ? "holds" : "broken";
    },
  };
}
