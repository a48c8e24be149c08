import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Authorized } from "#server/access/authorize.ts";
import { bookGenerations, type FinishedGeneration } from "#server/billing/book-generations.ts";
import { deleteOldRequests } from "#server/billing/index.ts";
import { erasePersonal, type GenerationRow, receipted, receiptHash } from "#server/db/index.ts";
import { clock, dayMs } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import {
  createLogSigner,
  logGenerations,
  readReceipt,
  restartLogs,
  verifyLogs,
} from "#server/transparency/index.ts";
import { arbitraryGeneration } from "#test/arbitrary-generations.ts";
import { createOrganisation, generationRow, insertGenerations, openTestDatabase } from "#test/factories.ts";
import { NotValid, readPublicKey, verifyReceipt } from "../../scripts/verify.mjs";
import { logsOf, signer } from "./logged-organisations.ts";

const { database } = await openTestDatabase();
const { sequenceOnce, log, problemsOf } = logsOf(database);
const deps = { database, signer };
const instanceId = uuidv7();

type Reader = Authorized<"activity:read">;

const book = (finished: readonly FinishedGeneration[]) =>
  bookGenerations(database, finished, { logReceipts: logGenerations });

/** As a request ends: the JSON and the hash were made before the row was stored. */
const ended = (row: GenerationRow): FinishedGeneration => ({ instanceId, row, ...receipted(row) });

async function booked(rows: readonly GenerationRow[]) {
  await book(rows.map(ended));
  await sequenceOnce(signer);
}

async function verified(reader: Reader, id: string) {
  const receipt = await readReceipt(deps, reader, id);
  return verifyReceipt(
    receipt,
    receipt.public_keys.map((key) => readPublicKey(key)),
  );
}

