// Verifies proofs of a transparency log offline, with nothing but Node: node verify.mjs --help. The formats are those
// of docs/transparency-log.md. It shares no code with the server, so that a mistake there is not repeated here.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** A proof that does not hold, or is not one. The message says why. */
export class NotValid extends Error {}

function require(holds, otherwise) {
  if (!holds) throw new NotValid(otherwise);
}

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
/** RFC 9162 2.1.1. */
const leafHash = (entry) => sha256(Buffer.of(0), entry);
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);

/** HMAC-SHA256 (RFC 2104). */
function hmac(key, bytes) {
  const block = Buffer.alloc(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const padded = (byte) => Buffer.from(block.map((one) => one ^ byte));
  return sha256(padded(0x5c), sha256(padded(0x36), bytes));
}

/** Strict base64: another spelling of the same bytes is refused. */
function bytesOf(text, what) {
  const bytes = Buffer.from(String(text), "base64");
  require(typeof text === "string" && bytes.toString("base64") === text, `${what} is not base64`);
  return bytes;
}

function hashOf(text, what) {
  const bytes = bytesOf(text, what);
  require(bytes.length === 32, `${what} is not a SHA-256 hash`);
  return bytes;
}

function numberOf(text, what) {
  require(typeof text === "string" && /^(0|[1-9]\d{0,14})$/.test(text), `${what} is not a number`);
  return Number(text);
}

/** The fixed beginning of an Ed25519 public key as SPKI (RFC 8410). */
const spkiBegin = Buffer.from("302a300506032b6570032100", "hex");

/** Types of keys and signatures (C2SP signed-note). */
const keyTypes = { log: 1, witness: 4 };

/** Reads `name+ID+key` (C2SP signed-note). */
export function readPublicKey(text, type = "log") {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(.+)$/.exec(String(text)) ?? [];
  require(name !== undefined && id !== undefined, "The public key must have the form name+ID+key");
  const typed = bytesOf(encoded, "The public key");
  require(typed.length === 33 &&
    typed[0] === keyTypes[type], `The public key is not an Ed25519 key of a ${type}`);
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

/** The text of a signed note, and its signatures (C2SP signed-note). */
function readNote(note) {
  require(typeof note === "string", "There is no checkpoint");
  const end = note.lastIndexOf("\n\n");
  require(end > 0 && note.endsWith("\n"), "The checkpoint is not a signed note");
  const lines = note.slice(end + 2, -1).split("\n");
  const signatures = lines.map((line) => {
    const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    require(name !== undefined, "The checkpoint has a line that is not a signature");
    const bytes = bytesOf(encoded, "A signature of the checkpoint");
    require(bytes.length > 4, "A signature of the checkpoint is too short");
    return { name, id: bytes.subarray(0, 4).toString("hex"), bytes: bytes.subarray(4) };
  });
  return { text: note.slice(0, end + 1), signatures };
}

const isBy = (key) => (signature) => key.name === signature.name && key.id === signature.id;

/** Verifies a checkpoint (C2SP tlog-checkpoint). One of `keys` must have signed; signatures of other keys are ignored. */
export function verifyCheckpoint(note, keys) {
  const { text, signatures } = readNote(note);
  const [origin = "", sizeText, rootText, ...others] = text.slice(0, -1).split("\n");
  require(origin !== "", "The checkpoint has no origin");
  const isComplete = others.every((line) => line !== "");
  require(isComplete, "The checkpoint has an empty line");
  const size = numberOf(sizeText, "The number of entries of the checkpoint");
  const root = hashOf(rootText, "The root hash of the checkpoint");
  const signedWith = keys.filter((key) =>
    signatures.filter(isBy(key)).some(({ bytes }) => {
      require(verify(null, Buffer.from(text), key.key, bytes), `The signature of ${key.name} is not valid`);
      return true;
    }),
  );
  require(signedWith.length > 0, "The checkpoint is not signed with one of the public keys");
  const isOfLog = signedWith.some(({ name }) => name === origin);
  require(isOfLog, "The public keys are not those of this log");
  return { origin, size, root, signedWith: signedWith.map((key) => key.text) };
}

/** Verifies the signatures of witnesses on a checkpoint (C2SP tlog-cosignature). Each witness must have signed. */
export function verifyCosignatures(note, witnesses) {
  const { text, signatures } = readNote(note);
  return witnesses.map((witness) => {
    const { name, key } = witness;
    const bytes = signatures.find(isBy(witness))?.bytes;
    require(bytes?.length === 72, `The witness ${name} did not sign the checkpoint`);
    const seconds = bytes.readBigUInt64BE(0);
    require(seconds < 253_402_300_800n, `The witness ${name} signed at a time that does not exist`);
    const holds = verify(
      null,
      Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`),
      key,
      bytes.subarray(8),
    );
    require(holds, `The signature of the witness ${name} is not valid`);
    return { name, time: new Date(Number(seconds) * 1000).toISOString() };
  });
}

/** Verifies that a leaf is at `index` in the tree of a checkpoint (RFC 9162 2.1.3.2). */
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

/** Verifies that a tree continues an earlier one (RFC 9162 2.1.4.2). */
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

/** Reads a proof (C2SP tlog-proof). */
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

const fieldList =
  "organisation, position, previous hash, time, actor type, actor, action, object type, object, request, address, before, after";
const fieldNames = fieldList.split(", ");

function jsonOf(text, what) {
  require(typeof text === "string", `${what} is missing`);
  try {
    return JSON.parse(text);
  } catch {
    throw new NotValid(`${what} is not JSON`);
  }
}

const textHash = (text) => sha256(Buffer.from(text)).toString("hex");

/** An entry of the log: its kind, the ID of its object (16 bytes), and the hash of its text. */
const leafOf = (kind, id, text) => leafHash(Buffer.concat([Buffer.of(kind), id, sha256(Buffer.from(text))]));

/** The entry of a row of the audit log. */
function auditEntry({ text }) {
  const fields = jsonOf(text, "The text of the entry");
  const isEntry = Array.isArray(fields) && fields.length === fieldNames.length;
  require(isEntry, "The text is not that of an audit entry");
  const [organisation, position] = fields;
  require(Number.isSafeInteger(position) && position > 0, "The entry has no position");
  const id = Buffer.alloc(16);
  id.writeBigUInt64BE(BigInt(position), 8);
  const named = Object.fromEntries(fieldNames.map((name, at) => [name, fields[at]]));
  return { leaf: leafOf(1, id, text), organisation, fields: named };
}

/** The entry of a request, with what it says of a person and how it was routed, if both have the hashes it says. */
function receipt({ record: text, personal, personal_hash: personalHash, decision, facts = [] }) {
  const record = jsonOf(text, "The record");
  const id = Buffer.from(String(record?.id).replaceAll("-", ""), "hex");
  require(id.length === 16, "The record has no ID");
  const person = personal ? `${personal.salt}\n${personal.text}` : null;
  require(person === null || textHash(person) === personalHash, "What is said of a person was changed");
  const isDecided = typeof decision === "string";
  require(!isDecided || record.decision_hash === `\\x${textHash(decision)}`, "The decision was changed");
  const decided = isDecided ? jsonOf(decision, "The decision") : null;
  require(Array.isArray(facts), "The file has no facts");
  const known = facts.map((one) => {
    const stated = jsonOf(one, "The facts of an endpoint");
    require(decided?.facts?.includes(textHash(one)), "The facts of an endpoint were changed");
    return stated;
  });
  const fields = {
    ...record,
    ...(personal && jsonOf(personal.text, "What is said of a person")),
    ...(decided && { decision: decided, facts: known }),
  };
  const hashed = personalHash === "" ? text : `${text}\n${personalHash}`;
  return { leaf: leafOf(2, id, hashed), organisation: record.org_id, fields };
}

const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n';

/** The events of a streamed answer. Comments and heartbeats, which come while a provider is silent, have no digest. */
function eventsOf(bytes) {
  const events = new TextDecoder().decode(bytes).split(/(?<=\n\n)/);
  return Buffer.from(events.filter((event) => !event.startsWith(":") && event !== heartbeat).join(""));
}

/** Verifies that a request and its answer, of which at least one is given, are those of a receipt. */
function verifyContent(fields, { key, request, answer }, how) {
  require(key !== undefined, `Give the key of the digests with ${how.digestKey}`);
  const given = [
    ["request", fields.request_digest, request],
    ["answer", fields.answer_digest, answer && fields.streamed ? eventsOf(answer) : answer],
  ].filter(([, , bytes]) => bytes !== undefined);
  require(given.length > 0, `Give the request with ${how.request}, or the answer with ${how.answer}`);
  return given.map(([name, digest, bytes]) => {
    require(typeof digest ===
      "string", `The receipt has no digest of the ${name}: the client sent no key, or the request did not end with an answer`);
    const isSame = digest === `\\x${hmac(Buffer.from(key), bytes).toString("hex")}`;
    require(isSame, `The ${name} is not the one of this receipt, or the key of the digests is another`);
    return `Proven: the ${name} is the one of this receipt.`;
  });
}

function verifyEntry({ leaf, organisation, fields }, file, keys) {
  const { index, path, checkpoint: note } = readProof(file.proof);
  const checkpoint = verifyCheckpoint(note, keys);
  verifyInclusion(leaf, index, path, checkpoint);
  const isOwn = checkpoint.origin.split("/").includes(String(organisation));
  require(isOwn, "The entry is of another organisation than the log");
  return { index, fields, checkpoint, note };
}

/** Verifies a file from `GET /audit-log/{position}/proof`. Throws `NotValid`. */
export const verifyAuditEntry = (file, keys) => verifyEntry(auditEntry(file), file, keys);

/** Verifies a file from `GET /generations/{id}/receipt`. Throws `NotValid`. */
export const verifyReceipt = (file, keys) => verifyEntry(receipt(file), file, keys);

/** Verifies a file from `GET /transparency-log/consistency` against an earlier checkpoint. Throws `NotValid`. */
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
      an entry of the audit log or a request: GET /audit-log/{position}/proof, GET /generations/{id}/receipt
  node verify.mjs consistency.json --key <public key> --checkpoint earlier.txt
      that the log only grew: GET /transparency-log/consistency?from=<entries>

  node verify.mjs receipt.json --key <public key> --digest-key <key> --request body.json --answer answer.txt
      and that the receipt is about this request and this answer, if it was sent with the header x-portolan-digest-key

  --witness <public key>, with each of them: a witness must have signed the checkpoint. Can be given more than once.

--key can be given more than once, after a change of the key. Use the public key that you stored earlier, not the one in
the file: whoever can forge a proof can also put another key into it.
`;

const valid = (lines) => ({ code: 0, text: ["VALID", ...lines, ""].join("\n") });

const seenBy = (note, witnesses) =>
  verifyCosignatures(note, witnesses).map(
    ({ name, time }) => `Proven: the witness ${name} saw this checkpoint at ${time}, and only growth before.`,
  );

/** A fact as it was known, with its date and sources. */
const factText = (name, { value, as_of, sources }) => {
  const titles = sources.map(({ title }) => title).join(", ");
  return `      ${name}: ${value === null ? "unknown" : JSON.stringify(value)} (${as_of ?? "no date"}, ${titles || "no source"})`;
};

/** Every provider that received the request, in order, with what was known of it then. */
function receivedBy({ attempts, attempt_ms, endpoint, facts = [] }) {
  // Without attempts there was one, which answered.
  const all = attempts ?? (attempt_ms === null ? [] : [{ endpoint, outcome: "ok", status: 200 }]);
  if (all.length === 0) return ["  was received by: no provider"];
  return all.flatMap((one) => {
    const known = facts.find((some) => some.endpoint === one.endpoint);
    const how = one.status === null ? one.outcome : `${one.outcome}, HTTP ${one.status}`;
    const head = `  was received by: ${one.endpoint} (${how})`;
    if (!known) return [head, "      what was known of it is not in the file"];
    const { provider, place, training, retention_days: retention } = known;
    return [
      head,
      `      ${provider.name}, seat: ${provider.headquarters ?? "unknown"}`,
      ...(provider.legal_entity ? [factText("legal entity", provider.legal_entity)] : []),
      factText("runs in", { ...place, value: [...place.countries, ...place.region_groups] }),
      factText("EU-owned", provider.eu_owned),
      factText("days of retention", retention),
      factText("stores in", provider.storage_countries),
      factText("trains on content", training),
    ];
  });
}

/** The destinations that were handed a trace of the request. */
const handedTo = ({ destinations = [] }) =>
  destinations.map(({ id, content, residency, certain }) => {
    const what = content === "sent" ? "with prompt and answer" : `without prompt and answer (${content})`;
    const how = certain === false ? ", if its filters let it pass" : "";
    return `  a trace ${what} was handed to: destination ${id}, stores in: ${residency ?? "unknown"}${how}`;
  });

const types = {
  audit_entry: {
    verify: verifyAuditEntry,
    name: "entry of the audit log",
    summary: () => [],
    limit: "that the change was right. Proven is that it was recorded like this.",
  },
  generation: {
    verify: verifyReceipt,
    name: "request",
    summary: ({ fields }) => [
      ...receivedBy(fields),
      ...handedTo(fields),
      ...(fields.decision ? [] : ["  how it was routed is not in the file"]),
    ],
    limit:
      "that providers do what they promise. Proven is who received the request and what was known of them, as recorded.",
  },
};

/** How the parts of a proof are given on the command line. */
const options = {
  key: "--key",
  checkpoint: "--checkpoint",
  witness: "--witness",
  digestKey: "--digest-key",
  request: "--request",
  answer: "--answer",
};

/**
 * Verifies the content of a file with the public keys of the log, those of witnesses and, for a proof of consistency, the
 * text of the earlier checkpoint; for a receipt, `content` has the bodies of request and answer and the key of their
 * digests. Returns what is proven and what is not, line by line. Throws `NotValid`.
 * `how` says how each of them is given.
 */
export function verifyFile(
  file,
  { keys: given, witnesses: named = [], checkpoint: before, content },
  how = options,
) {
  const texts = given ?? file?.public_keys;
  require(Array.isArray(texts), `Give the public key of the log with ${how.key}`);
  const keys = texts.map((key) => readPublicKey(key));
  const witnesses = named.map((key) => readPublicKey(key, "witness"));
  const trust = given
    ? `Not proven: that the log's operator shows everybody the same log. Compare checkpoints with others, or use ${how.witness}.`
    : `Not proven: that this is the organisation's log. The public key came from the file itself: use ${how.key}.`;
  if (file.type === "consistency") {
    require(before !== undefined, `Give the earlier checkpoint with ${how.checkpoint}`);
    const { earlier, checkpoint } = verifyGrowth(file, before, keys);
    return [
      `Proven: the log ${checkpoint.origin} has ${checkpoint.size} entries. Its first ${earlier.size} are those of the`,
      "  earlier checkpoint: none of them was changed, removed or reordered since.",
      ...seenBy(file.checkpoint, witnesses),
      trust,
    ];
  }
  const type = Object.hasOwn(types, file.type) ? types[file.type] : undefined;
  require(type !== undefined, "The file is no proof of an audit entry, a request or consistency");
  const verified = type.verify(file, keys);
  const { index, fields, checkpoint, note } = verified;
  require(content === undefined || file.type === "generation", "Only the receipt of a request has digests");
  return [
    `Proven: this ${type.name} is entry ${index} of the log ${checkpoint.origin},`,
    `  which had ${checkpoint.size} entries when the checkpoint was signed:`,
    ...type.summary(verified),
    ...Object.entries(fields).flatMap(([name, value]) =>
      // They are in the summary.
      name === "facts" || name === "destinations" ? [] : [`  ${name}: ${JSON.stringify(value)}`],
    ),
    ...(content ? verifyContent(fields, content, how) : []),
    ...seenBy(note, witnesses),
    trust,
    `Not proven: ${type.limit}`,
  ];
}

export function run(args) {
  const one = { type: "string" };
  const several = { type: "string", multiple: true };
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...{ key: several, witness: several, checkpoint: one, help: { type: "boolean" } },
      ...{ "digest-key": one, request: one, answer: one },
    },
  });
  const [path] = positionals;
  if (values.help || path === undefined) return { code: values.help ? 0 : 2, text: help };
  const checkpoint = values.checkpoint && readFileSync(values.checkpoint, "utf8");
  const bytesIn = (file) => (file === undefined ? undefined : readFileSync(file));
  const { "digest-key": digestKey, request, answer } = values;
  const isAbout = digestKey !== undefined || request !== undefined || answer !== undefined;
  const content = { key: digestKey, request: bytesIn(request), answer: bytesIn(answer) };
  const given = {
    ...{ keys: values.key, witnesses: values.witness, checkpoint },
    content: isAbout ? content : undefined,
  };
  return valid(verifyFile(JSON.parse(readFileSync(path, "utf8")), given));
}

const isExpected = (error) =>
  error instanceof NotValid || error instanceof SyntaxError || (error instanceof Error && "code" in error);

// The console's page for verifying has the same code, without a process.
const program = globalThis.process?.argv[1];
if (program !== undefined && import.meta.url === pathToFileURL(program).href) {
  try {
    const { code, text } = run(process.argv.slice(2));
    process.stdout.write(text);
    process.exitCode = code;
  } catch (error) {
    if (!isExpected(error)) throw error;
    process.stdout.write(`NOT VALID: ${error.message}\n`);
    process.exitCode = 1;
  }
}
