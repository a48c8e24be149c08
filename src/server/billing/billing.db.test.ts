import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import { createLog, silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { until } from "#test/until.ts";
import { openBilling } from "./billing.ts";
import { readBalance } from "./credit-leases.ts";
import { refusedFile } from "./set-aside.ts";
import { Spool } from "./spool.ts";

const { database } = await openTestDatabase();

const open = (root: string, on: Database = database, log = silentLog) =>
  openBilling(on, { spoolDirectory: root, sync: "process" }, log, createMetrics());

/** The database behind a switch: while it is off every batch fails as with a lost connection. */
function switchable() {
  const state = { off: false };
  const wrapped: Database = {
    ...database,
    batch: (work) => (state.off ? Promise.reject(new Error("connection refused")) : database.batch(work)),
  };
  return { state, wrapped };
}

test("a request from hold to close is booked once and leaves neither spool nor lease", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const billing = await open(root);
  const row = generationRow(organisation, "0.02");
  const hold = await billing.hold(organisation.orgId, picoFromDecimal("0.05"));
  await billing.admit({ ...row, status: "interrupted", cost_pico_eur: "0" });
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
  const billing = await open(temporaryDirectory());
  await billing.finish(generationRow(organisation));
  await vi.waitFor(async () => {
    expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 1 });
  }, 10_000);
  await billing.close();
});

test("full batches are booked one after the other, without the pause that gathers small ones", async () => {
  const organisation = await createOrganisation(database);
  const billing = await open(temporaryDirectory());
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

test("a flush that fails keeps everything, says so once, and books it when the database is back", async () => {
  const organisation = await createOrganisation(database);
  const { state, wrapped } = switchable();
  const said: string[] = [];
  const billing = await open(
    temporaryDirectory(),
    wrapped,
    createLog("info", (line) => said.push(line)),
  );
  state.off = true;
  const rows = Array.from({ length: 5 }, () => generationRow(organisation, "0.01"));
  for (const row of rows) await billing.finish(row);
  await expect(billing.drain()).rejects.toThrow("connection refused");
  await until(() => expect(said.some((line) => line.includes("wait in the spool"))).toBe(true));
  expect(billing.pending()).toBe(5);
  state.off = false;
  await vi.waitFor(() => expect(billing.pending()).toBe(0), { timeout: 5000 });
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 5,
    used: picoFromDecimal("0.05"),
  });
  expect(said.filter((line) => line.includes("wait in the spool"))).toHaveLength(1);
  await billing.close();
});

test("what could not be booked before the end is booked by the next process", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const { state, wrapped } = switchable();
  const first = await open(root, wrapped);
  state.off = true;
  const row = generationRow(organisation, "0.01");
  await first.finish(row);
  await expect(first.close()).rejects.toThrow("connection refused");
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 0 });
  const second = await open(root);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 1,
    used: picoFromDecimal("0.01"),
  });
  await second.close();
  expect(readdirSync(root)).toEqual([]);
});

test("draining while batches are under way books each row once and forgets none", async () => {
  const organisation = await createOrganisation(database);
  const billing = await open(temporaryDirectory());
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

test("an admission the disk refuses is thrown and does not wait for ever", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const billing = await open(root);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  await expect(billing.admit(generationRow(organisation, "0", { parameters: circular }))).rejects.toThrow();
  expect(billing.pending()).toBe(0);
  await billing.close();
});

test("while flushing is paused nothing reaches the database, and all of it does after", async () => {
  const organisation = await createOrganisation(database);
  const billing = await open(temporaryDirectory());
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

test("what does not fit in memory while the database is away is read from the spool again, each row once", async () => {
  const organisation = await createOrganisation(database);
  const { state, wrapped } = switchable();
  const billing = await open(temporaryDirectory(), wrapped);
  state.off = true;
  const count = limits.spool.queuedRowsMax + 500;
  for (let at = 0; at < count; at++) await billing.finish(generationRow(organisation, "0.000001"));
  state.off = false;
  await billing.drain();
  expect(billing.pending()).toBe(0);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: count,
    used: picoFromDecimal("0.000001") * BigInt(count),
  });
  await billing.close();
});

test("a mark is refused once the stream's record stands in an older segment, and taken again after a progress", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const billing = await open(root);
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

test("a generation whose text the database refuses is booked with that repaired, and keeps no other waiting", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const billing = await open(root);
  const poisoned = generationRow(organisation, "0.01", {
    native_finish_reason: "st\u0000op\ud800",
    parameters: { user: "\ud800", "k\u0000": 1 },
  });
  const rows = [generationRow(organisation, "0.01"), poisoned, generationRow(organisation, "0.01")];
  await Promise.all(rows.map((row) => billing.finish(row)));
  await billing.drain();
  expect(billing.pending()).toBe(0);
  expect(await database.prisma.generation.findUnique({ where: { id: poisoned.id } })).toMatchObject({
    native_finish_reason: "stop\ufffd",
    parameters: { user: "\ufffd", k: 1 },
  });
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 3,
    used: picoFromDecimal("0.03"),
  });
  await billing.close();
});

