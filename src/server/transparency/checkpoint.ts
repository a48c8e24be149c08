import type { NoteKey } from "./note.ts";

/** What a log says about itself (C2SP tlog-checkpoint). */
export interface TreeHead {
  /** Names the log. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

const textOf = ({ origin, size, root }: TreeHead): string =>
  `${origin}\n${size}\n${root.toString("base64")}\n`;

/** A checkpoint, signed with each of the keys. */
export function signCheckpoint(head: TreeHead, keys: readonly NoteKey[]): string {
  const text = textOf(head);
  return `${text}\n${keys.map((key) => `${key.signatureLine(text)}\n`).join("")}`;
}

/** The text that the signatures of a checkpoint cover; empty if it is not a signed note. */
export const noteTextOf = (checkpoint: string): string =>
  checkpoint.slice(0, checkpoint.lastIndexOf("\n\n") + 1);

/** Whether a checkpoint is signed with one of the keys. */
export function isSignedBy(checkpoint: string, keys: readonly NoteKey[]): boolean {
  const text = noteTextOf(checkpoint);
  const lines = checkpoint.slice(text.length + 1).split("\n");
  // Signatures of Ed25519 are deterministic.
  return text !== "" && keys.some((key) => lines.includes(key.signatureLine(text)));
}

/** Whether a checkpoint contains this state of a log, and is signed with one of the keys. */
export const isSigned = (checkpoint: string, head: TreeHead, keys: readonly NoteKey[]): boolean =>
  checkpoint.startsWith(`${textOf(head)}\n`) && isSignedBy(checkpoint, keys);

/** A proof that the entry at `index` is in the log (C2SP tlog-proof). */
export const inclusionProof = (index: number, path: readonly Buffer[], checkpoint: string): string =>
  `c2sp.org/tlog-proof@v1\nindex ${index}\n${path.map((one) => `${one.toString("base64")}\n`).join("")}\n${checkpoint}`;