describe("the receipt of a request", () => {
  test("verifies whatever the request and its providers said, and has the values that were booked", async () => {
    const organisation = await createOrganisation(database);
    const reader = organisation.caller as Reader;
    const rows = fc.sample(arbitraryGeneration(organisation), 300);
    await book(rows.slice(0, 200).map(ended));
    // As a replay of the spool books them, which computes the hashes later.
    await book(rows.slice(200).map((row) => ({ instanceId, row: JSON.parse(JSON.stringify(row)) })));
    await sequenceOnce(signer);
    for (const row of rows) {
      const { fields } = await verified(reader, row.id);
      expect(fields.parameters).toEqual(JSON.parse(JSON.stringify(row.parameters)));
      expect([fields.cost_pico_usd, fields.started_at, fields.model_requested]).toEqual([
        row.cost_pico_usd,
        row.started_at,
        row.model_requested,
      ]);
      expect([fields.user_reference ?? null, fields.session_id ?? null, fields.tags ?? undefined]).toEqual([
        row.user_reference,
        row.session_id,
        row.tags,
      ]);
    }
    expect(await problemsOf(organisation.orgId)).toEqual([]);
  });

  test("has the same hash when it is made from the row that the spool contains", () => {
    const organisation = { orgId: uuidv7(), userId: uuidv7(), keyId: uuidv7() };
    fc.assert(
      fc.property(arbitraryGeneration(organisation), (row) => {
        const { json, receiptHash: hash } = receipted(row);
        const fx_usd_per_eur = String(Number(row.fx_usd_per_eur));
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ ...row, fx_usd_per_eur })));
        expect(receiptHash(JSON.parse(json) as GenerationRow)).toBe(hash);
      }),
    );
  });

  test("is in the log once, however often its row is replayed", async () => {
    const organisation = await createOrganisation(database);
    const rows = Array.from({ length: 600 }, () => generationRow(organisation));
    for (let again = 0; again < 3; again++) await booked(rows);
    const audited = await database.prisma.audit_entry.count({ where: { org_id: organisation.orgId } });
    expect((await log(organisation.caller as Authorized<"audit:read", "organisation">)).size).toBe(
      rows.length + audited,
    );
    const indexes = new Set<number>();
    for (const { id } of rows) indexes.add((await verified(organisation.caller as Reader, id)).index);
    expect(indexes.size).toBe(rows.length);
    expect(await problemsOf(organisation.orgId)).toEqual([]);
  });

  test("says nothing of a person that can be guessed: only a hash with random bytes is in the record", async () => {
    const organisation = await createOrganisation(database);
    const row = generationRow(organisation, "0.1", {
      user_reference: "ada@example.test",
      personal_salt: "\\x0102030405060708090a0b0c",
    });
    await booked([row]);
    const receipt = await readReceipt(deps, organisation.caller as Reader, row.id);
    expect(receipt.record).not.toContain("ada@example.test");
    expect(receipt.personal?.text).toContain("ada@example.test");
    const keys = receipt.public_keys.map((key) => readPublicKey(key));
    // Without what is said of the person it still verifies.
    expect(verifyReceipt({ ...receipt, personal: null }, keys).fields.user_reference).toBeUndefined();
    const changed = { ...receipt, personal: { ...receipt.personal, text: '{"user_reference":"eve"}' } };
    expect(() => verifyReceipt(changed, keys)).toThrow(NotValid);
  });

  test("verifies after what it says of a person was erased", async () => {
    const organisation = await createOrganisation(database);
    const reader = organisation.caller as Reader;
    const rows = fc.sample(arbitraryGeneration(organisation), 30);
    await booked(rows);
    const ids = rows.map(({ id }) => id);
    for (let again = 0; again < 2; again++) await erasePersonal(database, organisation.orgId, ids);
    const stored = await database.prisma.generation.findMany({ where: { id: { in: ids } } });
    const left = stored.flatMap(({ app_title, session_id, tags, user_reference, personal_salt }) =>
      [app_title, session_id, tags, user_reference, personal_salt].filter((value) => value !== null),
    );
    expect(left).toEqual([]);
    for (const id of ids) expect((await verified(reader, id)).fields.user_reference).toBeUndefined();
    expect(await problemsOf(organisation.orgId)).toEqual([]);
  });

  test("is not readable by another organisation, nor by a key of another workspace", async () => {
    const [one, other] = [await createOrganisation(database), await createOrganisation(database)];
    const row = generationRow(one);
    await booked([row]);
    const ofWorkspace = { ...one.caller, kind: "key", workspaceId: uuidv7() } as unknown as Reader;
    for (const reader of [other.caller as Reader, ofWorkspace])
      await expect(readReceipt(deps, reader, row.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await verified(one.caller as Reader, row.id)).fields.id).toBe(row.id);
  });

  test("is not expected of requests that an earlier version booked, whichever request is booked first", async () => {
    const organisation = await createOrganisation(database);
    const [replayed, ...earlier] = Array.from({ length: 4 }, () => generationRow(organisation));
    const rows = earlier.map((row) => ({ ...row, id: uuidv7() }));
    await insertGenerations(database, rows);
    // A request that ended before the upgrade, and is replayed from the spool after it.
    await booked(replayed ? [replayed] : []);
    expect(await problemsOf(organisation.orgId)).toEqual([]);
    const added = { ...generationRow(organisation), id: uuidv7() };
    await insertGenerations(database, [added]);
    expect(await problemsOf(organisation.orgId)).toEqual([expect.stringContaining(added.id)]);
  });

  test("of an old request ends with its record, which the log says was deleted because of its age", async () => {
    const month = vi.spyOn(clock, "nowMs").mockReturnValue(Date.UTC(2031, 0, 15));
    const organisation = await createOrganisation(database);
    const reader = organisation.caller as Reader;
    const old = generationRow(organisation);
    await booked([old]);
    month.mockReturnValue(Date.UTC(2031, 5, 15));
    const recent = generationRow(organisation);
    await booked([recent]);
    for (let again = 0; again < 2; again++) await deleteOldRequests(database, 31 * dayMs);
    await sequenceOnce(signer);
    const actions = { org_id: organisation.orgId, action: "generation.delete_old" };
    expect(await database.prisma.audit_entry.count({ where: actions })).toBe(1);
    await expect(readReceipt(deps, reader, old.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await verified(reader, recent.id)).fields.id).toBe(recent.id);
    expect(await problemsOf(organisation.orgId)).toEqual([]);
    vi.restoreAllMocks();
  });

  test("is refused with the time it takes while the request is not in the log", async () => {
    const organisation = await createOrganisation(database);
    await sequenceOnce(signer);
    const row = generationRow(organisation);
    await book([ended(row)]);
    await expect(readReceipt(deps, organisation.caller as Reader, row.id)).rejects.toThrow(
      "within 5 seconds",
    );
    expect(await problemsOf(organisation.orgId)).toEqual([]);
  });
});

test("receipts are in the log that follows one whose key was lost", async () => {
  const organisation = await createOrganisation(database);
  const rows = Array.from({ length: 300 }, () => generationRow(organisation));
  await booked(rows);
  const other = createLogSigner([Buffer.alloc(32, 9)]);
  await restartLogs(database, other);
  await sequenceOnce(other);
  for (const { id } of rows.slice(0, 20)) {
    const receipt = await readReceipt({ database, signer: other }, organisation.caller as Reader, id);
    const keys = receipt.public_keys.map((key) => readPublicKey(key));
    expect(verifyReceipt(receipt, keys).checkpoint.origin).toMatch(/\/2$/);
  }
  const { changed } = await verifyLogs(database, other);
  expect(changed.filter(({ orgId }) => orgId === organisation.orgId)).toEqual([]);
});
