import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { operatorSystem } from "#server/accounts/index.ts";
import { entryHash } from "#server/audit/chain.ts";
import { signOnce } from "#server/audit/first-signing.ts";
import { record } from "#server/audit/record.ts";
import { signAuditLog } from "#server/audit/sign.ts";
import { auditPurpose } from "#server/audit/signature.ts";
import { verifyAudit } from "#server/audit/verify.ts";
import { type Database, openDatabase } from "#server/db/index.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";

const { database, connection } = await openTestDatabase();

/** The same database for a process with other keys. */
function withKeys(...keys: readonly [Buffer, ...Buffer[]]): Database {
  const opened = openDatabase(connection, createMetrics(), silentLog, createRowSeal(keys, auditPurpose));
  onTestFinished(() => opened.close());
  return opened;
}
const [first, second, third] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8), Buffer.alloc(32, 9)];

const write = (by: Database, caller: Caller, id: string) =>
  by.transaction((tx) => record(tx, caller, { action: "test.write", subject: { type: "test", id } }));

async function chain(rows = 5) {
  const made = await createOrganisation(database);
  for (let at = 0; at < rows; at++) await write(database, made.caller, String(at));
  return made;
}

const problemsOf = async (orgId: string, by = database) =>
  (await verifyAudit(by)).broken.filter((row) => row.orgId === orgId);

/** What an attacker with write access can do who knows this program: every hash is valid again. */
async function rewrite(orgId: string, change: (position: number) => object, keep: number): Promise<void> {
  const { prisma } = database;
  const rows = await prisma.audit_entry.findMany({ where: { org_id: orgId }, orderBy: { position: "asc" } });
  let previous_hash = "";
  for (const row of rows.slice(0, keep)) {
    const changed = { ...row, ...change(row.position), previous_hash };
    const hash = entryHash({ ...changed, occurred_at: changed.occurred_at.toISOString() });
    await prisma.audit_entry.update({
      where: { id: row.id },
      data: { action: changed.action, subject_id: changed.subject_id, previous_hash, hash },
    });
    previous_hash = hash;
  }
  await prisma.audit_entry.deleteMany({ where: { org_id: orgId, position: { gt: keep } } });
  await prisma.audit_head.update({ where: { org_id: orgId }, data: { position: keep, hash: previous_hash } });
}

describe("an attacker with write access to the database", () => {
  test("changes no row undetected, even with recomputed hashes", async () => {
    const { orgId } = await chain();
    expect(await problemsOf(orgId)).toEqual([]);
    await rewrite(orgId, (position) => (position === 4 ? { subject_id: "nobody" } : {}), 7);
    expect(await problemsOf(orgId)).toEqual([
      { orgId, position: 4, problem: "the signature is not of this installation's key" },
    ]);
  });

  test("removes nothing at the end undetected, neither before nor after the next change", async () => {
    const { orgId, caller } = await chain();
    await rewrite(orgId, () => ({}), 5);
    expect(await problemsOf(orgId)).toMatchObject([
      { position: 6, problem: expect.stringContaining("the end") },
    ]);
    await write(database, caller, "later");
    expect(await problemsOf(orgId)).toMatchObject([
      { position: 6, problem: expect.stringContaining("differed from its record") },
    ]);
    const reported = await database.prisma.audit_entry.findFirst({ where: { org_id: orgId, position: 6 } });
    expect(reported).toMatchObject({ action: "audit_log.broken", before: { position: 5 } });
  });

  test("cannot reuse a signature for another row, chain or end", async () => {
    const [one, other] = [await chain(), await chain()];
    const { prisma } = database;
    const signatureAt = async (orgId: string, position: number) =>
      (await prisma.audit_entry.findFirstOrThrow({ where: { org_id: orgId, position } })).signature;
    const [third, foreign] = [await signatureAt(one.orgId, 3), await signatureAt(other.orgId, 2)];
    const end = await prisma.audit_head.findUniqueOrThrow({ where: { org_id: one.orgId } });
    for (const signature of [third, foreign, end.signature, "", "AAAAAAAA.x", "no signature"]) {
      const where = { org_id: one.orgId, position: 2 };
      const before = await signatureAt(one.orgId, 2);
      await prisma.audit_entry.updateMany({ where, data: { signature } });
      expect(await problemsOf(one.orgId)).toMatchObject([{ position: 2 }]);
      await prisma.audit_entry.updateMany({ where, data: { signature: before } });
    }
    expect(await problemsOf(one.orgId)).toEqual([]);
  });

  test("removes no complete log undetected", async () => {
    const { orgId } = await chain();
    await database.prisma.audit_entry.deleteMany({ where: { org_id: orgId } });
    await database.prisma.audit_head.deleteMany({ where: { org_id: orgId } });
    expect(await problemsOf(orgId)).toMatchObject([{ position: 1 }]);
  });
});

