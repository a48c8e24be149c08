import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { auditMoney } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { addDestination, deliveryDeps, encryptionKey } from "#test/destinations/delivering.ts";
import { samplePayload } from "#test/destinations/sample.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, type TestOrganisation } from "#test/factories.ts";
import { startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { eventually, startOracle, startSink } from "./gateway-process.ts";
import { chaosOverlay, createInstallation } from "./installation.ts";

/** `npm run test:chaos` takes the long form. */
const long = process.env.CHAOS === "long";
const backlog = long ? 1_000_000 : limits.destinations.backlogMax + 500;
const rounds = long ? 30 : 4;
const requestsPerRound = 25;
const everyMs = 200;
const programs = postgresPrograms();

/** Types that send OTLP to an address of one's own: five of each are what an organisation may have. */
const kinds: Record<string, (endpoint: string) => object> = {
  "otel-collector": (endpoint) => ({ endpoint }),
  langfuse: (baseUrl) => ({ publicKey: "p", secretKey: "s", baseUrl }),
  langsmith: (endpoint) => ({ apiKey: "k", endpoint }),
  braintrust: (baseUrl) => ({ apiKey: "k", projectId: "p", baseUrl }),
  grafana: (baseUrl) => ({ apiKey: "k", instanceId: "1", baseUrl }),
  weave: (baseUrl) => ({ apiKey: "k", entity: "e", project: "p", baseUrl }),
  dynatrace: (environmentUrl) => ({ apiToken: "k", environmentUrl }),
  axiom: (baseUrl) => ({ apiToken: "k", dataset: "d", baseUrl }),
  honeycomb: (endpoint) => ({ apiKey: "k", endpoint }),
  webhook: (url) => ({ url }),
};

/** What waits for a destination already, as a flush would have left it, the oldest first. */
async function seedBacklog(database: Database, ours: TestOrganisation, id: string, count: number) {
  const { sealer } = deliveryDeps(database);
  const failed = generationRow(ours, "0", { status: "failed" });
  for (let at = 0; at < count; at += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, count - at) }, () => {
      const [deliveryId, generationId] = [uuidv7(), uuidv7()];
      const place = {
        table: "destination_delivery",
        column: "payload",
        rowId: `${generationId}:sent`,
        orgId: ours.orgId,
      };
      return {
        id: deliveryId,
        generation_id: generationId,
        payload: sealer.seal(JSON.stringify(samplePayload), place),
      };
    });
    const given = JSON.stringify(rows);
    await database.batch(async (client) => {
      await client.query(
        `insert into generation select made.* from json_to_recordset($1::json) as given (generation_id uuid),
           jsonb_populate_record(null::generation, $2::jsonb || jsonb_build_object('id', generation_id)) as made`,
        [given, JSON.stringify(failed)],
      );
      await client.query(
        `insert into destination_delivery (id, destination_id, generation_id, status, content, payload, due_at)
         select id, $2, generation_id, 'pending', 'sent', payload, now()
         from json_to_recordset($1::json) as given (id uuid, generation_id uuid, payload text)`,
        [given, id],
      );
    });
  }
}

function quantilesOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

