import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from "node:crypto";
import { deriveKey } from "#server/platform/crypto.ts";
import { limits } from "#server/platform/limits.ts";

/** The type byte of an Ed25519 signature (C2SP signed-note). */
const ed25519Type = 1;
/** The fixed beginning of an Ed25519 private key as PKCS #8 (RFC 8410), before its 32 bytes. */
const pkcs8Begin = Buffer.from("302e020100300506032b657004220420", "hex");
const publicKeyBytes = 32;

export interface NoteKey {
  /** `name+ID+key`, as Go's sumdb/note and the tools of C2SP take it. */
  readonly publicKey: string;
  /** The signature line of a note's text, without the line's end. */
  readonly signatureLine: (text: string) => string;
}

/** The ID of a key (C2SP signed-note); `typed` is its type byte and its bytes. */
export const noteKeyId = (name: string, typed: Buffer): Buffer =>
  hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), typed]), "buffer").subarray(0, 4);

function noteKey(name: string, seed: Buffer): NoteKey {
  const key: KeyObject = createPrivateKey({
    key: Buffer.concat([pkcs8Begin, seed]),
    format: "der",
    type: "pkcs8",
  });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  const typed = Buffer.concat([Buffer.of(ed25519Type), spki.subarray(-publicKeyBytes)]);
  const id = noteKeyId(name, typed);
  return {
    publicKey: `${name}+${id.toString("hex")}+${typed.toString("base64")}`,
    signatureLine: (text) =>
      `— ${name} ${Buffer.concat([id, sign(null, Buffer.from(text), key)]).toString("base64")}`,
  };
}

/** Signs the logs of an installation, each with a key of its own. */
export interface LogSigner {
  /** Identifies the installation's key that the current keys of the logs are derived from. */
  readonly id: string;
  /** The same for keys that are being replaced. */
  readonly previousIds: readonly string[];
  /** The keys of a log: first the current one, then those that are being replaced. */
  keysOf(origin: string): readonly [NoteKey, ...NoteKey[]];
}

const purpose = "transparency log";
const idOf = (master: Uint8Array): string =>
  hash("sha256", deriveKey(master, `${purpose} id`), "hex").slice(0, 16);

/** The signer with keys that are derived from the installation's (RFC 5869): no private key is stored. */
export function createLogSigner([master, ...previous]: readonly [Uint8Array, ...Uint8Array[]]): LogSigner {
  const keyFor = (one: Uint8Array, origin: string) => noteKey(origin, deriveKey(one, `${purpose} ${origin}`));
  const known = new Map<string, readonly [NoteKey, ...NoteKey[]]>();
  return {
    id: idOf(master),
    previousIds: previous.map(idOf),
    keysOf(origin) {
      const found = known.get(origin);
      if (found) return found;
      const keys = [keyFor(master, origin), ...previous.map((one) => keyFor(one, origin))] as const;
      if (known.size >= limits.transparency.knownKeysMax) known.clear();
      known.set(origin, keys);
      return keys;
    },
  };
}
