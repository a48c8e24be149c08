import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { auditMoney } from "#server/billing/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { limits } from "#server/platform/limits.ts";
import { addDestination, deliveryDeps, encryptionKey } from "#test/destinations/delivering.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, type TestOrganisation } from "#test/factories.ts";
import { startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { seedBacklog } from "./backlog.ts";
import { eventually, startOracle, startSink } from "./gateway-process.ts";
import { chaosOverlay, createInstallation } from "./installation.ts";

/** `npm run test:chaos` takes the long form. */
const long = process.env.CHAOS === "long";
const backlog = long ? 1_000_000 : limits.destinations.backlogMax + 500;
const rounds = long ? 30 : 4;
const requestsPerRound = 25;
const everyMs = 200;
const programs = postgresPrograms();

/** Types with an address of the customer's choice. An organisation may have five destinations of each. */
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

function quantilesOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** One gateway with two organisations: one broadcasts to 50 destinations, the first of which never answers. */
async function startBroadcasting() {
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
  return { gateway, database, sink, watched, plain, places, dead: places[0] ?? "" };
}

type Broadcasting = Awaited<ReturnType<typeof startBroadcasting>>;

const residentMb = async ({ gateway }: Broadcasting) => {
  const text = await (await fetch(`${gateway.origin}/metrics`)).text();
  return Number(/^portolan_process_resident_memory_bytes (.*)$/m.exec(text)?.[1]) / 2 ** 20;
};

/** The size of the backlog on disk, with dead rows that are not vacuumed yet. */
const tableMb = async ({ database }: Broadcasting) => {
  const [row] = await database.prisma.$queryRaw<{ mb: number }[]>`
    select pg_total_relation_size('destination_delivery')::float8 / 1048576 as mb`;
  return row?.mb ?? Number.NaN;
};

/** Requests with the key of an organisation; `answered` are the ids of their generations. */
function clientOf({ gateway, database, watched, plain, dead }: Broadcasting) {
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
  /** Sends requests at a fixed pace, whether or not earlier ones were answered. */
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
  const keysAreKnown = () =>
    eventually("the keys", async () => {
      const own = await Promise.all(
        [watched, plain].map(({ key }) =>
          fetch(`${gateway.origin}/api/v1/key`, { headers: { authorization: `Bearer ${key}` } }),
        ),
      );
      return own.every(({ ok }) => ok);
    });
  return { answered, round, allArrived, keysAreKnown };
}

/** Rounds of requests in turn without and with destinations, while the backlog waits. */
async function measureRounds(all: Broadcasting) {
  const { database, watched, plain } = all;
  const { answered, round, allArrived, keysAreKnown } = clientOf(all);
  const memory = [await residentMb(all)];
  await seedBacklog(database, watched, all.dead, backlog);
  await keysAreKnown();
  // The first requests of a process are slow for reasons of their own.
  await round(plain);
  await round(watched);
  await allArrived();
  await database.prisma.destination_delivery.deleteMany({ where: { status: "delivered" } });
  const seededMb = await tableMb(all);
  const [without, broadcasting]: [number[], number[]] = [[], []];
  for (let at = 0; at < rounds; at++) {
    without.push(...(await round(plain)));
    broadcasting.push(...(await round(watched)));
    await allArrived();
    memory.push(await residentMb(all));
  }
  const grownMb = Math.max(...memory) - (memory[0] ?? 0);
  expect(grownMb, "memory of the process beyond that at its start, in MiB").toBeLessThan(256);
  const storedMb = await tableMb(all);
  expect(storedMb, "the table in MiB").toBeLessThan(seededMb * 1.5 + 64);
  const [a, b] = [quantilesOf(without), quantilesOf(broadcasting)];
  const latency = (name: "p50" | "p99") =>
    `${name} ${a[name].toFixed(2)} ms without, ${b[name].toFixed(2)} ms with (+${(b[name] - a[name]).toFixed(2)} ms, × ${(b[name] / a[name]).toFixed(2)})`;
  console.log(
    `memory +${Math.round(grownMb)} MiB at most, table ${Math.round(seededMb)} MiB seeded and ${Math.round(storedMb)} MiB afterwards\n` +
      `requests at ${1000 / everyMs}/s, ${rounds} rounds in turn: ${latency("p50")}; ${latency("p99")}`,
  );
  return answered;
}

/** The traces of all other destinations arrived in time. */
async function expectDelivered({ database, places }: Broadcasting): Promise<void> {
  const lags = await database.prisma.$queryRaw<{ ms: number }[]>`
    select (extract(epoch from finished_at - started_at) * 1000 - duration_ms)::float8 as ms
    from destination_delivery as delivery join generation on generation.id = delivery.generation_id
    where delivery.status = 'delivered' order by ms`;
  const lag = quantilesOf(lags.map(({ ms }) => ms));
  expect(lags).toHaveLength(rounds * requestsPerRound * (places.length - 1));
  expect(lag.p99, "lag of deliveries in ms").toBeLessThanOrEqual(5_000);
  console.log(
    `${lags.length} deliveries to 49 destinations: lag p50 ${Math.round(lag.p50)} ms, p99 ${Math.round(lag.p99)} ms, ` +
      `most ${Math.round(lag.max)} ms`,
  );
}

/** The silent destination was asked, and only its oldest traces were dropped. */
async function expectBacklogBounded({ database, sink, dead }: Broadcasting): Promise<void> {
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
  console.log(`${ids.length} of ${backlog} waiting dropped`);
}

/** Once the silent destination answers again, the traces that are due are sent, the oldest first. */
async function expectBacklogSent({ gateway, database, sink, watched, dead }: Broadcasting): Promise<void> {
  await fetch(`${sink.origin}/heal`);
  const healed = await fetch(`${gateway.origin}/api/v1/broadcast-destinations/${dead}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${watched.key}`, "content-type": "application/json" },
    body: '{"enabled":true}',
  });
  expect(healed.status).toBe(200);
  const healedMs = performance.now();
  const arrivedAtDead = () =>
    database.prisma.destination_delivery.count({ where: { destination_id: dead, status: "delivered" } });
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
  console.log(`once it answers ${perSecond} deliveries/s, the oldest first`);
}

/** Every answer of the stopped gateway is recorded, and the ledger is sound. */
async function expectBooked({ database }: Broadcasting, answered: readonly string[]): Promise<void> {
  const recorded = await database.prisma.generation.count({ where: { id: { in: [...answered] } } });
  expect(answered.length - recorded, "answers without a record").toBe(0);
  // The ledger has no entries for the seeded generations.
  await database.batch(async (client) => {
    await client.query("set local statement_timeout = 0");
    await client.query("delete from generation where status = 'failed'");
  });
  const broken = (await auditMoney(database, { quiescent: true })).filter((finding) => finding.broken > 0);
  expect(broken).toEqual([]);
}

test.skipIf(programs === null)(
  `of 50 destinations one never answers and has ${backlog} traces waiting: the others get theirs, requests are not slowed down, and the backlog is sent once it answers`,
  { timeout: 900_000 },
  async () => {
    const all = await startBroadcasting();
    const answered = await measureRounds(all);
    await expectDelivered(all);
    await expectBacklogBounded(all);
    await expectBacklogSent(all);
    await all.gateway.end("SIGINT");
    await expectBooked(all, answered);
  },
);