test.skipIf(programs === null)(
  `of 50 destinations one never answers and has ${backlog} traces waiting: the others get theirs, requests notice nothing, and what may wait goes out once it answers`,
  { timeout: 900_000 },
  async () => {
    const cluster = await startCluster(programs ?? "", { durable: true });
    onTestFinished(() => cluster.stop());
    const oracle = await startOracle();
    onTestFinished(() => oracle.end("SIGKILL"));
    const catalogFile = join(temporaryDirectory(), "overlay.json");
    writeFileSync(catalogFile, JSON.stringify(chaosOverlay(oracle.origin)));
    const installation = await createInstallation(cluster, {
      ENCRYPTION_KEY: encryptionKey.toString("base64"),
      CATALOG_FILE: catalogFile,
      SANDBOX: "false",
      ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
      RATE_LIMIT_KEY: "1000000",
      RATE_LIMIT_ORGANISATION: "0",
      ADMIN_API_KEY: mintKey("ptl"),
    });
    const gateway = await installation.start();
    onTestFinished(() => gateway.end("SIGKILL"));
    const database = installation.open();
    onTestFinished(() => database.close());
    const deps = deliveryDeps(database);
    onTestFinished(() => deps.outbound.close());

    const [watched, plain] = [await createOrganisation(database), await createOrganisation(database)];
    const sink = await startSink();
    onTestFinished(() => sink.end("SIGKILL"));
    const places: string[] = [];
    for (const [type, config] of Object.entries(kinds)) {
      for (let at = 0; at < 5; at++) {
        const place = places.length === 0 ? `${sink.origin}/hole` : sink.origin;
        places.push(await addDestination(deps, watched, { type, config: config(place) }));
      }
    }
    const dead = places[0] ?? "";
    const residentMb = async () => {
      const text = await (await fetch(`${gateway.origin}/metrics`)).text();
      return Number(/^portolan_process_resident_memory_bytes (.*)$/m.exec(text)?.[1]) / 2 ** 20;
    };
    /** What the backlog takes on disk, dead rows that are not cleared away yet included. */
    const tableMb = async () => {
      const [row] = await database.prisma.$queryRaw<{ mb: number }[]>`
        select pg_total_relation_size('destination_delivery')::float8 / 1048576 as mb`;
      return row?.mb ?? Number.NaN;
    };
    const memory = [await residentMb()];
    await seedBacklog(database, watched, dead, backlog);

    const answered: string[] = [];
    const ask = async ({ key }: TestOrganisation): Promise<number> => {
      const begun = performance.now();
      const response = await fetch(`${gateway.origin}/api/v1/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "chaos/flat", prompt: "Name a river.", max_tokens: 8 }),
      });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      answered.push(response.headers.get("x-generation-id") ?? "");
      return performance.now() - begun;
    };
    /** At a fixed pace, whether or not earlier ones were answered. */
    const round = async (ours: TestOrganisation): Promise<number[]> => {
      const open: Promise<number>[] = [];
      for await (const _ of setInterval(everyMs)) {
        open.push(ask(ours));
        if (open.length === requestsPerRound) break;
      }
      return Promise.all(open);
    };
    const waiting = { destination_id: { not: dead }, status: "pending" };
    const allArrived = () =>
      eventually(
        "the deliveries",
        async () => (await database.prisma.destination_delivery.count({ where: waiting })) === 0,
        60_000,
      );

    await eventually("the keys", async () => {
      const own = await Promise.all(
        [watched, plain].map(({ key }) =>
          fetch(`${gateway.origin}/api/v1/key`, { headers: { authorization: `Bearer ${key}` } }),
        ),
      );
      return own.every(({ ok }) => ok);
    });
    // The first requests of a process are slow for reasons of their own.
    await round(plain);
    await round(watched);
    await allArrived();
    await database.prisma.destination_delivery.deleteMany({ where: { status: "delivered" } });
    const seededMb = await tableMb();
    const [without, broadcasting]: [number[], number[]] = [[], []];
    for (let at = 0; at < rounds; at++) {
      without.push(...(await round(plain)));
      broadcasting.push(...(await round(watched)));
      await allArrived();
      memory.push(await residentMb());
    }
    const grownMb = Math.max(...memory) - (memory[0] ?? 0);
    expect(grownMb, "memory of the process beyond that at its start, in MiB").toBeLessThan(256);
    const storedMb = await tableMb();
    expect(storedMb, "the table in MiB").toBeLessThan(seededMb * 1.5 + 64);

    const lags = await database.prisma.$queryRaw<{ ms: number }[]>`
      select (extract(epoch from finished_at - started_at) * 1000 - duration_ms)::float8 as ms
      from destination_delivery as delivery join generation on generation.id = delivery.generation_id
      where delivery.status = 'delivered' order by ms`;
    const lag = quantilesOf(lags.map(({ ms }) => ms));
    expect(lags).toHaveLength(rounds * requestsPerRound * (places.length - 1));
    expect(lag.p99, "lag of deliveries in ms").toBeLessThanOrEqual(5_000);
    // The black hole was asked, and what waited for it is still there, but for the oldest.
    expect(Number(await (await fetch(`${sink.origin}/unanswered`)).text())).toBeGreaterThan(0);
    const { dropped } = await database.prisma.destination.findUniqueOrThrow({ where: { id: dead } });
    const ofDead = { destination_id: dead };
    const [ids, left] = await Promise.all([
      database.prisma.destination_delivery.findMany({
        where: { ...ofDead, status: "dropped" },
        select: { id: true },
      }),
      database.prisma.destination_delivery.findFirstOrThrow({
        where: { ...ofDead, status: "pending" },
        orderBy: { id: "asc" },
      }),
    ]);
    expect(BigInt(ids.length)).toBe(dropped);
    expect(ids.length).toBeGreaterThanOrEqual(backlog - limits.destinations.backlogMax);
    expect(ids.filter(({ id }) => id > left.id)).toEqual([]);

    // It answers again: what is due goes out, the oldest first.
    await fetch(`${sink.origin}/heal`);
    const healed = await fetch(`${gateway.origin}/api/v1/broadcast-destinations/${dead}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${watched.key}`, "content-type": "application/json" },
      body: '{"enabled":true}',
    });
    expect(healed.status).toBe(200);
    const healedMs = performance.now();
    const arrivedAtDead = () =>
      database.prisma.destination_delivery.count({ where: { ...ofDead, status: "delivered" } });
    const wanted = long ? limits.destinations.backlogMax / 2 : 2_000;
    await eventually(
      "the backlog",
      async () => {
        const [row] = await database.prisma.$queryRaw<{ overtaken: number }[]>`
          select count(*)::int as overtaken from destination_delivery as older
          where destination_id = ${dead}::uuid and status = 'pending' and attempts = 0 and due_at <= now() and id <
            (select max(id::text)::uuid from destination_delivery
             where destination_id = ${dead}::uuid and status = 'delivered')`;
        expect(row?.overtaken, "what is due and older than what went out").toBe(0);
        return (await arrivedAtDead()) >= wanted;
      },
      300_000,
    );
    const perSecond = Math.round((await arrivedAtDead()) / ((performance.now() - healedMs) / 1000));

    await gateway.end("SIGINT");
    const recorded = await database.prisma.generation.count({ where: { id: { in: answered } } });
    expect(answered.length - recorded, "answers without a record").toBe(0);
    // What waited at the start came from nowhere: the books know nothing of it.
    await database.batch(async (client) => {
      await client.query("set local statement_timeout = 0");
      await client.query("delete from generation where status = 'failed'");
    });
    const broken = (await auditMoney(database, { quiescent: true })).filter((finding) => finding.broken > 0);
    expect(broken).toEqual([]);
    const [a, b] = [quantilesOf(without), quantilesOf(broadcasting)];
    const reported = (name: "p50" | "p99") =>
      `${name} ${a[name].toFixed(2)} ms without, ${b[name].toFixed(2)} ms with (+${(b[name] - a[name]).toFixed(2)} ms, × ${(b[name] / a[name]).toFixed(2)})`;
    console.log(
      `${lags.length} deliveries to 49 destinations: lag p50 ${Math.round(lag.p50)} ms, p99 ${Math.round(lag.p99)} ms, ` +
        `most ${Math.round(lag.max)} ms; ${ids.length} of ${backlog} waiting dropped, usage lost 0\n` +
        `memory +${Math.round(grownMb)} MiB at most, table ${Math.round(seededMb)} MiB seeded and ${Math.round(storedMb)} MiB afterwards; ` +
        `once it answers ${perSecond} deliveries/s, the oldest first\n` +
        `requests at ${1000 / everyMs}/s, ${rounds} rounds in turn: ${reported("p50")}; ${reported("p99")}`,
    );
  },
);
