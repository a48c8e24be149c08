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
/** What a worker can have under way when it dies, of a type that takes one trace a request. */
const underWayMax = 8;
const programs = postgresPrograms();

/** A webhook that refuses three of ten requests, and remembers by their id the traces it took. */
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

test.skipIf(programs === null)(
  `${traces} traces all arrive although 3 of 10 requests fail and kill -9 ends the worker ${kills} times`,
  { timeout: 900_000 },
  async () => {
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
    let gateway = await start();
    const database = openDatabase(cluster.server, createMetrics(), silentLog, testSeal);
    onTestFinished(() => database.close());
    const deps = deliveryDeps(database);
    onTestFinished(() => deps.outbound.close());
    const ours = await createOrganisation(database);
    const sink = await startSink();
    const id = await addDestination(deps, ours, { type: "webhook", config: { url: sink.origin } });
    const madeUp: string[] = [];
    for (let at = 0; at < traces; at += 100) {
      const rows = Array.from({ length: 100 }, () => generationRow(ours));
      await storeTraces(deps, rows);
      madeUp.push(...rows.map((row) => row.id));
    }
    const headers = { authorization: `Bearer ${ours.key}`, "content-type": "application/json" };

    /** The time is over that what failed, what was leased and what is to rest waits for. */
    const timePasses = async () => {
      await database.prisma.$executeRaw`
        update destination_delivery set due_at = now() - interval '1 second' where status = 'pending' and due_at > now()`;
      await fetch(`${gateway.origin}/api/v1/broadcast-destinations/${id}`, {
        method: "PATCH",
        headers,
        body: '{"enabled":true}',
      });
    };
    /** Whether anything may be sent now: not when all of it waits for its time, or the destination rests. */
    const somethingIsDue = async () => {
      const due = await database.prisma.$queryRaw<unknown[]>`
        select 1 from destination_delivery as delivery join destination on destination.id = destination_id
        where delivery.status = 'pending' and due_at <= now() and coalesce(paused_until, now()) <= now() limit 1`;
      return due.length > 0;
    };
    /** Goes on until it is so, letting time pass at first, and whenever nothing is due. */
    const workUntil = async (what: string, probe: () => Promise<boolean>) => {
      await timePasses();
      await eventually(
        what,
        async () => {
          if (await probe()) return true;
          if (!(await somethingIsDue())) await timePasses();
          return false;
        },
        600_000,
      );
    };
    /** Resolves when the answer has begun. */
    const beginStream = async () => {
      const body = { model: "chaos/chat", prompt: "x", max_tokens: 2000, stream: true };
      const response = await fetch(`${gateway.origin}/api/v1/completions`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      const reader = response.body?.getReader();
      await reader?.read();
      return reader;
    };

    await eventually("the key", async () => (await fetch(`${gateway.origin}/api/v1/key`, { headers })).ok);
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

    const all = await database.prisma.destination_delivery.findMany({
      select: { id: true, status: true, content: true },
    });
    expect(all).toHaveLength(traces + kills);
    expect(all.filter(({ status }) => status !== "delivered")).toEqual([]);
    expect(new Set(sink.arrived.keys())).toEqual(new Set(all.map((row) => row.id)));
    const duplicates = [...sink.arrived.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(duplicates).toBeLessThanOrEqual(kills * underWayMax);
    // Of what was cut off nobody knows what was said; that it was, and what it cost, is told.
    const bare = all.filter(({ content }) => content === "none").map((row) => row.id);
    expect(new Set(bare)).toEqual(sink.interrupted);
    expect(bare).toHaveLength(kills);
    await gateway.end("SIGINT");
    // The books know nothing of what nobody asked for.
    await database.prisma.generation.deleteMany({ where: { id: { in: madeUp } } });
    expectSoundLedger(settings);
    console.log(
      `${traces} traces, ${kills} kills: ${sink.requests()} requests, ${sink.arrived.size} arrived, ` +
        `${duplicates} twice (${((100 * duplicates) / traces).toFixed(2)} %), each with the same id`,
    );
  },
);
