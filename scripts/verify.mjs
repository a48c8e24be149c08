// Verifies proofs of a transparency log offline, with nothing but Node: node verify.mjs --help. The formats are those
// of docs/transparency-log.md. It shares no code with the server, so that a mistake there is not repeated here.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** A proof that does not hold, or is not one. The message says why. */
export class NotValid extends Error {}

/** @param {boolean} holds @param {string} otherwise @returns {asserts holds} */
function require(holds, otherwise) {
  if (!holds) throw new NotValid(otherwise);
}

/** @param {Uint8Array[]} parts */
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
/** RFC 9162 2.1.1. @param {Uint8Array} entry */
const leafHash = (entry) => sha256(Buffer.of(0), entry);
/** @param {Uint8Array} left @param {Uint8Array} right */
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);

/** Strict base64: another spelling of the same bytes is refused. @param {unknown} text @param {string} what */
function bytesOf(text, what) {
  const bytes = Buffer.from(String(text), "base64");
  require(typeof text === "string" && bytes.toString("base64") === text, `${what} is not base64`);
  return bytes;
}

/** @param {unknown} text @param {string} what */
function hashOf(text, what) {
  const bytes = bytesOf(text, what);
  require(bytes.length === 32, `${what} is not a SHA-256 hash`);
  return bytes;
}

/** @param {unknown} text @param {string} what */
function numberOf(text, what) {
  require(typeof text === "string" && /^(0|[1-9]\d{0,14})$/.test(text), `${what} is not a number`);
  return Number(text);
}

/** The fixed beginning of an Ed25519 public key as SPKI (RFC 8410). */
const spkiBegin = Buffer.from("302a300506032b6570032100", "hex");

/** Reads `name+ID+key` (C2SP signed-note). @param {unknown} text */
export function readPublicKey(text) {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(.+)$/.exec(String(text)) ?? [];
  require(name !== undefined && id !== undefined, "The public key must have the form name+ID+key");
  const typed = bytesOf(encoded, "The public key");
  require(typed.length === 33 && typed[0] === 1, "The public key is not an Ed25519 key");
  const expected = sha256(Buffer.from(`${name}\n`), typed)
    .subarray(0, 4)
    .toString("hex");
  require(id === expected, "The ID of the public key is not that of its bytes");
  const key = createPublicKey({
    key: Buffer.concat([spkiBegin, typed.subarray(1)]),
    format: "der",
    type: "spki",
  });
  return { text: String(text), name, id, key };
}

/** @typedef {ReturnType<typeof readPublicKey>} PublicKey */
/** @typedef {{ origin: string, size: number, root: Buffer, signedWith: string[] }} Checkpoint */

/**
 * Verifies a checkpoint (C2SP tlog-checkpoint). Signatures of other keys are ignored; one of `keys` must have signed.
 * @param {unknown} note @param {readonly PublicKey[]} keys @returns {Checkpoint}
 */
export function verifyCheckpoint(note, keys) {
  require(typeof note === "string", "There is no checkpoint");
  const end = note.lastIndexOf("\n\n");
  require(end > 0 && note.endsWith("\n"), "The checkpoint is not a signed note");
  const text = note.slice(0, end + 1);
  const [origin = "", sizeText, rootText, ...others] = text.slice(0, -1).split("\n");
  require(origin !== "", "The checkpoint has no origin");
  require(others.every((line) => line !== ""), "The checkpoint has an empty line");
  const size = numberOf(sizeText, "The number of entries of the checkpoint");
  const root = hashOf(rootText, "The root hash of the checkpoint");
  const signedWith = [];
  for (const line of note.slice(end + 2, -1).split("\n")) {
    const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    require(name !== undefined, "The checkpoint has a line that is not a signature");
    const signature = bytesOf(encoded, "A signature of the checkpoint");
    require(signature.length > 4, "A signature of the checkpoint is too short");
    const id = signature.subarray(0, 4).toString("hex");
    const known = keys.find((key) => key.name === name && key.id === id);
    if (!known) continue;
    const holds = verify(null, Buffer.from(text), known.key, signature.subarray(4));
    require(holds, `The signature of ${name} is not valid`);
    signedWith.push(known.text);
  }
  require(signedWith.length > 0, "The checkpoint is not signed with one of the public keys");
  require(keys.some((key) => key.name === origin), "The public keys are not those of this log");
  return { origin, size, root, signedWith };
}

