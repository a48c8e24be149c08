import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { createLog, silentLog } from "#server/platform/log.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { firstOutput, runInChild } from "#test/child.ts";
import { abandonedSpool, temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { readBalance, takeLease } from "./credit-leases.ts";
import type { GenerationRow } from "./generation-row.ts";
import { replaySpools } from "./replay.ts";
import { encodeRecord, type SpoolRecordType } from "./spool-record.ts";

const { database, another } = await openTestDatabase();

const line = (type: SpoolRecordType, row: GenerationRow) => encodeRecord(type, row.id, JSON.stringify(row));
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

test("a torn last line is skipped and what stood before it counts", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const whole = generationRow(organisation, "0.01");
  const torn = generationRow(organisation, "0.01");
  abandonedSpool(
    root,
    uuidv7(),
    line("FINAL", whole) + line("ADMIT", admitted(torn)) + line("FINAL", torn).slice(0, 200),
  );
  const said: string[] = [];
  expect(
    await replaySpools(
      database,
      root,
      createLog("warn", (text) => said.push(text)),
    ),
  ).toBe(2);
  expect(await stored(whole.id)).toMatchObject({ status: "completed" });
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

test("the credit a dead process was lent comes back, less what it had spent", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database, { creditEur: "1" });
  const { orgId } = organisation;
  const instanceId = uuidv7();
  await takeLease(database, { instanceId, orgId, need: picoFromDecimal("0.5"), want: 0n });
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
