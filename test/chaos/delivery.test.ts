import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "#server/db/index.ts";
import { sample } from "#server/destinations/choose.ts";
import { mintKey } from "#server/keys/index.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { addDestination, deliveryDeps, encryptionKey, storeTraces } from "#test/destinations/delivering.ts";
import { startRecorder } from "#test/destinations/recorder.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow } from "#test/factories.ts";
import { testSeal } from "#test/seal.ts";
import { startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { eventually, startGateway, startOracle } from "./gateway-process.ts";
import { chaosOverlay, freePort } from "./installation.ts";
import { expectSoundLedger } from "./sound-ledger.ts";

/** `npm run test:chaos` takes the long form. */
const traces = process.env.CHAOS === "long" ? 10_000 : 300;
const kills = 3;
/** The most deliveries under way when a worker dies, for a type with one trace per request. */
const underWayMax = 8;
const programs = postgresPrograms();

/** A webhook that refuses three of ten requests and counts the traces it accepted by their id. */
async function startSink() {
  const arrived = new Map<string, number>();
  const interrupted = new Set<string>();
  const sink = await startRecorder();
  let requests = 0;
  sink.reply = ({ headers, body }) => {
    sink.seen.length = 0;
    requests++;
    if (sample("chaos", String(requests)) < 0.3) return { status: 503 };
    const id = String(headers["webhook-id"]);
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    if (body.includes('"interrupted"')) interrupted.add(id);
    return { status: 200 };
  };
  return { origin: sink.origin, arrived, interrupted, requests: () => requests };
}

/** One gateway over a cluster of its own, with an organisation whose traces go to a sink. */
async function startInstallation() {
  const cluster = await startCluster(programs ?? "", { durable: true });
  onTestFinished(() => cluster.stop());
  const oracle = await startOracle();
  onTestFinished(() => oracle.end("SIGKILL"));
  const directory = temporaryDirectory();
  const catalogFile = join(directory, "overlay.json");
  writeFileSync(catalogFile, JSON.stringify(chaosOverlay(oracle.origin)));
  const settings = {
    DATABASE_URL: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(String(cluster.server.host))}`,
    DATA_DIR: join(directory, "data"),
    ENCRYPTION_KEY: encryptionKey.toString("base64"),
    CATALOG_FILE: catalogFile,
    SANDBOX: "false",
    ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
    ADMIN_API_KEY: mintKey("ptl"),
  };
  const start = async () => {
    const gateway = await startGateway(await freePort(), settings);
    onTestFinished(() => gateway.end("SIGKILL"));
    return gateway;
  };
  // The first start creates the tables.
  const gateway = await start();
  const database = openDatabase(cluster.server, createMetrics(), silentLog, testSeal);
  onTestFinished(() => database.close());
  const deps = deliveryDeps(database);
  onTestFinished(() => deps.outbound.close());
  const ours = await createOrganisation(database);
  const sink = await startSink();
  const destinationId = await addDestination(deps, ours, { type: "webhook", config: { url: sink.origin } });
  return { settings, start, gateway, database, deps, ours, sink, destinationId };
}
type Installation = Awaited<ReturnType<typeof startInstallation>>;

/** Traces that wait for the destination, of generations that were never requested. */
async function seedTraces({ deps, ours }: Installation): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < traces; at += 100) {
    const rows = Array.from({ length: 100 }, () => generationRow(ours));
    await storeTraces(deps, rows);
    ids.push(...rows.map((row) => row.id));
  }
  return ids;
}

/** Lets the worker of the current gateway deliver, without the pauses that deliveries wait for. */
function workerOf({ database, ours, destinationId }: Installation, origin: () => string) {
  const headers = { authorization: `Bearer ${ours.key}`, "content-type": "application/json" };

  /** Ends the waiting time of failed and leased deliveries and the pause of the destination. */
  const endPauses = async () => {
    await database.prisma.$executeRaw`
      update destination_delivery set due_at = now() - interval '1 second' where status = 'pending' and due_at > now()`;
    await fetch(`${origin()}/api/v1/broadcast-destinations/${destinationId}`, {
      method: "PATCH",
      headers,
      body: '{"enabled":true}',
    });
  };
  /** Whether anything may be sent now. */
  const somethingIsDue = async () => {
    const due = await database.prisma.$queryRaw<unknown[]>`
      select 1 from destination_delivery as delivery join destination on destination.id = destination_id
      where delivery.status = 'pending' and due_at <= now() and coalesce(paused_until, now()) <= now() limit 1`;
    return due.length > 0;
  };
  /** Waits for a condition, and ends the pauses at first and whenever nothing is due. */
  const workUntil = async (what: string, probe: () => Promise<boolean>) => {
    await endPauses();
    await eventually(
      what,
      async () => {
        if (await probe()) return true;
        if (!(await somethingIsDue())) await endPauses();
        return false;
      },
      600_000,
    );
  };
  /** Resolves when the answer has begun. */
  const beginStream = async () => {
    const body = { model: "chaos/chat", prompt: "x", max_tokens: 2000, stream: true };
    const response = await fetch(`${origin()}/api/v1/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await reader?.read();
    return reader;
  };
  const keyIsKnown = () =>
    eventually("the key", async () => (await fetch(`${origin()}/api/v1/key`, { headers })).ok);
  return { workUntil, beginStream, keyIsKnown };
}