describe("rows from before signatures existed", () => {
  const unsign = async (orgId: string) => {
    await database.prisma.audit_entry.updateMany({ where: { org_id: orgId }, data: { signature: "" } });
    await database.prisma.audit_head.update({ where: { org_id: orgId }, data: { signature: "" } });
  };
  const begin = (dataDir: string) =>
    signOnce({ database, dataDir, log: silentLog, operator: operatorSystem });

  test("are signed at the first start only: later unsigned rows are invalid", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "portolan-audit-"));
    const { orgId, caller } = await chain();
    await unsign(orgId);
    expect(await problemsOf(orgId)).toMatchObject([{ position: 1, problem: "the signature is missing" }]);
    await begin(dataDir);
    expect(await problemsOf(orgId)).toEqual([]);
    await write(database, caller, "later");
    expect(await problemsOf(orgId)).toEqual([]);
    await unsign(orgId);
    await begin(dataDir);
    expect(await problemsOf(orgId)).toMatchObject([{ position: 1, problem: "the signature is missing" }]);
  });

  test("that are invalid are not signed", async () => {
    const { orgId } = await chain();
    await unsign(orgId);
    await database.prisma.audit_entry.updateMany({
      where: { org_id: orgId, position: 3 },
      data: { action: "x" },
    });
    await begin(mkdtempSync(join(tmpdir(), "portolan-audit-")));
    expect(await problemsOf(orgId)).toMatchObject([
      { position: 3, problem: "it was changed after it was written" },
    ]);
  });
});

describe("a change of the encryption key", () => {
  test("leaves a log that is valid with both keys, then with the new one alone", async () => {
    const { orgId, caller } = await chain();
    const both = withKeys(second, first);
    await write(both, caller, "between");
    expect(await problemsOf(orgId, both)).toEqual([]);
    expect(await problemsOf(orgId, withKeys(second))).toMatchObject([{ position: 1 }]);
    const signed = await signAuditLog({ database: both, log: silentLog, accepted: new Set() });
    expect(signed).toMatchObject({ finished: true });
    await write(withKeys(second), caller, "after");
    expect(await problemsOf(orgId, withKeys(second))).toEqual([]);
    await signAuditLog({ database: withKeys(first, second), log: silentLog, accepted: new Set() });
  });

  test("signs nothing that was invalid before", async () => {
    const { orgId } = await chain();
    await rewrite(orgId, (position) => (position === 3 ? { subject_id: "nobody" } : {}), 7);
    const { broken } = await signAuditLog({
      database: withKeys(second, first),
      log: silentLog,
      accepted: new Set(),
    });
    expect(broken).toContain(orgId);
    expect(await problemsOf(orgId, withKeys(second, first))).toMatchObject([{ position: 3 }]);
    await signAuditLog({ database: withKeys(first, second), log: silentLog, accepted: new Set() });
  });

  test("if the earlier key is lost, the log is accepted as it is on request", async () => {
    const { orgId } = await chain();
    const lost = withKeys(third);
    expect(await problemsOf(orgId, lost)).toMatchObject([
      { position: 1, problem: "the signature is of a key that the settings do not hold" },
    ]);
    await signAuditLog({ database: lost, log: silentLog, accepted: new Set(["foreign"]) });
    expect(await problemsOf(orgId, lost)).toEqual([]);
  });
});

test("no audit row is written over a database that was opened without its key", async () => {
  const { caller } = await chain();
  const keyless = openDatabase(connection, createMetrics(), silentLog);
  onTestFinished(() => keyless.close());
  await expect(write(keyless, caller, "x")).rejects.toThrow("without the key");
});