/**
 * Verifies that a leaf is at `index` in the tree of a checkpoint (RFC 9162 2.1.3.2).
 * @param {Buffer} leaf @param {number} index @param {readonly Buffer[]} path @param {Checkpoint} checkpoint
 */
export function verifyInclusion(leaf, index, path, { size, root }) {
  require(index < size, "The entry is not among those of the checkpoint");
  let [node, last] = [BigInt(index), BigInt(size - 1)];
  let hash = leaf;
  for (const one of path) {
    require(last > 0n, "The inclusion proof is too long");
    if (node % 2n === 1n || node === last) {
      hash = nodeHash(one, hash);
      while (node % 2n === 0n && node > 0n) [node, last] = [node >> 1n, last >> 1n];
    } else hash = nodeHash(hash, one);
    [node, last] = [node >> 1n, last >> 1n];
  }
  require(last === 0n &&
    hash.equals(root), "The entry is not in the log: its proof leads to another root hash");
}

/**
 * Verifies that a tree continues an earlier one (RFC 9162 2.1.4.2).
 * @param {{ size: number, root: Buffer }} earlier @param {readonly Buffer[]} path @param {Checkpoint} later
 */
export function verifyConsistency(earlier, path, later) {
  const otherwise = "The log was changed: it does not continue the earlier checkpoint";
  require(earlier.size <= later.size, otherwise);
  if (earlier.size === 0 || earlier.size === later.size) {
    const isSame = earlier.size === 0 ? earlier.root.equals(sha256()) : earlier.root.equals(later.root);
    require(isSame && path.length === 0, otherwise);
    return;
  }
  const isPower = Number.isInteger(Math.log2(earlier.size));
  const [begin, ...rest] = isPower ? [earlier.root, ...path] : path;
  require(begin !== undefined, otherwise);
  let [node, last] = [BigInt(earlier.size - 1), BigInt(later.size - 1)];
  while (node % 2n === 1n) [node, last] = [node >> 1n, last >> 1n];
  let [old, now] = [begin, begin];
  for (const one of rest) {
    require(last > 0n, otherwise);
    if (node % 2n === 1n || node === last) {
      [old, now] = [nodeHash(one, old), nodeHash(one, now)];
      while (node % 2n === 0n && node > 0n) [node, last] = [node >> 1n, last >> 1n];
    } else now = nodeHash(now, one);
    [node, last] = [node >> 1n, last >> 1n];
  }
  require(last === 0n && old.equals(earlier.root) && now.equals(later.root), otherwise);
}

/** Reads a proof (C2SP tlog-proof). @param {unknown} text */
export function readProof(text) {
  require(typeof text === "string", "There is no proof");
  const end = text.indexOf("\n\n");
  const lines = text.slice(0, Math.max(0, end)).split("\n");
  require(lines.shift() ===
    "c2sp.org/tlog-proof@v1", "This is not a proof of a transparency log (C2SP tlog-proof)");
  if (lines[0]?.startsWith("extra ")) bytesOf(lines.shift()?.slice(6), "The extra data of the proof");
  const index = lines.shift() ?? "";
  require(index.startsWith("index "), "The proof does not name the index of its entry");
  return {
    index: numberOf(index.slice(6), "The index of the proof"),
    path: lines.map((line) => hashOf(line, "A hash of the proof")),
    checkpoint: text.slice(end + 2),
  };
}

const fieldNames =
  "organisation, position, previous hash, time, actor type, actor, action, object type, object, request, address, before, after".split(
    ", ",
  );

/** The entry of a row of the audit log. @param {unknown} text */
function auditLeaf(text) {
  require(typeof text === "string", "There is no text of the entry");
  /** @type {unknown} */
  let fields;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new NotValid("The text of the entry is not JSON");
  }
  require(Array.isArray(fields) &&
    fields.length === fieldNames.length, "The text is not that of an audit entry");
  const [organisation, position] = fields;
  require(Number.isSafeInteger(position) && position > 0, "The entry has no position");
  const id = Buffer.alloc(16);
  id.writeBigUInt64BE(BigInt(position), 8);
  const leaf = leafHash(Buffer.concat([Buffer.of(1), id, sha256(Buffer.from(text))]));
  return { leaf, organisation, fields: Object.fromEntries(fieldNames.map((name, at) => [name, fields[at]])) };
}

