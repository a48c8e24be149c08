import { cpSync, existsSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { costPartsOf } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { price } from "#test/catalogues.ts";
import { firstOutput, runInChild } from "#test/child.ts";
import { abandonedSpool, temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { admitted, spoolLine } from "#test/spool-lines.ts";
import { auditMoney } from "./audit-money.ts";
import { openBilling } from "./billing.ts";
import { readBalance, takeLease } from "./credit-leases.ts";
import { pricingOf } from "./pricing.ts";
import { replaySpools } from "./replay.ts";
import { encodeRecord } from "./spool-record.ts";

const { database, another } = await openTestDatabase();
const stored = (id: string) => database.prisma.generation.findUnique({ where: { id } });

test("a request that was only admitted becomes an interrupted generation without cost", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database));
  abandonedSpool(root, uuidv7(), spoolLine("ADMIT", admitted(row)));
  expect(await replaySpools(database, root, silentLog)).toBe(1);
  expect(await stored(row.id)).toMatchObject({
    ...{
      id: row.id,
      org_id: row.org_id,
      model_requested: row.model_requested,
      fx_date: row.fx_date,
    },
    ...{ status: "interrupted", http_status: 500, provider: null, completion_tokens: 0, attempts: [] },
  });
  expect(await database.prisma.ledger_transfer.count({ where: { id: row.id } })).toBe(0);
});

test("an admission that an earlier version recorded with all columns is read too", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database));
  const complete = { ...row, status: "interrupted", completion_tokens: 0, cost_pico_eur: "0" } as const;
  abandonedSpool(root, uuidv7(), spoolLine("ADMIT", complete));
  expect(await replaySpools(database, root, silentLog)).toBe(1);
  expect(await stored(row.id)).toMatchObject({ status: "interrupted", provider: row.provider });
});

test("a stream that was under way is billed by its last progress record", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const row = generationRow(organisation, "0.03", { status: "interrupted" });
  const early = { ...row, cost_pico_eur: "1" };
  abandonedSpool(
    root,
    uuidv7(),
    spoolLine("ADMIT", admitted(row)) + spoolLine("PROGRESS", early) + spoolLine("PROGRESS", row),
  );
  await replaySpools(database, root, silentLog);
  expect(await stored(row.id)).toMatchObject({ status: "interrupted", completion_tokens: 20 });
  expect((await readLedger(database, organisation.orgId)).used).toBe(picoFromDecimal("0.03"));
});

test("a finished generation is booked from its final record, over several segments, and the folder is removed", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const instanceId = uuidv7();
  const row = generationRow(organisation, "0.05");
  abandonedSpool(root, instanceId, spoolLine("ADMIT", admitted(row)), "000001.spool");
  const directory = abandonedSpool(root, instanceId, spoolLine("FINAL", row), "000002.spool");
  expect(await replaySpools(database, root, silentLog)).toBe(1);
  expect(await stored(row.id)).toMatchObject({ status: "completed" });
  expect(existsSync(directory)).toBe(false);
  expect(await replaySpools(database, root, silentLog)).toBe(0);
});

test("marks after the last progress record of an interrupted stream are billed at the price of that record", async () => {
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
  abandonedSpool(root, uuidv7(), spoolLine("ADMIT", admitted(row)) + mark(99) + spooled);
  await replaySpools(database, root, silentLog);
  const billed = await stored(row.id);
  // 7 tokens at 2 USD per million; the torn eighth and the mark before the progress record do not count.
  expect(billed).toMatchObject({ completion_tokens: 7, usage_estimated: true, status: "interrupted" });
  expect(billed?.cost_pico_usd.toFixed(0)).toBe("14000000");
  const broken = (await auditMoney(database)).filter((finding) => finding.broken > 0);
  expect(broken).toEqual([]);
});

test("a one-hour cache write of an interrupted stream is billed at its own price", async () => {
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
  // A generation without an ending stays in the spool.
  await billing.close();
  await replaySpools(database, root, silentLog);
  const billed = await stored(row.id);
  expect(costPartsOf(billed?.cost_parts ?? "").own).toMatchObject({
    cache_write: String(100 * 1_250_000 + 200 * 2_000_000),
  });
  expect(billed?.cost_pico_eur.toFixed(0)).toBe(String(100 * 1_250_000 + 200 * 2_000_000 + 5 * 1_000_000));
});

test("marks before the final record change nothing", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database), "0.01");
  const mark = encodeRecord("MARK", row.id, "999");
  abandonedSpool(root, uuidv7(), spoolLine("ADMIT", admitted(row)) + mark + spoolLine("FINAL", row));
  await replaySpools(database, root, silentLog);
  expect(await stored(row.id)).toMatchObject({
    completion_tokens: row.completion_tokens,
    status: "completed",
  });
});

test("credit leased to a dead process is returned, less what it had spent", async () => {
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
  abandonedSpool(root, instanceId, spoolLine("FINAL", generationRow(organisation, "0.2")));
  await replaySpools(database, root, silentLog);
  expect(await readBalance(database, orgId)).toMatchObject({ free: picoFromDecimal("0.8") });
  expect(await readLedger(database, orgId)).toMatchObject({ leased: 0n, openLeases: 0n });
});

test("two processes that replay the same folders at the same time book everything once", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const rows = Array.from({ length: 40 }, () => generationRow(organisation, "0.01"));
  for (let at = 0; at < rows.length; at += 10) {
    abandonedSpool(
      root,
      uuidv7(),
      rows
        .slice(at, at + 10)
        .map((row) => spoolLine("FINAL", row))
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

test("replaying the same segments ten times, and by two processes at the same time, changes the ledger once", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database, { creditEur: "5" });
  const { orgId } = organisation;
  const lines = Array.from({ length: 50 }, (_, at) => {
    const row = generationRow(organisation, "0.01");
    if (at % 5 > 0) return spoolLine("ADMIT", admitted(row)) + spoolLine("FINAL", row);
    const cut = {
      ...row,
      status: "interrupted" as const,
      completion_tokens: 3,
      pricing: pricingOf(price("1")),
    };
    return spoolLine("ADMIT", admitted(row)) + spoolLine("PROGRESS", cut) + encodeRecord("MARK", row.id, "9");
  });
  const segments = abandonedSpool(root, uuidv7(), lines.slice(0, 30).join(""), "000001.spool");
  abandonedSpool(root, basename(segments), lines.slice(30).join(""), "000002.spool");
  /** Each replay gets a copy, so that neither the lock nor the removal of a folder protects one from the other. */
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

test("the folder of a running process is not touched, and is replayed after the process was killed", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database));
  const directory = abandonedSpool(root, uuidv7(), spoolLine("FINAL", row));
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

test("a missing spool folder is no error", async () => {
  expect(await replaySpools(database, `${temporaryDirectory()}/none`, silentLog)).toBe(0);
});

test("attachments that a process could not write any more are recovered from the outbox", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const [cut, done] = [generationRow(organisation), generationRow(organisation)];
  const reported = { ...done, attached: [{ told: done.id }] };
  abandonedSpool(
    root,
    uuidv7(),
    spoolLine("ADMIT", admitted(cut)) +
      spoolLine("ADMIT", admitted(done)) +
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
