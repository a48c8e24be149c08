import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { createLog, silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { price } from "#test/catalogues.ts";
import { firstOutput, runInChild } from "#test/child.ts";
import { abandonedSpool, temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { auditMoney } from "./audit-money.ts";
import { openBilling } from "./billing.ts";
import { readBalance, takeLease } from "./credit-leases.ts";
import type { GenerationRow } from "./generation-row.ts";
import { pricingOf } from "./pricing.ts";
import { replaySpools } from "./replay.ts";
import { refusedFile, unreadableFile } from "./set-aside.ts";
import { encodeRecord, type SpoolRecordType } from "./spool-record.ts";

const { database, another } = await openTestDatabase();

const line = (type: Exclude<SpoolRecordType, "MARK">, row: GenerationRow) =>
  encodeRecord(type, row.id, JSON.stringify(row));
const stored = (id: string) => database.prisma.generation.findUnique({ where: { id } });

const admitted = (row: GenerationRow): GenerationRow => ({
  ...row,
  status: "interrupted",
  http_status: 500,
  completion_tokens: 0,
  cost_pico_eur: "0",
});

test("of a request that was only admitted an interrupted generation without cost remains", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database));
  abandonedSpool(root, uuidv7(), line("ADMIT", admitted(row)));
  expect(await replaySpools(database, root, silentLog)).toBe(1);
  expect(await stored(row.id)).toMatchObject({ status: "interrupted", completion_tokens: 0 });
  expect(await database.prisma.ledger_transfer.count({ where: { id: row.id } })).toBe(0);
});

test("of a stream that was under way what its last progress says is billed", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const row = generationRow(organisation, "0.03", { status: "interrupted" });
  const early = { ...row, cost_pico_eur: "1" };
  abandonedSpool(
    root,
    uuidv7(),
    line("ADMIT", admitted(row)) + line("PROGRESS", early) + line("PROGRESS", row),
  );
  await replaySpools(database, root, silentLog);
  expect(await stored(row.id)).toMatchObject({ status: "interrupted", completion_tokens: 20 });
  expect((await readLedger(database, organisation.orgId)).used).toBe(picoFromDecimal("0.03"));
});

test("a finished generation is booked from its final record, over several segments, and the folder goes", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const instanceId = uuidv7();
  const row = generationRow(organisation, "0.05");
  abandonedSpool(root, instanceId, line("ADMIT", admitted(row)), "000001.spool");
  const directory = abandonedSpool(root, instanceId, line("FINAL", row), "000002.spool");
  expect(await replaySpools(database, root, silentLog)).toBe(1);
  expect(await stored(row.id)).toMatchObject({ status: "completed" });
  expect(existsSync(directory)).toBe(false);
  expect(await replaySpools(database, root, silentLog)).toBe(0);
});

test("of a stream that was cut the marks after its last progress are billed too, at the price of its progress", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const row = generationRow(organisation, "0", {
    status: "interrupted",
    prompt_tokens: 0,
    completion_tokens: 1,
  });
  const progress = { ...row, pricing: pricingOf(price("1", "2", "USD")) };
  const mark = (tokens: number) => encodeRecord("MARK", row.id, String(tokens));
  const spooled =
    encodeRecord("PROGRESS", row.id, JSON.stringify(progress)) + mark(2) + mark(7) + mark(8).slice(0, 30);
  abandonedSpool(root, uuidv7(), line("ADMIT", admitted(row)) + mark(99) + spooled);
  await replaySpools(database, root, silentLog);
  const billed = await stored(row.id);
  // 7 tokens at 2 USD per million; the torn eighth and the one of before are not believed.
  expect(billed).toMatchObject({ completion_tokens: 7, usage_estimated: true, status: "interrupted" });
  expect(billed?.cost_pico_usd.toFixed(0)).toBe("14000000");
  const broken = (await auditMoney(database)).filter((finding) => finding.broken > 0);
  expect(broken).toEqual([]);
});

test("of a stream that was cut what its prompt wrote into a cache for an hour keeps its price", async () => {
  const root = temporaryDirectory();
  const listed = { ...price("1"), cacheWrite: 1_250_000n, cacheWriteHour: 2_000_000n };
  const row = generationRow(await createOrganisation(database), "0", {
    status: "interrupted",
    prompt_tokens: 300,
    cached_tokens: 0,
    cache_write_tokens: 300,
    completion_tokens: 1,
  });
  const billing = await openBilling(
    database,
    { spoolDirectory: root, sync: "process" },
    silentLog,
    createMetrics(),
  );
  await billing.progress(row, listed, 200);
  await billing.mark(row.id, 5);
  // What has no end yet stays in the spool.
  await billing.close();
  await replaySpools(database, root, silentLog);
  const billed = await stored(row.id);
  expect(billed?.cost_details).toMatchObject({
    cache_write_pico_eur: String(100 * 1_250_000 + 200 * 2_000_000),
  });
  expect(billed?.cost_pico_eur.toFixed(0)).toBe(String(100 * 1_250_000 + 200 * 2_000_000 + 5 * 1_000_000));
});

