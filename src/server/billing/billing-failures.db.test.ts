import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { createLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { openTestBilling, switchableDatabase } from "#test/billing.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { admitted } from "#test/spool-lines.ts";
import { until } from "#test/until.ts";
import { openBilling } from "./billing.ts";
import { refusedFile } from "./set-aside.ts";
import { Spool } from "./spool.ts";

const { database } = await openTestDatabase();

test("a flush that fails loses nothing, logs once, and books the rows when the database is back", async () => {
  const organisation = await createOrganisation(database);
  const { state, switchable } = switchableDatabase(database);
  const logged: string[] = [];
  const billing = await openTestBilling(
    switchable,
    temporaryDirectory(),
    createLog("info", (line) => logged.push(line)),
  );
  state.off = true;
  const rows = Array.from({ length: 5 }, () => generationRow(organisation, "0.01"));
  for (const row of rows) await billing.finish(row);
  await expect(billing.drain()).rejects.toThrow("connection refused");
  await until(() => expect(logged.some((line) => line.includes("wait in the spool"))).toBe(true));
  expect(billing.pending()).toBe(5);
  state.off = false;
  await vi.waitFor(() => expect(billing.pending()).toBe(0), { timeout: 5000 });
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 5,
    used: picoFromDecimal("0.05"),
  });
  expect(logged.filter((line) => line.includes("wait in the spool"))).toHaveLength(1);
  await billing.close();
});

test("the next process books what could not be booked before the end", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const { state, switchable } = switchableDatabase(database);
  const first = await openTestBilling(switchable, root);
  state.off = true;
  const row = generationRow(organisation, "0.01");
  await first.finish(row);
  await expect(first.close()).rejects.toThrow("connection refused");
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 0 });
  const second = await openTestBilling(database, root);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 1,
    used: picoFromDecimal("0.01"),
  });
  await second.close();
  expect(readdirSync(root)).toEqual([]);
});

test("rows that do not fit in memory while the database is unavailable are read from the spool again, each once", async () => {
  const organisation = await createOrganisation(database);
  const { state, switchable } = switchableDatabase(database);
  const billing = await openTestBilling(switchable, temporaryDirectory());
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

test("an admission that cannot be written throws and does not wait for ever", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const billing = await openTestBilling(database, root);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  await expect(billing.admit(generationRow(organisation, "0", { parameters: circular }))).rejects.toThrow();
  expect(billing.pending()).toBe(0);
  await billing.close();
});

test("a generation whose text the database refuses is booked with repaired text and delays no other", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const billing = await openTestBilling(database, root);
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

test("a generation the database refuses for good is set aside, logged, and delays no other", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const logged: string[] = [];
  const billing = await openTestBilling(
    database,
    root,
    createLog("error", (line) => logged.push(line)),
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
  expect(logged.filter((one) => one.includes(impossible.id))).toHaveLength(1);
  await billing.close();
  expect(readdirSync(root)).toEqual([refusedFile]);
});

test("attachments that are refused are dropped, and the generation is booked", async () => {
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
  const logged: string[] = [];
  const log = createLog("error", (line) => logged.push(line));
  const billing = await openBilling(database, options, log, createMetrics());
  await billing.finish(generationRow(organisation, "0.01"), [{ a: 1 }]);
  await billing.drain();
  expect(logged).toMatchObject([expect.stringContaining("without them")]);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 1 });
  await billing.close();
});

describe("an ending that cannot be written to the disk", () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  /** From now on nothing is written to the spool. */
  function fillDisk() {
    vi.spyOn(Spool.prototype, "append").mockRejectedValue(full);
    onTestFinished(() => void vi.restoreAllMocks());
  }

  test("is written to the database before it counts as recorded", async () => {
    const organisation = await createOrganisation(database);
    const billing = await openTestBilling(database, temporaryDirectory());
    const row = generationRow(organisation, "0.02");
    await billing.admit(admitted(row));
    fillDisk();
    await billing.finish(row);
    const ledger = await readLedger(database, organisation.orgId);
    expect(ledger).toMatchObject({ generationCount: 1, used: picoFromDecimal("0.02") });
    expect(billing.pending()).toBe(0);
    await billing.close();
  });

  test("is refused when the database is unavailable too, and is not booked later", async () => {
    const organisation = await createOrganisation(database);
    const { state, switchable } = switchableDatabase(database);
    const billing = await openTestBilling(switchable, temporaryDirectory());
    const row = generationRow(organisation, "0.02");
    await billing.admit(admitted(row));
    fillDisk();
    state.off = true;
    await expect(billing.finish(row)).rejects.toThrow("connection refused");
    state.off = false;
    await billing.drain();
    expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 0, used: 0n });
  });
});
