// npm run bench:proofs: how long a proof takes from a transparency log of ENTRIES entries, by default 10 million, and how
// long appending to it. On a PostgreSQL of its own. The newest thousand entries are of the audit log, the others of
// requests, of which one in ten thousand exists.
import { authorize } from "#server/access/authorize.ts";
import { permissions } from "#server/access/permissions.ts";
import { record } from "#server/audit/record.ts";
import { firstStart } from "#server/composition/first-start.ts";
import { type Database, type GenerationRow, migrate, openDatabase, receipted } from "#server/db/index.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { loadConfig } from "#server/platform/env.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { signCheckpoint } from "#server/transparency/checkpoint.ts";
import { generationEntryOf } from "#server/transparency/entry.ts";
import {
  createLogSigner,
  getLog,
  proveAuditEntry,
  proveConsistency,
  readReceipt,
  Sequencer,
} from "#server/transparency/index.ts";
import { writeEntries, writeTiles } from "#server/transparency/stored-tree.ts";
import {
  appendLeaves,
  edgeOf,
  rootOfEdge,
  type Tile,
  tileHashes,
  tileOf,
} from "#server/transparency/tiles.ts";
import { leafHash } from "#server/transparency/tree.ts";
import { generationRow, insertGenerations } from "#test/factories.ts";
import { testSeal } from "#test/seal.ts";
import { startCluster } from "#test/setup/postgres-cluster.ts";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";
import { readPublicKey, verifyAuditEntry, verifyGrowth, verifyReceipt } from "../scripts/verify.mjs";

const entries = Number(process.env.ENTRIES ?? "10000000");
const realEntries = 1_000;
/** Full tiles and bundles. */
const requestEntries = Math.floor((entries - realEntries) / tileHashes) * tileHashes;
const batchEntries = 100_000;
const goalMs = 20;
const programs = postgresPrograms();
if (!programs) throw new Error("There is no PostgreSQL on this machine");

/** Whose requests they are. */
type Owner = Parameters<typeof generationRow>[0];

const signer = createLogSigner([Buffer.alloc(32, 7)]);
const originOf = (orgId: string) => `portolan.test/transparency/${orgId}`;

/** Every tenth request ended late, so its entry follows those of requests that began after it. */
const startedAt = (index: number): number => (index % 10 === 0 ? Math.max(0, index - 2_000) : index);
const firstMs = Date.parse("2026-01-01T00:00:00Z");
const millisecondsApart = 700;

function idOf(index: number): string {
  const time = (firstMs + startedAt(index) * millisecondsApart).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${index.toString(16).padStart(12, "0")}`;
}

const isStored = (index: number): boolean => index % 10_000 === 17;
const rowOf = (owner: Owner, index: number): GenerationRow =>
  generationRow(owner, "0.1", {
    id: idOf(index),
    started_at: new Date(firstMs + startedAt(index) * millisecondsApart).toISOString(),
  });

/** Writes a signed log of requests. Returns the IDs of those that exist. */
async function makeUp(database: Database, owner: Owner, count: number): Promise<string[]> {
  const { orgId } = owner;
  const stored: string[] = [];
  let edge: Tile[] = [];
  for (let size = 0; size < count; ) {
    const added = Math.min(batchEntries, count - size);
    const rows: GenerationRow[] = [];
    const logged = Array.from({ length: added }, (_, at) => {
      const index = size + at;
      if (!isStored(index)) return generationEntryOf(idOf(index), sha256Hex(`receipt ${index}`));
      const row = rowOf(owner, index);
      rows.push(row);
      return generationEntryOf(row.id, receipted(row).receiptHash);
    });
    const changed = appendLeaves(size, edge, Buffer.concat(logged.map(leafHash)));
    await writeTiles(database.statement, orgId, changed);
    await writeEntries(database.statement, orgId, size, Buffer.concat(logged));
    await insertGenerations(database, rows);
    stored.push(...rows.map(({ id }) => id));
    size += added;
    edge = edgeOf(size).flatMap((place) => tileOf(changed, place) ?? tileOf(edge, place) ?? []);
  }
  const head = { origin: originOf(orgId), size: count, root: await rootOfEdge(count, edge) };
  const checkpoint = signCheckpoint(head, signer.keysOf(head.origin));
  await database.prisma.log_tree.create({
    data: { org_id: orgId, origin: head.origin, size: count, checkpoint, signed_with: signer.id },
  });
  return stored;
}

/** Prints median, 99th percentile and maximum. Returns the 99th percentile. */
async function timed(what: string, count: number, work: (at: number) => Promise<unknown>): Promise<number> {
  const tookMs: number[] = [];
  for (let at = 0; at < count; at++) {
    const sinceMs = performance.now();
    await work(at);
    tookMs.push(performance.now() - sinceMs);
  }
  const sorted = tookMs.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.min(count - 1, Math.floor(count * share))] ?? 0;
  const [median, p99, worst] = [quantile(0.5), quantile(0.99), quantile(1)].map((ms) => ms.toFixed(1));
  console.log(`${what}: median ${median} ms, 99 % ${p99} ms, worst ${worst} ms`);
  return quantile(0.99);
}

const cluster = await startCluster(programs);
try {
  await migrate(cluster.server, silentLog);
  const database = openDatabase(cluster.server, createMetrics(), silentLog, testSeal);
  const settings = {
    NODE_ENV: "test",
    DATA_DIR: ".",
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  await (await firstStart(database, cluster.server, loadConfig(settings)))?.finish();
  const { org_id: orgId, user_id: userId } = await database.prisma.member.findFirstOrThrow();
  const system = { kind: "system", orgId, userId, permissions: new Set(permissions) } as const;
  const caller = authorize(system, "audit:read", "organisation");
  const requestReader = authorize(system, "activity:read", "workspace");
  const owner = { orgId, userId, keyId: userId };
  const requests = await makeUp(database, owner, requestEntries);
  const existing = await database.prisma.audit_entry.count({ where: { org_id: orgId } });
  const subject = { type: "test", id: "x" };
  await database.transaction(async (tx) => {
    for (let at = existing; at < realEntries; at++)
      await record(tx, system, { action: "test.write", subject });
  });
  const sequencer = new Sequencer({ database, signer, originOf }, silentLog);
  await timed(`appending ${realEntries} entries`, 1, () => sequencer.run());
  await sequencer.close();
  const deps = { database, signer };
  const { size, checkpoint, public_keys } = await getLog(deps, caller);
  const keys = public_keys.map((key) => readPublicKey(key));
  console.log(`The log has ${size} entries.`);
  const receiptOf = (at: number) => readReceipt(deps, requestReader, requests[at % requests.length] ?? "");
  const ofRequests = await timed("receipt with proof of a request", realEntries, (at) => receiptOf(at * 37));
  const p99 = await timed("proof of an entry", realEntries, (at) => proveAuditEntry(deps, caller, at + 1));
  await timed("proof of consistency", realEntries, (at) =>
    proveConsistency(deps, caller, { from: Math.floor((size * (at + 0.5)) / realEntries) }),
  );
  for (const position of [1, realEntries])
    verifyAuditEntry(await proveAuditEntry(deps, caller, position), keys);
  verifyGrowth(await proveConsistency(deps, caller, { from: size }), checkpoint, keys);
  for (const at of [0, requests.length - 1]) verifyReceipt(await receiptOf(at), keys);
  if (Math.max(p99, ofRequests) > goalMs) process.exitCode = 1;
  await database.close();
} finally {
  await cluster.stop();
}