/** Kills the worker while it delivers, lets its successors deliver everything, and stops the last. */
async function deliverAllUnderKills(installation: Installation): Promise<void> {
  const { database, sink, start } = installation;
  let { gateway } = installation;
  const { workUntil, beginStream, keyIsKnown } = workerOf(installation, () => gateway.origin);
  await keyIsKnown();
  for (let kill = 1; kill <= kills; kill++) {
    await workUntil("arrivals", async () => sink.arrived.size > (kill * traces) / 5);
    const stream = await beginStream();
    await gateway.end("SIGKILL");
    await stream?.cancel().catch(() => {});
    // The queue has missed the heartbeat of the dead worker.
    await database.prisma.$executeRaw`
      delete from jobs.job where name = 'broadcast-traces' and state = 'active'`;
    gateway = await start();
  }
  const pending = () => database.prisma.destination_delivery.count({ where: { status: "pending" } });
  await workUntil("all deliveries", async () => (await pending()) === 0);
  await gateway.end("SIGINT");
}

test.skipIf(programs === null)(
  `${traces} traces all arrive although 3 of 10 requests fail and kill -9 ends the worker ${kills} times`,
  { timeout: 900_000 },
  async () => {
    const installation = await startInstallation();
    const { database, sink, settings } = installation;
    const seeded = await seedTraces(installation);
    await deliverAllUnderKills(installation);

    const all = await database.prisma.destination_delivery.findMany({
      select: { id: true, status: true, content: true },
    });
    expect(all).toHaveLength(traces + kills);
    expect(all.filter(({ status }) => status !== "delivered")).toEqual([]);
    expect(new Set(sink.arrived.keys())).toEqual(new Set(all.map((row) => row.id)));
    const duplicates = [...sink.arrived.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(duplicates).toBeLessThanOrEqual(kills * underWayMax);
    // The traces of the killed streams have no content, but they arrive with status and cost.
    const bare = all.filter(({ content }) => content === "none").map((row) => row.id);
    expect(new Set(bare)).toEqual(sink.interrupted);
    expect(bare).toHaveLength(kills);
    // The ledger has no entries for the seeded generations.
    await database.prisma.generation.deleteMany({ where: { id: { in: seeded } } });
    expectSoundLedger(settings);
    console.log(
      `${traces} traces, ${kills} kills: ${sink.requests()} requests, ${sink.arrived.size} arrived, ` +
        `${duplicates} twice (${((100 * duplicates) / traces).toFixed(2)} %), each with the same id`,
    );
  },
);
