import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { noteKeyId } from "./note.ts";

/** The type byte of a timestamped Ed25519 signature (C2SP tlog-cosignature). */
const cosignatureType = 4;
/** The fixed beginning of an Ed25519 public key as SPKI (RFC 8410), before its 32 bytes. */
const spkiBegin = Buffer.from("302a300506032b6570032100", "hex");
const publicKeyBytes = 32;
const timestampBytes = 8;
/** The last second with a year of four digits. */
const secondsMax = 253_402_300_799n;

/** Somebody else who signs checkpoints, after verifying that the log only grew (C2SP tlog-witness). */
export interface Witness {
  readonly name: string;
  /** Four bytes as hexadecimal digits. */
  readonly keyId: string;
  readonly key: KeyObject;
  /** Where checkpoints are submitted, `/add-checkpoint` included. */
  readonly url: URL;
}

/** The witness of an item of `TRANSPARENCY_WITNESSES`: `name+ID+key URL`; null if it is not one. */
export function readWitness(item: string): Witness | null {
  const [, name, keyId, encoded, prefix] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)\s+(https?:\/\/\S+)$/.exec(item) ?? [];
  if (name === undefined || keyId === undefined || encoded === undefined || prefix === undefined) return null;
  const typed = Buffer.from(encoded, "base64");
  const isCosigner = typed.length === 1 + publicKeyBytes && typed[0] === cosignatureType;
  if (!isCosigner || noteKeyId(name, typed).toString("hex") !== keyId || !URL.canParse(prefix)) return null;
  const key = createPublicKey({
    key: Buffer.concat([spkiBegin, typed.subarray(1)]),
    format: "der",
    type: "spki",
  });
  return { name, keyId, key, url: new URL(`${prefix.replace(/\/+$/, "")}/add-checkpoint`) };
}

export interface Cosignature {
  /** The signature line, without the line's end. */
  readonly line: string;
  /** When the witness signed, in ms. */
  readonly signedAtMs: number;
}

/**
 * Finds a witness's valid signature of a checkpoint's text among the lines of its answer. Null if there is none: lines of
 * other keys are ignored.
 */
export function findCosignature(answer: string, text: string, witness: Witness): Cosignature | null {
  for (const line of answer.split("\n")) {
    const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== witness.name || encoded === undefined) continue;
    const bytes = Buffer.from(encoded, "base64");
    if (bytes.subarray(0, 4).toString("hex") !== witness.keyId || bytes.length < 4 + timestampBytes) continue;
    const seconds = bytes.readBigUInt64BE(4);
    if (seconds > secondsMax) continue;
    const message = Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
    if (verify(null, message, witness.key, bytes.subarray(4 + timestampBytes)))
      return { line, signedAtMs: Number(seconds) * 1000 };
  }
  return null;
}
