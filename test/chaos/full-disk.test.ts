import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, startEmbedded } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import type { SeenRequest } from "#server/sandbox/index.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { eventually, startGateway, startOracle } from "./gateway-process.ts";
import { chaosOverlay, chaosSettings, freePort } from "./installation.ts";
import { startLoad } from "./load.ts";
import { expectSoundLedger } from "./sound-ledger.ts";

const mount = (directory: string) =>
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", directory], { encoding: "utf8" });

/** Why no file system can be mounted here; null when one can. */
function whyNoMount(): string | null {
  if (process.platform !== "linux") return "only Linux has tmpfs";
  const directory = mkdtempSync(join(tmpdir(), "portolan-mount-"));
  const { error, status, stderr } = mount(directory);
  if (status === 0) execFileSync("umount", [directory]);
  rmSync(directory, { recursive: true });
  if (error) return "there is no mount";
  return status === 0 ? null : `mounting is not allowed (${stderr.trim()})`;
}
const lacking = whyNoMount();

/** Writes until nothing more fits. Returns what makes room again. */
function fill(directory: string): () => void {
  const file = join(directory, "filler");
  const { error } = spawnSync("dd", ["if=/dev/zero", `of=${file}`, "bs=64k"]);
  if (error) throw error;
  return () => rmSync(file);
}

/** Another program that takes every byte that becomes free. Returns what ends it and makes room again. */
function hog(directory: string): () => Promise<void> {
  const file = join(directory, "hog");
  const take = `while :; do dd if=/dev/zero bs=4k oflag=append conv=notrunc of=${file} 2>/dev/null; sleep 0.02; done`;
  const child = spawn("sh", ["-c", take], { stdio: "ignore", detached: true });
  const exited = once(child, "exit");
  return async () => {
    process.kill(-(child.pid as number), "SIGKILL");
    await exited;
    rmSync(file);
  };
}

const streams = 20;
const suffix = lacking === null ? "" : `: LEFT OUT, ${lacking}`;