test("marks before an ending change nothing about it", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database), "0.01");
  const mark = encodeRecord("MARK", row.id, "999");
  abandonedSpool(root, uuidv7(), line("ADMIT", admitted(row)) + mark + line("FINAL", row));
  await replaySpools(database, root, silentLog);
  expect(await stored(row.id)).toMatchObject({
    completion_tokens: row.completion_tokens,
    status: "completed",
  });
});

test("a torn last line is skipped and what stood before it counts", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const complete = generationRow(organisation, "0.01");
  const torn = generationRow(organisation, "0.01");
  abandonedSpool(
    root,
    uuidv7(),
    line("FINAL", complete) + line("ADMIT", admitted(torn)) + line("FINAL", torn).slice(0, 200),
  );
  const said: string[] = [];
  expect(
    await replaySpools(
      database,
      root,
      createLog("warn", (text) => said.push(text)),
    ),
  ).toBe(2);
  expect(await stored(complete.id)).toMatchObject({ status: "completed" });
  expect(await stored(torn.id)).toMatchObject({ status: "interrupted" });
  expect(said).toHaveLength(1);
});

test("an altered line is not believed", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database), "0.01");
  const altered = line("FINAL", row).replace('"completed"', '"cancelled"');
  abandonedSpool(root, uuidv7(), line("ADMIT", admitted(row)) + altered);
  await replaySpools(database, root, silentLog);
  expect(await stored(row.id)).toMatchObject({ status: "interrupted" });
});

test("the credit a dead process was leased comes back, less what it had spent", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database, { creditEur: "1" });
  const { orgId } = organisation;
  const instanceId = uuidv7();
  await takeLease(database, {
    instanceId,
    accountId: orgId,
    ttlMs: 60_000,
    minimum: picoFromDecimal("0.5"),
    target: 0n,
  });
  abandonedSpool(root, instanceId, line("FINAL", generationRow(organisation, "0.2")));
  await replaySpools(database, root, silentLog);
  expect(await readBalance(database, orgId)).toMatchObject({ free: picoFromDecimal("0.8") });
  expect(await readLedger(database, orgId)).toMatchObject({ leased: 0n, openLeases: 0n });
});

test("two processes that replay the same folders at once book everything once", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const rows = Array.from({ length: 40 }, () => generationRow(organisation, "0.01"));
  for (let at = 0; at < rows.length; at += 10) {
    abandonedSpool(
      root,
      uuidv7(),
      rows
        .slice(at, at + 10)
        .map((row) => line("FINAL", row))
        .join(""),
    );
  }
  const second = another();
  await Promise.all([database, second, database].map((on) => replaySpools(on, root, silentLog)));
  expect(await readLedger(database, organisation.orgId)).toMatchObject({
    generationCount: 40,
    used: picoFromDecimal("0.4"),
  });
});

test("the same segments replayed ten times, and by two processes at once, change the books once", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database, { creditEur: "5" });
  const { orgId } = organisation;
  const lines = Array.from({ length: 50 }, (_, at) => {
    const row = generationRow(organisation, "0.01");
    if (at % 5 > 0) return line("ADMIT", admitted(row)) + line("FINAL", row);
    const cut = {
      ...row,
      status: "interrupted" as const,
      completion_tokens: 3,
      pricing: pricingOf(price("1")),
    };
    return line("ADMIT", admitted(row)) + line("PROGRESS", cut) + encodeRecord("MARK", row.id, "9");
  });
  const segments = abandonedSpool(root, uuidv7(), lines.slice(0, 30).join(""), "000001.spool");
  abandonedSpool(root, basename(segments), lines.slice(30).join(""), "000002.spool");
  /** A copy for each replay: neither the lock of a folder nor its going shields one from the other. */
  const replayCopy = (on: typeof database) => {
    const copy = temporaryDirectory();
    cpSync(root, copy, { recursive: true });
    return replaySpools(on, copy, silentLog);
  };
  const ledger = async () => ({
    ledger: await readLedger(database, orgId),
    generations: await database.prisma.generation.findMany({
      where: { org_id: orgId },
      orderBy: { id: "asc" },
    }),
    days: await database.prisma.usage_day.findMany({ where: { org_id: orgId }, orderBy: { model: "asc" } }),
    keys: await database.prisma.key_usage.findMany({ where: { holder_id: organisation.keyId } }),
  });
  const both = [database, another()];
  await Promise.all(both.map(replayCopy));
  const first = await ledger();
  expect(first.generations).toHaveLength(50);
  // 40 ended at 0.01; of the 10 that were cut each had 10 tokens of prompt and 9 of output at 1 EUR for a million.
  expect(first.ledger.used).toBe(picoFromDecimal("0.4") + 190n * 1_000_000n);
  for (let again = 0; again < 9; again++) await replayCopy(database);
  await Promise.all(both.map(replayCopy));
  expect(await ledger()).toEqual(first);
});

