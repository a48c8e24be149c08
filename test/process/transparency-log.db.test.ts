import { describe, expect, test } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import {
  createLogSigner,
  proveAuditEntry,
  proveConsistency,
  restartLogs,
  verifyLogs,
} from "#server/transparency/index.ts";
import { openTestDatabase } from "#test/factories.ts";
import { NotValid, readPublicKey, verifyAuditEntry, verifyGrowth } from "../../scripts/verify.mjs";
import { logsOf, signer } from "./logged-organisations.ts";

const { database } = await openTestDatabase();
const { organisation, write, sequenceOnce, log, problemsOf } = logsOf(database);
const [first, second] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
const deps = { database, signer };
const keysOf = (texts: readonly string[]) => texts.map((key) => readPublicKey(key));

describe("the transparency log of an organisation", () => {
  test("contains every row of its audit log, with a proof that an independent program accepts", async () => {
    const { reader } = await organisation(5);
    const { size, public_keys } = await log(reader);
    expect(size).toBe(await database.prisma.audit_entry.count({ where: { org_id: reader.orgId } }));
    for (let position = 1; position <= size; position++) {
      const { index, fields } = verifyAuditEntry(
        await proveAuditEntry(deps, reader, position),
        keysOf(public_keys),
      );
      expect([index, fields.position]).toEqual([position - 1, position]);
    }
  });

  test("continues each of its earlier checkpoints", async () => {
    const { reader, caller } = await organisation(1);
    const checkpoints = [await log(reader)];
    for (const count of [1, 3, 7]) {
      for (let at = 0; at < count; at++) await write(caller, `later ${at}`);
      await sequenceOnce(signer);
      checkpoints.push(await log(reader));
    }
    const sizes = checkpoints.map(({ size }) => size);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    for (const { checkpoint, size, public_keys } of checkpoints) {
      const proof = await proveConsistency(deps, reader, { from: size });
      expect(verifyGrowth(proof, checkpoint, keysOf(public_keys)).checkpoint.size).toBe(sizes.at(-1));
    }
  });

  test("is appended to by many processes at once without a gap or a second entry", async () => {
    const { orgId, caller, reader } = await organisation(0);
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        ...Array.from({ length: 4 }, (_, at) => write(caller, `${round} ${at}`)),
        ...Array.from({ length: 4 }, () => sequenceOnce(signer)),
      ]);
    }
    await sequenceOnce(signer);
    const rows = await database.prisma.audit_entry.findMany({ where: { org_id: orgId } });
    expect((await log(reader)).size).toBe(rows.length);
    expect(await problemsOf(orgId)).toEqual([]);
  });

  test("does not prove an entry to another organisation, or one that does not exist", async () => {
    const [one, other] = [await organisation(3), await organisation(0)];
    const proof = await proveAuditEntry(deps, one.reader, 1);
    const keys = keysOf((await log(other.reader)).public_keys);
    expect(() => verifyAuditEntry(proof, keys)).toThrow(NotValid);
    await expect(proveAuditEntry(deps, other.reader, 3)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("says of a change that was just made when it can be proven", async () => {
    const { caller, reader } = await organisation(0);
    const { size } = await log(reader);
    await write(caller, "new");
    await expect(proveAuditEntry(deps, reader, size + 1)).rejects.toThrow("within 5 seconds");
  });

  test("continues under a new key, which it records, and is valid for those who know either key", async () => {
    const { orgId, caller, reader } = await organisation(2);
    const before = await log(reader);
    const rotated = createLogSigner([second, first]);
    await sequenceOnce(rotated);
    await write(caller, "after");
    await sequenceOnce(rotated);
    const after = await log(reader, rotated);
    const recorded = await database.prisma.audit_entry.findMany({
      where: { org_id: orgId, action: "transparency_log.rotate_key" },
    });
    expect(recorded).toMatchObject([
      { before: { public_key: before.public_keys[0] }, after: { public_key: after.public_keys[0] } },
    ]);
    const proof = await proveConsistency({ database, signer: rotated }, reader, { from: before.size });
    for (const key of after.public_keys)
      expect(
        verifyGrowth(proof, before.checkpoint, keysOf([key, ...before.public_keys])).checkpoint.size,
      ).toBe(after.size);
    expect((await verifyLogs(database, createLogSigner([second]))).changed).not.toContainEqual(
      expect.objectContaining({ orgId }),
    );
  });
});

test("a log whose key was lost is followed by another one, which begins with all entries", async () => {
  const { orgId, reader } = await organisation(2);
  const before = await log(reader);
  const cosigned = { witness: "a", line: "— a b", cosigned_at: new Date(0) };
  await database.prisma.log_cosignature.create({
    data: { org_id: orgId, size: before.size, checkpoint: before.checkpoint, ...cosigned },
  });
  await database.prisma.log_publication.create({
    data: { org_id: orgId, target: "a", size: before.size, checkpoint: "", published_at: new Date(0) },
  });
  const found = createLogSigner([second]);
  const reported: string[] = [];
  await write(reader, "after the loss");
  await sequenceOnce(found, { ...silentLog, error: (_, text) => void reported.push(text) });
  expect(reported).toContainEqual(expect.stringContaining(`${orgId} is not the one that was signed`));
  expect(await restartLogs(database, found)).toBeGreaterThan(0);
  expect(await restartLogs(database, found)).toBe(0);
  await sequenceOnce(found);
  const after = await log(reader, found);
  expect(after).toMatchObject({ origin: `${before.origin}/2`, size: before.size + 2 });
  // They are of the old log.
  expect([after.witnesses, after.publications]).toEqual([[], []]);
  verifyAuditEntry(await proveAuditEntry({ database, signer: found }, reader, 1), keysOf(after.public_keys));
  const proof = await proveAuditEntry({ database, signer: found }, reader, after.size);
  expect(verifyAuditEntry(proof, keysOf(after.public_keys)).fields).toMatchObject({
    action: "transparency_log.restart",
    before: { origin: before.origin, checkpoint: before.checkpoint },
  });
  expect((await verifyLogs(database, found)).changed.filter((one) => one.orgId === orgId)).toEqual([]);
});