test("a generation the database refuses for good is set aside completely and logged, and keeps no other waiting", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const said: string[] = [];
  const billing = await open(
    root,
    database,
    createLog("error", (line) => said.push(line)),
  );
  const impossible = generationRow(organisation, "0.01", { prompt_tokens: 2 ** 40 });
  const rows = Array.from({ length: 9 }, () => generationRow(organisation, "0.01"));
  await Promise.all([...rows.slice(0, 4), impossible, ...rows.slice(4)].map((row) => billing.finish(row)));
  await billing.drain();
  expect(billing.pending()).toBe(0);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 9 });
  const [line = "", ...others] = readFileSync(join(root, refusedFile), "utf8").trimEnd().split("\n");
  expect(others).toEqual([]);
  expect(JSON.parse(line).row).toEqual(impossible);
  expect(said.filter((one) => one.includes(impossible.id))).toHaveLength(1);
  await billing.close();
  expect(readdirSync(root)).toEqual([refusedFile]);
});

test("what is attached and refused is left out before the money is", async () => {
  const organisation = await createOrganisation(database);
  const write = vi.fn(async (client: pg.ClientBase, attached: readonly object[]) => {
    if (attached.length > 0) await client.query("select 1 / 0");
    return [];
  });
  const options = {
    spoolDirectory: temporaryDirectory(),
    sync: "process" as const,
    outbox: { write, tell: () => {}, recover: () => [] },
  };
  const said: string[] = [];
  const log = createLog("error", (line) => said.push(line));
  const billing = await openBilling(database, options, log, createMetrics());
  await billing.finish(generationRow(organisation, "0.01"), [{ a: 1 }]);
  await billing.drain();
  expect(said).toMatchObject([expect.stringContaining("without them")]);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 1 });
  await billing.close();
});

describe("an ending that the disk refuses", () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  /** From now on nothing is written to the spool. */
  function fillDisk() {
    vi.spyOn(Spool.prototype, "append").mockRejectedValue(full);
    onTestFinished(() => void vi.restoreAllMocks());
  }

  test("is in the database before it counts as recorded", async () => {
    const organisation = await createOrganisation(database);
    const billing = await open(temporaryDirectory());
    const row = generationRow(organisation, "0.02");
    await billing.admit({ ...row, status: "interrupted", cost_pico_eur: "0" });
    fillDisk();
    await billing.finish(row);
    const ledger = await readLedger(database, organisation.orgId);
    expect(ledger).toMatchObject({ generationCount: 1, used: picoFromDecimal("0.02") });
    expect(billing.pending()).toBe(0);
    await billing.close();
  });

  test("is refused when the database refuses it too, and is booked by nobody later", async () => {
    const organisation = await createOrganisation(database);
    const { state, wrapped } = switchable();
    const billing = await open(temporaryDirectory(), wrapped);
    const row = generationRow(organisation, "0.02");
    await billing.admit({ ...row, status: "interrupted", cost_pico_eur: "0" });
    fillDisk();
    state.off = true;
    await expect(billing.finish(row)).rejects.toThrow("connection refused");
    state.off = false;
    await billing.drain();
    expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 0, used: 0n });
  });
});