test("the folder of a process that lives is left alone, and is replayed once it was killed", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database));
  const directory = abandonedSpool(root, uuidv7(), line("FINAL", row));
  const holder = runInChild(`
    import { lockDirectory } from "#server/platform/directory-lock.ts";
    globalThis.lock = lockDirectory(${JSON.stringify(directory)});
    process.stdout.write("held");
    setInterval(() => {}, 1000);
  `);
  expect(await firstOutput(holder)).toBe("held");
  expect(await replaySpools(database, root, silentLog)).toBe(0);
  expect(await stored(row.id)).toBeNull();
  await holder.kill();
  expect(await replaySpools(database, root, silentLog)).toBe(1);
  expect(await stored(row.id)).not.toBeNull();
});

test("a spool folder that was never made is no error", async () => {
  expect(await replaySpools(database, `${temporaryDirectory()}/none`, silentLog)).toBe(0);
});

test("what a process could not tell of a generation any more, the outbox is asked for", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const [cut, done] = [generationRow(organisation), generationRow(organisation)];
  const reported = { ...done, attached: [{ told: done.id }] };
  abandonedSpool(
    root,
    uuidv7(),
    line("ADMIT", admitted(cut)) +
      line("ADMIT", admitted(done)) +
      encodeRecord("FINAL", done.id, JSON.stringify(reported)),
  );
  const written: object[] = [];
  await replaySpools(database, root, silentLog, {
    outbox: {
      recover: ({ id }) => [{ recovered: id }],
      write: async (_client, attached) => {
        written.push(...attached);
        return [];
      },
      tell: () => {},
    },
  });
  expect(written).toEqual(expect.arrayContaining([{ recovered: cut.id }, { told: done.id }]));
  expect(written).toHaveLength(2);
});

test("a process starts whatever its predecessor left: what the database refuses is repaired or set aside", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const poisoned = generationRow(organisation, "0.01", { user_reference: "\ud800" });
  const impossible = generationRow(organisation, "0.01", { completion_tokens: 2 ** 40 });
  const sound = generationRow(organisation, "0.01");
  abandonedSpool(root, uuidv7(), line("FINAL", poisoned) + line("FINAL", impossible) + line("FINAL", sound));
  expect(await replaySpools(database, root, silentLog)).toBe(3);
  expect(await stored(poisoned.id)).toMatchObject({ user_reference: "\ufffd" });
  expect(await stored(sound.id)).not.toBeNull();
  expect(readdirSync(root)).toEqual([refusedFile]);
});

test("what a client or provider wrote comes out of the spool of a killed process as it was, whatever it holds", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const texts = ["\u2028", "a\u2029b", "\u0085", "\r", "\n", "\ufeff", "\u{1f600}", "line\r\nline"];
  const rows = texts.map((text) =>
    generationRow(organisation, "0.01", { user_reference: text, native_finish_reason: text }),
  );
  abandonedSpool(root, uuidv7(), rows.map((row) => line("FINAL", row)).join(""));
  expect(await replaySpools(database, root, silentLog)).toBe(texts.length);
  for (const [at, { id }] of rows.entries())
    expect(await stored(id)).toMatchObject({ user_reference: texts[at], native_finish_reason: texts[at] });
  expect((await readLedger(database, organisation.orgId)).used).toBe(picoFromDecimal("0.08"));
});

test("a record that is torn or damaged is kept aside byte for byte and logged, and the others are booked", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const [sound, damaged, torn] = [1, 2, 3].map(() => generationRow(organisation, "0.01"));
  if (!sound || !damaged || !torn) throw new Error("Three rows are needed");
  const altered = line("FINAL", damaged).replace("completed", "cancelled");
  const cut = line("FINAL", torn).slice(0, 40);
  const instanceId = uuidv7();
  abandonedSpool(root, instanceId, altered + line("FINAL", sound) + cut);
  const logged: string[] = [];
  const log = createLog("error", (text) => logged.push(text));
  expect(await replaySpools(database, root, log)).toBe(1);
  expect(await stored(sound.id)).not.toBeNull();
  const retained = readFileSync(join(root, unreadableFile), "utf8").trimEnd().split("\n");
  const text = (bytes: string) => Buffer.from(bytes, "base64").toString();
  expect(retained.map((json) => JSON.parse(json)).map(({ bytes, ...rest }) => [rest, text(bytes)])).toEqual([
    [{ instance_id: instanceId, segment: "000001.spool", torn: false }, altered.slice(0, -1)],
    [{ instance_id: instanceId, segment: "000001.spool", torn: true }, cut],
  ]);
  expect(logged).toHaveLength(2);
  expect(readdirSync(root)).toEqual([unreadableFile]);
});

test("a record that an earlier version spooled, which lacks younger columns, is booked", async () => {
  const root = temporaryDirectory();
  const { usage_implausible: _, ...row } = generationRow(await createOrganisation(database), "0.01");
  abandonedSpool(root, uuidv7(), line("FINAL", row as GenerationRow));
  await replaySpools(database, root, silentLog);
  expect(await stored(row.id)).toMatchObject({ usage_implausible: false, status: "completed" });
});
