import type { KeyObject } from "node:crypto";

/** A proof that does not hold, or is not one. The message says why. */
export class NotValid extends Error {}

export interface PublicKey {
  readonly text: string;
  readonly name: string;
  readonly id: string;
  readonly key: KeyObject;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  /** The public keys that signed it. */
  readonly signedWith: readonly string[];
}

export function readPublicKey(text: unknown, type?: "log" | "witness"): PublicKey;
/** The signatures of witnesses; each of them must have signed. Throws `NotValid`. */
export function verifyCosignatures(
  note: string,
  witnesses: readonly PublicKey[],
): readonly { readonly name: string; readonly time: string }[];
export function verifyCheckpoint(note: unknown, keys: readonly PublicKey[]): Checkpoint;
export function readProof(text: unknown): {
  readonly index: number;
  readonly path: readonly Buffer[];
  readonly checkpoint: string;
};
export function verifyInclusion(
  leaf: Buffer,
  index: number,
  path: readonly Buffer[],
  checkpoint: Checkpoint,
): void;
export function verifyConsistency(
  earlier: Pick<Checkpoint, "size" | "root">,
  path: readonly Buffer[],
  later: Checkpoint,
): void;
/** An entry that is in a log. */
export interface VerifiedEntry {
  readonly index: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly checkpoint: Checkpoint;
  /** The checkpoint of the proof with all its signatures. */
  readonly note: string;
}

export function verifyAuditEntry(file: object, keys: readonly PublicKey[]): VerifiedEntry;
/** The fields are those of the record, with what is said of a person and the decision. */
export function verifyReceipt(file: object, keys: readonly PublicKey[]): VerifiedEntry;
export function verifyGrowth(
  file: object,
  earlierNote: string,
  keys: readonly PublicKey[],
): { readonly earlier: Checkpoint; readonly checkpoint: Checkpoint };
/** Returns what is proven and what is not, line by line. Throws `NotValid`. */
export function verifyFile(
  file: object,
  given: {
    readonly keys?: readonly string[];
    readonly witnesses?: readonly string[];
    readonly checkpoint?: string;
    /** The bodies of request and answer, and the client's key of their digests. */
    readonly content?: {
      readonly key?: string | undefined;
      readonly request?: Uint8Array | undefined;
      readonly answer?: Uint8Array | undefined;
    };
  },
): readonly string[];
export function run(args: readonly string[]): { readonly code: number; readonly text: string };
