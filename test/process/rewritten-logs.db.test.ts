import { describe, expect, test } from "vitest";
import { bookGenerations } from "#server/billing/book-generations.ts";
import { receipted } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { entriesIn, pendingOf } from "#server/transparency/entry.ts";
import {
  createLogSigner,
  logGenerations,
  readCheckpoint,
  type StoredCheckpoint,
} from "#server/transparency/index.ts";
import { generationRow, openTestDatabase } from "#test/factories.ts";
import { logsOf, signer } from "./logged-organisations.ts";
import {
  type Attacked,
  auditRewrites,
  decision,
  decisionHash,
  facts,
  inputs,
  logRewrites,
  requestRewrites,
} from "./rewrites.ts";

const { database } = await openTestDatabase();
const { organisation, write, sequenceOnce, log, problemsOf } = logsOf(database);

/** Makes a new log from the rows there are, as an attacker would. */
async function rebuildTree(org_id: string, stolenKey: boolean): Promise<void> {
  const { prisma } = database;
  const bundles = await prisma.log_bundle.findMany({ where: { org_id } });
  const requests = bundles.flatMap(({ entries }) => entriesIn(entries)).filter((entry) => entry[0] === 2);
  await prisma.log_tree.deleteMany({ where: { org_id } });
  await prisma.log_tile.deleteMany({ where: { org_id } });
  await prisma.log_bundle.deleteMany({ where: { org_id } });
  await prisma.log_pending.create({ data: { org_id, entries: new Uint8Array(pendingOf(requests)) } });
  const [last] = await prisma.audit_entry.findMany({
    where: { org_id },
    orderBy: { position: "desc" },
    take: 1,
  });
  await prisma.audit_head.updateMany({ where: { org_id }, data: { position: last?.position ?? 0 } });
  await sequenceOnce(stolenKey ? signer : createLogSigner([Buffer.alloc(32, 66)]));
}

const ofCreation = (await organisation(0).then(({ reader }) => log(reader))).size;

/** An organisation with 6 rows of the audit log and 4 requests in its log. */
async function attackedLog(): Promise<Attacked & Awaited<ReturnType<typeof organisation>>> {
  const owner = await organisation(6 - ofCreation);
  const { orgId } = owner;
  const ids = Array.from({ length: 4 }, uuidv7).sort();
  const rows = ids.map((id, at) =>
    generationRow({ orgId, userId: uuidv7(), keyId: uuidv7() }, "0.001", {
      id,
      region: "FR",
      ...(at === 1 && {
        status: "failed",
        error_code: "upstream_error",
        attempts: [{ endpoint: "a", provider: "a", outcome: "timeout", status: null, duration_ms: 5 }],
        user_reference: "ada",
        personal_salt: "\\x0102030405060708090a0b0c",
        ranked: [[0, 1]],
        decision_hash: `\\x${decisionHash}`,
        decision_basis: { hash: decisionHash, body: decision, facts, inputs },
      }),
    }),
  );
  const finished = rows.map((row) => ({ instanceId: uuidv7(), row, ...receipted(row) }));
  await bookGenerations(database, finished, { logReceipts: logGenerations });
  await sequenceOnce(signer);
  const rebuild = (stolenKey = false) => rebuildTree(orgId, stolenKey);
  return { ...owner, database, requests: rows.map(({ id }) => id), rebuild };
}

describe("an attacker with write access to the database", () => {
  const rewrites = [...auditRewrites, ...logRewrites, ...requestRewrites];
  test.each(rewrites)("who $name is detected from an earlier checkpoint", async ({ change, found }) => {
    const attacked = await attackedLog();
    const { orgId, reader, requests } = attacked;
    const { checkpoint, size } = await log(reader);
    expect(size).toBe(10);
    const earlier = readCheckpoint(checkpoint) as StoredCheckpoint;
    expect(await problemsOf(orgId, [earlier])).toEqual([]);
    await change(attacked);
    const expected = found.replaceAll(/\{(\d)\}/g, (_, at) => requests[Number(at)] ?? "");
    const problems = await problemsOf(orgId, [earlier]);
    expect(problems).toContainEqual(expect.stringContaining(expected));
  });

  const damages: readonly (readonly [string, (hashes: Buffer) => Buffer | null])[] = [
    ["changes a tile", (hashes) => Buffer.concat([Buffer.of((hashes[0] ?? 0) ^ 1), hashes.subarray(1)])],
    ["shortens a tile", (hashes) => hashes.subarray(32)],
    ["removes a tile", () => null],
  ];
  test.each(damages)("who %s gets no checkpoint for it, and holds up no other log", async (_, damage) => {
    const { orgId, caller, reader } = await organisation(3);
    const other = await organisation(1);
    const { checkpoint } = await log(reader);
    const where = { org_id: orgId, level: 0 };
    const tile = await database.prisma.log_tile.findFirstOrThrow({ where });
    const hashes = damage(Buffer.from(tile.hashes));
    if (hashes)
      await database.prisma.log_tile.updateMany({ where, data: { hashes: new Uint8Array(hashes) } });
    else await database.prisma.log_tile.deleteMany({ where });
    await write(caller, "later");
    await write(other.caller, "later");
    const { size } = await log(other.reader);
    const lines: string[] = [];
    const reporting = { ...silentLog, error: (_: object, text: string) => void lines.push(text) };
    await sequenceOnce(signer, reporting, 2);
    expect(lines.filter((line) => line.includes(orgId))).toEqual([
      expect.stringContaining(`${orgId} is not the one that was signed`),
    ]);
    expect((await log(reader)).checkpoint).toBe(checkpoint);
    expect((await log(other.reader)).size).toBe(size + 1);
  });
});
