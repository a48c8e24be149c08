import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { deriveKey } from "./crypto.ts";

/** Where a secret is stored. Its text can be decrypted for this place only, not after a move to another row. */
export interface SealedPlace {
  readonly table: string;
  readonly column: string;
  readonly rowId: string;
  readonly orgId: string;
}

/** Encryption of stored secrets: AES-256-GCM with a random key per text, which the installation's key encrypts. */
export interface Sealer {
  /** IDs of the keys: first the one that encrypts, then those that only decrypt. */
  readonly keyIds: readonly [string, ...string[]];
  seal(text: string, place: SealedPlace): string;
  /** Throws if the text was altered, encrypted for another place, or with a key this installation does not have. */
  open(sealed: string, place: SealedPlace): string;
}

const algorithm = "aes-256-gcm";
const [ivBytes, tagBytes, keyBytes] = [12, 16, 32];
const version = "s1";

function encrypt(key: Buffer, plain: Uint8Array, associated: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(
    Buffer.from(associated),
  );
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, associated: string): Buffer {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(associated)).setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]);
}

const idOf = (key: Buffer): string => createHash("sha256").update(key).digest("hex").slice(0, 8);

/** The beginning of every text a key has encrypted. */
export const sealedPrefix = (keyId: string): string => `${version}.${keyId}.`;

/** The ID of the key a text was encrypted with. */
export const keyIdOf = (sealed: string): string => sealed.split(".")[1] ?? "";

const wrappedBytes = ivBytes + keyBytes + tagBytes;

/** Encrypts with the first of the installation's keys and decrypts with any of them. */
export function createSealer([master, ...previous]: readonly [Uint8Array, ...Uint8Array[]]): Sealer {
  const current = deriveKey(master, "sealing");
  const id = idOf(current);
  const earlier = previous.map((other) => deriveKey(other, "sealing"));
  const keys = new Map([current, ...earlier].map((key) => [idOf(key), key]));
  const associatedOf = (keyId: string, { table, column, rowId, orgId }: SealedPlace) =>
    [version, table, column, rowId, orgId, keyId].join("|");
  return {
    keyIds: [id, ...[...keys.keys()].slice(1)],
    seal(text, place) {
      const associated = associatedOf(id, place);
      const own = randomBytes(keyBytes);
      const body = Buffer.concat([
        encrypt(current, own, associated),
        encrypt(own, Buffer.from(text), associated),
      ]);
      return `${sealedPrefix(id)}${body.toString("base64url")}`;
    },
    open(sealed, place) {
      const [, keyId = "", body = ""] = sealed.split(".");
      const known = keys.get(keyId);
      if (!known) throw new Error(`Sealed with the key ${keyId}, which this installation does not have`);
      const bytes = Buffer.from(body, "base64url");
      const associated = associatedOf(keyId, place);
      const own = decrypt(known, bytes.subarray(0, wrappedBytes), associated);
      return decrypt(own, bytes.subarray(wrappedBytes), associated).toString();
    },
  };
}