/** A gateway whose spool has a disk of 64 MB to itself. */
async function gatewayOnSmallDisk() {
  const oracle = await startOracle();
  onTestFinished(() => oracle.end("SIGKILL"));
  const directory = temporaryDirectory();
  const dataDir = join(directory, "data");
  const spool = join(dataDir, "spool");
  mkdirSync(spool, { recursive: true });
  expect(mount(spool).status).toBe(0);
  onTestFinished(() => void execFileSync("umount", ["--lazy", spool]));
  const catalogFile = join(directory, "overlay.json");
  writeFileSync(catalogFile, JSON.stringify(chaosOverlay(oracle.origin)));
  const key = mintKey("ptl");
  const settings = {
    DATA_DIR: dataDir,
    ...chaosSettings(key, catalogFile),
  };
  const start = async () => {
    const gateway = await startGateway(await freePort(), settings);
    onTestFinished(() => gateway.end("SIGKILL"));
    return gateway;
  };
  const ask = ({ origin }: { origin: string }, more: object) =>
    fetch(`${origin}/api/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "chaos/chat", prompt: "x", max_tokens: 8, ...more }),
    });
  /** The database of the stopped gateway. */
  const open = async () => {
    const embedded = await startEmbedded(join(dataDir, "database"));
    onTestFinished(() => embedded.close());
    const database = openDatabase(embedded.connection, createMetrics(), silentLog);
    onTestFinished(() => database.close());
    return database;
  };
  return { oracle, spool, key, settings, start, ask, open };
}

type Ask = Awaited<ReturnType<typeof gatewayOnSmallDisk>>["ask"];
const refusals = (gateway: { origin: string }, ask: Ask) =>
  eventually("refusals", async () => {
    const response = await ask(gateway, {});
    await response.arrayBuffer();
    return response.status === 503;
  });

test.skipIf(lacking !== null)(
  `a full disk refuses what is new with 503, lets ${streams} streams end on record, and recovers by itself${suffix}`,
  { timeout: 300_000 },
  async () => {
    const { oracle, spool, key, settings, start, ask, open } = await gatewayOnSmallDisk();
    const gateway = await start();
    const load = startLoad(gateway.origin, key, 20);
    await eventually("answers", async () => load.delivered.length > 20);
    const underWay = await Promise.all(
      Array.from({ length: streams }, () => ask(gateway, { stream: true, max_tokens: 600 })),
    );
    const ends = underWay.map((response) => response.text());
    const makeRoom = fill(spool);
    await refusals(gateway, ask);
    const deliveredBefore = load.delivered.length;
    const refused = await Promise.all(Array.from({ length: 50 }, () => ask(gateway, {})));
    for (const response of refused) {
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("5");
      expect(await response.json()).toMatchObject({
        error: { code: "SERVICE_UNAVAILABLE" },
      });
    }
    expect((await fetch(`${gateway.origin}/health/live`)).status).toBe(200);
    const texts = await Promise.all(ends);
    for (const text of texts) {
      expect(text).toContain("[DONE]");
      expect(text).not.toContain('"error"');
    }
    const records = execFileSync("find", [spool, "-name", "*.spool"], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((file) => readFileSync(file, "utf8"))
      .join("");
    const streamIds = underWay.map(({ headers }) => headers.get("x-generation-id") ?? "");
    // On disk, not only in memory: what the reserve is for.
    expect(streamIds.filter((id) => !records.includes(` FINAL ${id} `))).toEqual([]);
    makeRoom();
    const roomSinceMs = performance.now();
    await eventually("service", async () => (await ask(gateway, {})).status === 200);
    const recoveredMs = performance.now() - roomSinceMs;
    expect(recoveredMs).toBeLessThan(5_000);
    await eventually("answers", async () => load.delivered.length > deliveredBefore + 20);
    await load.stop();
    expect(load.failed).toBeGreaterThan(0);
    await gateway.end("SIGINT");

    expectSoundLedger(settings);
    const database = await open();
    const generations = new Map((await database.prisma.generation.findMany()).map((row) => [row.id, row]));
    for (const { generationId, costEur } of load.delivered)
      expect(generations.get(generationId)?.cost_pico_eur.toFixed()).toBe(
        picoFromDecimal(String(costEur)).toString(),
      );
    for (const id of streamIds) expect(generations.get(id)?.status).toBe("completed");
    const seen = (await (await fetch(`${oracle.origin}/__sandbox/requests`)).json()) as {
      data: SeenRequest[];
    };
    // What was refused reached nobody, and all else is booked.
    expect(new Set(seen.data.map(({ generation }) => generation))).toEqual(new Set(generations.keys()));
    console.log(
      `disk full: ${texts.length} streams ended and on record, ${refused.length + load.failed} refused with 503, ` +
        `served again ${Math.round(recoveredMs)} ms after there was room; ${generations.size} generations, ` +
        `${seen.data.length} seen by the provider; lost 0, doubled 0`,
    );
  },
);

test.skipIf(lacking !== null)(
  `an answer that was completed on a full disk is billed after a kill, also when another writer takes all room${suffix}`,
  { timeout: 300_000 },
  async () => {
    const { spool, settings, start, ask, open } = await gatewayOnSmallDisk();
    const gateway = await start();
    const answers = await Promise.all(
      Array.from({ length: streams }, (_, at) => ask(gateway, { stream: at % 2 === 0, max_tokens: 300 })),
    );
    fill(spool);
    const makeRoom = hog(spool);
    await refusals(gateway, ask);
    const texts = await Promise.all(answers.map((response) => response.text()));
    await gateway.end("SIGKILL");
    await makeRoom();
    rmSync(join(spool, "filler"));
    await (await start()).end("SIGINT");
    expectSoundLedger(settings);
    const database = await open();
    const generations = new Map(
      (
        await database.prisma.generation.findMany({ select: { id: true, status: true, cost_pico_eur: true } })
      ).map((row) => [row.id, row]),
    );
    for (const [at, response] of answers.entries()) {
      expect(texts[at]).toContain(at % 2 === 0 ? "[DONE]" : '"usage"');
      const row = generations.get(response.headers.get("x-generation-id") ?? "");
      expect(row?.status).toBe("completed");
      expect(Number(row?.cost_pico_eur)).toBeGreaterThan(0);
    }
  },
);
