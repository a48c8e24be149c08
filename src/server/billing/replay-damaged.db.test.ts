import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { createLog, silentLog } from "#server/platform/log.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { abandonedSpool, temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { admitted, spoolLine } from "#test/spool-lines.ts";
import type { GenerationRow } from "./generation-row.ts";
import { replaySpools } from "./replay.ts";
import { refusedFile, unreadableFile } from "./set-aside.ts";

const { database } = await openTestDatabase();
const stored = (id: string) => database.prisma.generation.findUnique({ where: { id } });

test("a torn last line is skipped, and the lines before it count", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const complete = generationRow(organisation, "0.01");
  const torn = generationRow(organisation, "0.01");
  abandonedSpool(
    root,
    uuidv7(),
    spoolLine("FINAL", complete) +
      spoolLine("ADMIT", admitted(torn)) +
      spoolLine("FINAL", torn).slice(0, 200),
  );
  const warnings: string[] = [];
  expect(
    await replaySpools(
      database,
      root,
      createLog("warn", (text) => warnings.push(text)),
    ),
  ).toBe(2);
  expect(await stored(complete.id)).toMatchObject({ status: "completed" });
  expect(await stored(torn.id)).toMatchObject({ status: "interrupted" });
  expect(warnings).toHaveLength(1);
});

test("an altered line is ignored", async () => {
  const root = temporaryDirectory();
  const row = generationRow(await createOrganisation(database), "0.01");
  const altered = spoolLine("FINAL", row).replace('"completed"', '"cancelled"');
  abandonedSpool(root, uuidv7(), spoolLine("ADMIT", admitted(row)) + altered);
  await replaySpools(database, root, silentLog);
  expect(await stored(row.id)).toMatchObject({ status: "interrupted" });
});

test("a process starts although the database refuses rows of its predecessor: they are repaired or set aside", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const poisoned = generationRow(organisation, "0.01", { user_reference: "\ud800" });
  const impossible = generationRow(organisation, "0.01", { completion_tokens: 2 ** 40 });
  const sound = generationRow(organisation, "0.01");
  abandonedSpool(
    root,
    uuidv7(),
    spoolLine("FINAL", poisoned) + spoolLine("FINAL", impossible) + spoolLine("FINAL", sound),
  );
  expect(await replaySpools(database, root, silentLog)).toBe(3);
  expect(await stored(poisoned.id)).toMatchObject({ user_reference: "\ufffd" });
  expect(await stored(sound.id)).not.toBeNull();
  expect(readdirSync(root)).toEqual([refusedFile]);
});

test("texts of clients and providers come out of the spool of a killed process unchanged", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const texts = ["\u2028", "a\u2029b", "\u0085", "\r", "\n", "\ufeff", "\u{1f600}", "line\r\nline"];
  const rows = texts.map((text) =>
    generationRow(organisation, "0.01", { user_reference: text, native_finish_reason: text }),
  );
  abandonedSpool(root, uuidv7(), rows.map((row) => spoolLine("FINAL", row)).join(""));
  expect(await replaySpools(database, root, silentLog)).toBe(texts.length);
  for (const [at, { id }] of rows.entries())
    expect(await stored(id)).toMatchObject({ user_reference: texts[at], native_finish_reason: texts[at] });
  expect((await readLedger(database, organisation.orgId)).used).toBe(picoFromDecimal("0.08"));
});

test("a torn or damaged record is set aside byte for byte and logged, and the others are booked", async () => {
  const root = temporaryDirectory();
  const organisation = await createOrganisation(database);
  const [sound, damaged, torn] = [1, 2, 3].map(() => generationRow(organisation, "0.01"));
  if (!sound || !damaged || !torn) throw new Error("Three rows are needed");
  const altered = spoolLine("FINAL", damaged).replace("completed", "cancelled");
  const cut = spoolLine("FINAL", torn).slice(0, 40);
  const instanceId = uuidv7();
  abandonedSpool(root, instanceId, altered + spoolLine("FINAL", sound) + cut);
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

test("a record of an earlier version that lacks newer columns is booked", async () => {
  const root = temporaryDirectory();
  const recent = generationRow(await createOrganisation(database), "0.01");
  const { usage_implausible: _, input_modalities: __, output_modalities: ___, ...row } = recent;
  abandonedSpool(root, uuidv7(), spoolLine("FINAL", row as GenerationRow));
  await replaySpools(database, root, silentLog);
  expect(await stored(row.id)).toMatchObject({
    usage_implausible: false,
    input_modalities: [],
    output_modalities: [],
    status: "completed",
  });
});
