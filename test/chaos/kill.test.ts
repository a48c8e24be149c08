import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, startEmbedded } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import type { SeenRequest } from "#server/sandbox/index.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { readLedger } from "#test/ledger.ts";
import { eventually, startGateway, startOracle } from "./gateway-process.ts";
import { type Delivered, startLoad } from "./load.ts";

const kills = 20;
const perSecond = 50;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}

/** One chatting model on the oracle; the price makes every token count. */
const overlay = (origin: string) => ({
  schema: "portolan-catalogue/1",
  providers: [{ slug: "chaos", name: "Chaos", base_url: `${origin}/fr/v1`, auth: "none" }],
  models: [{ id: "chaos/chat" }],
  endpoints: [
    {
      provider: "chaos",
      model: "chaos/chat",
      // Slow enough that every kill meets requests under way.
      upstream_model: "sandbox/chat!slow:10",
      apis: ["completions", "chat"],
      price: { currency: "EUR", input: "0.4", output: "1.2" },
    },
  ],
});

test(`${kills} × kill -9 under ${perSecond} requests a second lose and double nothing`, {
  timeout: 300_000,
}, async () => {
  const oracle = await startOracle();
  onTestFinished(() => oracle.end("SIGKILL"));
  const directory = temporaryDirectory();
  const catalogFile = join(directory, "overlay.json");
  writeFileSync(catalogFile, JSON.stringify(overlay(oracle.origin)));
  const dataDir = join(directory, "data");
  const key = mintKey("ptl");
  const port = await freePort();
  const start = () =>
    startGateway(port, {
      DATA_DIR: dataDir,
      CATALOG_FILE: catalogFile,
      SANDBOX: "false",
      ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      ADMIN_API_KEY: key,
    });

  const delivered: Delivered[] = [];
  let gateway = await start();
  for (let round = 0; round < kills; round++) {
    const load = startLoad(gateway.origin, key, perSecond);
    // A different number of answers each time, so that the kill meets every stage of requests and of flushing.
    await eventually("answers", async () => load.delivered.length > 5 + 4 * round);
    await gateway.end("SIGKILL");
    await load.stop();
    delivered.push(...load.delivered);
    gateway = await start();
  }
  await gateway.end("SIGINT");

  const seen = (await (await fetch(`${oracle.origin}/__sandbox/requests`)).json()) as { data: SeenRequest[] };
  const embedded = await startEmbedded(join(dataDir, "database"));
  onTestFinished(() => embedded.close());
  const database = openDatabase(embedded.connection, createMetrics(), silentLog);
  onTestFinished(() => database.close());

  const generations = await database.prisma.generation.findMany();
  const byId = new Map(generations.map((row) => [row.id, row]));
  const transfers = new Map(
    (await database.prisma.ledger_transfer.findMany({ where: { kind: "usage" } })).map((row) => [
      row.id,
      row,
    ]),
  );
  const lost = delivered.filter(
    ({ generationId }) => !transfers.has(generationId) || !byId.has(generationId),
  );
  expect(lost, "delivered and not billed").toEqual([]);
  for (const { generationId, costEur } of delivered) {
    expect(byId.get(generationId)?.status).toBe("completed");
    expect(BigInt(transfers.get(generationId)?.amount_pico_eur.toFixed() ?? "-1")).toBe(
      picoFromDecimal(String(costEur)),
    );
  }
  const unknown = seen.data.filter(({ generation }) => generation === null || !byId.has(generation));
  expect(unknown, "seen by the provider and not recorded").toEqual([]);
  const [organisation] = await database.prisma.organisation.findMany();
  const ledger = await readLedger(database, organisation?.id ?? "");
  expect(ledger.used).toBe(ledger.generations);
  expect(ledger.granted - ledger.used).toBe(ledger.credits);
  expect(ledger.leased).toBe(0n);
  const interrupted = generations.filter(({ status }) => status === "interrupted").length;
  expect(delivered.length).toBeGreaterThan(kills * 5);
  expect(interrupted, "requests under way at a kill").toBeGreaterThan(kills);
  console.log(
    `${kills} kills: ${delivered.length} delivered (${delivered.filter(({ streamed }) => streamed).length} streams), ` +
      `${seen.data.length} seen by the provider, ${generations.length} generations, ${interrupted} of them ` +
      "interrupted, lost 0, doubled 0",
  );
});
