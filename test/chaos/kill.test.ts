import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { auditMoney } from "#server/billing/index.ts";
import { openDatabase, startEmbedded } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import type { SeenRequest } from "#server/sandbox/index.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { eventually, startGateway, startOracle } from "./gateway-process.ts";
import { chaosOverlay, chaosSettings, freePort } from "./installation.ts";
import { type Delivered, startLoad } from "./load.ts";

/** From the start of the process until it serves and everything its predecessor left is booked. */
const recoveredWithinMs = 10_000;
/** `npm run test:chaos` takes the long form. */
const [kills, perSecond] = process.env.CHAOS === "long" ? [50, 100] : [10, 50];

/** A gateway with an embedded database that can be started again on the same folder, and what its provider saw. */
async function startKillable() {
  const oracle = await startOracle();
  onTestFinished(() => oracle.end("SIGKILL"));
  const directory = temporaryDirectory();
  const catalogFile = join(directory, "overlay.json");
  writeFileSync(catalogFile, JSON.stringify(chaosOverlay(oracle.origin)));
  const dataDir = join(directory, "data");
  const key = mintKey("ptl");
  const port = await freePort();
  const start = () =>
    startGateway(port, {
      DATA_DIR: dataDir,
      ...chaosSettings(key, catalogFile),
    });
  const booked = async (id: string) =>
    (
      await fetch(`http://127.0.0.1:${port}/api/v1/generation?id=${id}`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).ok;
  const seen = async () =>
    ((await (await fetch(`${oracle.origin}/__sandbox/requests`)).json()) as { data: SeenRequest[] }).data;
  return { key, dataDir, start, booked, seen };
}

/** Kills the gateway again and again under load; what reached its clients, and how long each recovery took. */
async function killUnderLoad({ key, start, booked }: Awaited<ReturnType<typeof startKillable>>) {
  const delivered: Delivered[] = [];
  const recoveriesMs: number[] = [];
  let gateway = await start();
  for (let round = 0; round < kills; round++) {
    const load = startLoad(gateway.origin, key, perSecond);
    // A different number of answers each time, so that the kill meets every stage of requests and of flushing.
    await eventually("answers", async () => load.delivered.length > 5 + 4 * (round % 20));
    await gateway.end("SIGKILL");
    await load.stop();
    delivered.push(...load.delivered);
    const killedMs = performance.now();
    gateway = await start();
    // The last answer, and a stream that was cut: what is recovered is booked before anything is served.
    const last = [load.delivered.at(-1), load.delivered.findLast(({ costEur }) => costEur === null)];
    for (const { generationId } of last.filter((one) => one !== undefined))
      expect(await booked(generationId)).toBe(true);
    recoveriesMs.push(performance.now() - killedMs);
  }
  await gateway.end("SIGINT");
  return { delivered, recoveriesMs };
}

/** What the stopped gateway recorded: its generations, and the transfer of each. */
async function recordsIn(dataDir: string) {
  const embedded = await startEmbedded(join(dataDir, "database"));
  onTestFinished(() => embedded.close());
  const database = openDatabase(embedded.connection, createMetrics(), silentLog);
  onTestFinished(() => database.close());
  const generations = await database.prisma.generation.findMany();
  const transfers = await database.prisma.ledger_transfer.findMany({ where: { kind: "usage" } });
  return {
    generations: new Map(generations.map((row) => [row.id, row])),
    transfers: new Map(transfers.map((row) => [row.id, row])),
    broken: (await auditMoney(database, { quiescent: true })).filter((finding) => finding.broken > 0),
  };
}

type Records = Awaited<ReturnType<typeof recordsIn>>;

function expectDeliveredBooked(delivered: readonly Delivered[], { generations, transfers }: Records): void {
  const lost = delivered.filter(({ generationId }) => !generations.has(generationId));
  expect(lost, "delivered and not recorded").toEqual([]);
  for (const { generationId, costEur } of delivered) {
    if (costEur === null) continue;
    expect(generations.get(generationId)?.status).toBe("completed");
    expect(BigInt(transfers.get(generationId)?.amount_pico_eur.toFixed() ?? "-1")).toBe(
      picoFromDecimal(String(costEur)),
    );
  }
  const less = delivered.filter(
    ({ generationId, tokens }) => (generations.get(generationId)?.completion_tokens ?? 0) < tokens,
  );
  expect(less, "billed less than was delivered").toEqual([]);
}

function expectProducedBooked(seen: readonly SeenRequest[], { generations, broken }: Records): void {
  const unknown = seen.filter(({ generation }) => generation === null || !generations.has(generation));
  expect(unknown, "seen by the provider and not recorded").toEqual([]);
  const more = seen.filter(
    ({ generation, produced_tokens }) =>
      (generations.get(generation ?? "")?.completion_tokens ?? 0) > produced_tokens,
  );
  expect(more, "billed more than was produced").toEqual([]);
  expect(broken).toEqual([]);
}

test(`${kills} × kill -9 under ${perSecond} requests a second lose and double nothing`, {
  timeout: 900_000,
}, async () => {
  const killable = await startKillable();
  const { delivered, recoveriesMs } = await killUnderLoad(killable);
  const seen = await killable.seen();
  const records = await recordsIn(killable.dataDir);
  expectDeliveredBooked(delivered, records);
  expectProducedBooked(seen, records);

  const generations = [...records.generations.values()];
  const ended = delivered.filter(({ costEur }) => costEur !== null);
  const interrupted = generations.filter(({ status }) => status === "interrupted");
  const cut = delivered.filter(({ tokens, costEur }) => costEur === null && tokens > 0);
  expect(ended.length).toBeGreaterThan(kills * 5);
  expect(interrupted.length, "requests under way at a kill").toBeGreaterThan(kills);
  expect(cut.length, "streams that were cut").toBeGreaterThan(kills / 2);
  const median = recoveriesMs.toSorted((a, b) => a - b)[Math.floor(kills / 2)] ?? 0;
  console.log(
    `${kills} kills at ${perSecond}/s: ${ended.length} complete answers, ${cut.length} streams cut, ` +
      `${seen.length} seen by the provider, ${generations.length} generations, ` +
      `${interrupted.length} interrupted; lost 0, doubled 0, billed under delivered 0, over produced 0; ` +
      `recovered after ${Math.round(median)} ms (median), ${Math.round(Math.max(...recoveriesMs))} ms (most)`,
  );
  expect(Math.max(...recoveriesMs), "ms until all was recovered").toBeLessThanOrEqual(recoveredWithinMs);
});