/**
 * Verifies a file from `GET /audit-log/{position}/proof`. Throws `NotValid`.
 * @param {Record<string, unknown>} file @param {readonly PublicKey[]} keys
 */
export function verifyAuditEntry(file, keys) {
  const { leaf, organisation, fields } = auditLeaf(file.text);
  const { index, path, checkpoint: note } = readProof(file.proof);
  const checkpoint = verifyCheckpoint(note, keys);
  verifyInclusion(leaf, index, path, checkpoint);
  const isOwn = checkpoint.origin.split("/").includes(String(organisation));
  require(isOwn, "The entry is of another organisation than the log");
  return { index, fields, checkpoint };
}

/**
 * Verifies a file from `GET /transparency-log/consistency` against a checkpoint that was stored earlier. Throws
 * `NotValid`.
 * @param {Record<string, unknown>} file @param {string} earlierNote @param {readonly PublicKey[]} keys
 */
export function verifyGrowth(file, earlierNote, keys) {
  const earlier = verifyCheckpoint(earlierNote, keys);
  const checkpoint = verifyCheckpoint(file.checkpoint, keys);
  require(earlier.origin === checkpoint.origin, "The two checkpoints are of different logs");
  require(file.from === earlier.size, `The proof is for another checkpoint: ask for from=${earlier.size}`);
  require(Array.isArray(file.hashes), "The file has no hashes");
  const path = file.hashes.map((one) => hashOf(one, "A hash of the proof"));
  verifyConsistency(earlier, path, checkpoint);
  return { earlier, checkpoint };
}

const help = `Verifies proofs of a transparency log offline.

  node verify.mjs proof.json --key <public key>
      an entry of the audit log: the answer of GET /audit-log/{position}/proof
  node verify.mjs consistency.json --key <public key> --checkpoint earlier.txt
      that the log only grew: the answer of GET /transparency-log/consistency?from=<entries>

--key can be given more than once, after a change of the key. Use the public key that you stored earlier, not the one in
the file: whoever can forge a proof can also put another key into it.
`;

/** @param {string[]} args @returns {{ code: number, text: string }} */
export function run(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      key: { type: "string", multiple: true },
      checkpoint: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const [path] = positionals;
  if (values.help || path === undefined) return { code: values.help ? 0 : 2, text: help };
  const file = JSON.parse(readFileSync(path, "utf8"));
  const given = values.key ?? file.public_keys;
  require(Array.isArray(given), "Give the public key of the log with --key");
  const keys = given.map(readPublicKey);
  const trust = values.key
    ? "that the log's operator shows everybody the same log: compare checkpoints with others, or with published ones"
    : "that this is the organisation's log: the public key came from the file itself. Give the one you stored with --key";
  if (file.type === "consistency") {
    require(values.checkpoint !== undefined, "Give the earlier checkpoint with --checkpoint");
    const { earlier, checkpoint } = verifyGrowth(file, readFileSync(values.checkpoint, "utf8"), keys);
    return {
      code: 0,
      text: `VALID
Proven: the log ${checkpoint.origin} has ${checkpoint.size} entries. Its first ${earlier.size} are those of the earlier
  checkpoint: none of them was changed, removed or reordered since.
Not proven: ${trust}.
`,
    };
  }
  require(file.type === "audit_entry", "The file is neither a proof of an audit entry nor of consistency");
  const { index, fields, checkpoint } = verifyAuditEntry(file, keys);
  const content = Object.entries(fields).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  return {
    code: 0,
    text: `VALID
Proven: this entry of the audit log is entry ${index} of the log ${checkpoint.origin},
  which had ${checkpoint.size} entries when the checkpoint was signed:
${content.join("")}Not proven: ${trust};
  nor that the change was right: proven is that it was recorded like this.
`,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    const { code, text } = run(process.argv.slice(2));
    process.stdout.write(text);
    process.exitCode = code;
  } catch (error) {
    if (
      !(
        error instanceof NotValid ||
        error instanceof SyntaxError ||
        (error instanceof Error && "code" in error)
      )
    )
      throw error;
    process.stdout.write(`NOT VALID: ${error.message}\n`);
    process.exitCode = 1;
  }
}
