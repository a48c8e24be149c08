import { readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { openTestBilling } from "#test/billing.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { admitted } from "#test/spool-lines.ts";
import { readBalance } from "./credit-leases.ts";

const { database } = await openTestDatabase();

test("a request is booked once from hold to close and leaves no spool and no lease", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const billing = await openTestBilling(database, root);
  const row = generationRow(organisation, "0.02");
  const hold = await billing.hold(organisation.orgId, picoFromDecimal("0.05"));
  await billing.admit(admitted(row));
  await billing.progress({ ...row, status: "interrupted" }, null);
  hold.release(picoFromDecimal("0.02"));
  await billing.finish(row);
  expect(billing.pending()).toBe(1);
  await billing.drain();
  expect(billing.pending()).toBe(0);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 1,
    used: picoFromDecimal("0.02"),
  });
  await billing.close();
  expect(readdirSync(root)).toEqual([]);
  expect(await readBalance(database, organisation.orgId)).toMatchObject({ free: picoFromDecimal("9.98") });
});

test("finished generations reach the database by themselves", async () => {
  const organisation = await createOrganisation(database);
  const billing = await openTestBilling(database, temporaryDirectory());
  await billing.finish(generationRow(organisation));
  await vi.waitFor(async () => {
    expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 1 });
  }, 10_000);
  await billing.close();
});

test("full batches are booked one after the other, without the pause that gathers small batches", async () => {
  const organisation = await createOrganisation(database);
  const billing = await openTestBilling(database, temporaryDirectory());
  const resume = billing.pauseFlushing();
  const count = 2 * limits.spool.flushRowsMax;
  await Promise.all(Array.from({ length: count }, () => billing.finish(generationRow(organisation))));
  const timers = vi.spyOn(globalThis, "setTimeout");
  resume();
  await vi.waitFor(() => expect(billing.pending()).toBe(0), 30_000);
  const delays = timers.mock.calls.map(([, delayMs]) => delayMs);
  timers.mockRestore();
  expect(delays).not.toContain(limits.spool.flushEveryMs);
  await billing.close();
});

test("draining while batches are under way books each row exactly once", async () => {
  const organisation = await createOrganisation(database);
  const billing = await openTestBilling(database, temporaryDirectory());
  const rows = Array.from({ length: 1200 }, () => generationRow(organisation, "0.001"));
  for (const [at, row] of rows.entries()) {
    await billing.finish(row);
    if (at % 100 === 0) void billing.drain();
  }
  await Promise.all([billing.drain(), billing.drain()]);
  expect(billing.pending()).toBe(0);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 1200,
    used: picoFromDecimal("1.2"),
  });
  await billing.close();
});

test("nothing reaches the database while flushing is paused, and everything does afterwards", async () => {
  const organisation = await createOrganisation(database);
  const billing = await openTestBilling(database, temporaryDirectory());
  const resume = billing.pauseFlushing();
  for (let at = 0; at < 600; at++) await billing.finish(generationRow(organisation, "0.001"));
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 0 });
  resume();
  await vi.waitFor(() => expect(billing.pending()).toBe(0), { timeout: 10_000 });
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 600,
    used: picoFromDecimal("0.6"),
  });
  await billing.close();
});

test("a mark is refused once the stream's record is in an older segment, and accepted after the next progress record", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const billing = await openTestBilling(database, root);
  const row = generationRow(organisation, "0.01", { status: "interrupted" });
  expect(billing.mark(row.id, 1)).toBeNull();
  await billing.progress(row, null);
  await billing.mark(row.id, 2);
  const filler = "x".repeat(limits.spool.segmentBytesMax);
  await billing.finish(generationRow(organisation, "0", { parameters: { filler } }));
  expect(billing.mark(row.id, 3)).toBeNull();
  await billing.progress(row, null);
  await expect(billing.mark(row.id, 4)).resolves.toBeUndefined();
  await billing.finish({ ...row, status: "completed" });
  await billing.close();
});
