import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { auditMoney, readBalance } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import type { SeenRequest } from "#server/sandbox/index.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { type Cluster, startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { eventually, startOracle } from "./gateway-process.ts";
import { chaosOverlay, createInstallation, type Gateway } from "./installation.ts";
import { type Delivered, startLoad } from "./load.ts";

const long = process.env.CHAOS === "long";
const programs = postgresPrograms();
const eur = picoFromDecimal;

/** Of 100 answers 99 took no longer. */
const p99 = (answers: readonly Delivered[]): number =>
  answers.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)[Math.floor(answers.length * 0.99)] ?? 0;

/** Processes of one installation over one PostgreSQL, which may crash and come back. */
describe.skipIf(programs === null)("over one PostgreSQL", () => {
  let cluster: Cluster;
  let oracle: Awaited<ReturnType<typeof startOracle>>;
  beforeAll(async () => {
    cluster = await startCluster(programs ?? "", { durable: true });
    oracle = await startOracle();
  });
  afterAll(async () => {
    await oracle?.end("SIGKILL");
    await cluster?.stop();
  });

  const seen = async (): Promise<SeenRequest[]> =>
    ((await (await fetch(`${oracle.origin}/__sandbox/requests`)).json()) as { data: SeenRequest[] }).data;

  /** A new installation whose processes and pools end with the test. */
  async function installation(settings: Record<string, string> = {}) {
    const key = mintKey("ptl");
    const catalogFile = join(temporaryDirectory(), "overlay.json");
    writeFileSync(catalogFile, JSON.stringify(chaosOverlay(oracle.origin)));
    const made = await createInstallation(cluster, {
      CATALOG_FILE: catalogFile,
      SANDBOX: "false",
      ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      ADMIN_API_KEY: key,
      RATE_LIMIT_KEY: "1000000",
      RATE_LIMIT_ORGANISATION: "0",
      ...settings,
    });
    const start = async (more?: Record<string, string>) => {
      const gateway = await made.start(more);
      onTestFinished(() => gateway.end("SIGKILL"));
      return gateway;
    };
    const open = (): Database => {
      const database = made.open();
      onTestFinished(() => database.close());
      return database;
    };
    const before = (await seen()).length;
    /** What the provider was asked on behalf of this installation. */
    const asked = async () => (await seen()).slice(before);
    return { key, start, open, asked };
  }

  async function ask(gateway: Gateway, key: string, more: object = {}): Promise<number> {
    const response = await fetch(`${gateway.origin}/api/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "chaos/flat", prompt: "x", max_tokens: 4, ...more }),
    });
    const text = await response.text();
    if (response.status === 402) expect(JSON.parse(text).error.metadata).toHaveProperty("missing_eur");
    return response.status;
  }

  async function setCredit(database: Database, amount: string): Promise<string> {
    const [organisation] = await database.prisma.organisation.findMany();
    const orgId = organisation?.id ?? "";
    const { granted } = await readBalance(database, orgId);
    await database.transaction(async (tx) => {
      const less = granted - eur(amount);
      await tx.credit_balance.update({
        where: { account_id: orgId },
        data: { granted_pico_eur: eur(amount).toString() },
      });
      const [from, to] = less < 0n ? ["granted", "credits"] : ["credits", "granted"];
      await tx.$executeRaw`insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind, reason)
        values (gen_random_uuid(), ${orgId}::uuid, ${from}, ${to}, abs(${less.toString()}::numeric), 'adjustment', 'test')`;
    });
    return orgId;
  }

  const sound = async (database: Database) =>
    expect((await auditMoney(database, { quiescent: true })).filter(({ broken }) => broken > 0)).toEqual([]);

  test.each([1, 3])(
    "credit for 100 requests lets 99 to 100 of 1,000 at once pass with %i processes, and nothing is overspent",
    {
      timeout: 240_000,
    },
    async (processes) => {
      const { key, start, open } = await installation();
      const gateways = [await start()];
      const database = open();
      const orgId = await setCredit(database, "1");
      while (gateways.length < processes) gateways.push(await start());
      // Processes that warmed up borrowed ahead: what they do not need comes back when they are asked for it.
      const statuses = await Promise.all(
        Array.from({ length: 1000 }, (_, at) => ask(gateways[at % processes] as Gateway, key)),
      );
      const count = (status: number) => statuses.filter((one) => one === status).length;
      expect(count(200) + count(402)).toBe(1000);
      expect(count(200)).toBeLessThanOrEqual(100);
      expect(count(200)).toBeGreaterThanOrEqual(99);
      for (const gateway of gateways) await gateway.end("SIGINT");
      const { granted, used } = await readBalance(database, orgId);
      expect(used).toBe(eur("0.01") * BigInt(count(200)));
      expect(granted - used).toBeGreaterThanOrEqual(0n);
      await sound(database);
      console.log(
        `${processes} processes: ${count(200)} of 1,000 served with credit for 100, ${count(402)} refused`,
      );
    },
  );

  test("credit of a killed process comes back when its lease ends, and its unbooked usage once it is replayed", {
    timeout: 240_000,
  }, async () => {
    const { key, start, open } = await installation({ CREDIT_LEASE_TTL: "3" });
    const gateway = await start();
    const database = open();
    const [organisation] = await database.prisma.organisation.findMany();
    const orgId = organisation?.id ?? "";
    const other = await start();
    expect(await ask(gateway, key)).toBe(200);
    await gateway.end("SIGKILL");
    const leases = () => database.prisma.credit_lease.count({ where: { account_id: orgId } });
    expect(await leases()).toBe(2);
    // The living one sweeps; its own lease is renewed all the while.
    await eventually("the lease's return", async () => (await leases()) === 1, 20_000);
    expect(await ask(other, key)).toBe(200);
    await start({ DATA_DIR: join(gateway.dataDir) }).then((again) => again.end("SIGINT"));
    await other.end("SIGINT");
    expect((await readBalance(database, orgId)).used).toBe(eur("0.02"));
    await sound(database);
  });

  test("a process that was paused past its lease spends nothing of it, and books what it had spent once", {
    timeout: 240_000,
  }, async () => {
    const { key, start, open } = await installation({ CREDIT_LEASE_TTL: "2" });
    const paused = await start();
    const other = await start();
    const database = open();
    const orgId = await setCredit(database, "0.5");
    expect(await ask(paused, key)).toBe(200);
    paused.child.kill("SIGSTOP");
    const leases = () => database.prisma.credit_lease.count({ where: { account_id: orgId } });
    await eventually("the lease's return", async () => (await leases()) <= 1, 20_000);
    let spent = 1;
    for (;;) {
      const status = await ask(other, key);
      if (status === 402) break;
      expect(status).toBe(200);
      spent++;
    }
    paused.child.kill("SIGCONT");
    expect(await ask(paused, key)).toBe(402);
    await paused.end("SIGINT");
    await other.end("SIGINT");
    const { used } = await readBalance(database, orgId);
    expect(used).toBe(eur("0.01") * BigInt(spent));
    // What the paused process had spent and not booked when its lease was taken is the most that can be over.
    expect(used).toBeLessThanOrEqual(eur("0.51"));
    await setCredit(database, "0.51");
    await sound(database);
  });

  const crashes = long ? 20 : 4;
  /** Answers of an outage; the long form has one of the longest that is promised, 30 s at 30 requests a second. */
  const answersOf = (round: number) => (long && round === 0 ? 900 : 40);
  test(`${crashes} crashes of PostgreSQL under load lose and double nothing, and inference goes on`, {
    timeout: 600_000,
  }, async () => {
    const { key, start, open, asked } = await installation();
    const gateway = await start();
    const load = startLoad(gateway.origin, key, 30);
    let [answered, failed, longestMs] = [0, 0, 0];
    for (let round = 0; round < crashes; round++) {
      const before = load.delivered.length;
      await eventually("answers", async () => load.delivered.length > before + 30);
      const since = { answered: load.delivered.length, failed: load.failed, ms: performance.now() };
      await cluster.crash();
      const enough = load.delivered.length + answersOf(round);
      await eventually("answers without a database", async () => load.delivered.length > enough, 60_000);
      await cluster.restart();
      answered += load.delivered.length - since.answered;
      failed += load.failed - since.failed;
      longestMs = Math.max(longestMs, performance.now() - since.ms);
    }
    await load.stop();
    await eventually("readiness", async () => (await fetch(`${gateway.origin}/health/ready`)).ok);
    await gateway.end("SIGINT");
    await endedAs(open(), load.delivered, await asked());
    expect(failed, "failed while PostgreSQL was away").toBeLessThanOrEqual(answered / 100);
    expect(load.failed - failed, "failed while it was there").toBe(0);
    console.log(
      `${crashes} crashes of PostgreSQL, away for up to ${Math.round(longestMs)} ms: ${load.delivered.length} answered, ` +
        `${answered} of them meanwhile, where ${failed} failed; lost 0, doubled 0`,
    );
  });

  const frozenMs = long ? 900_000 : 8_000;
  test(`a database that hangs for ${frozenMs / 1000} s stops no inference and loses nothing`, {
    timeout: frozenMs + 300_000,
  }, async () => {
    // It hangs for as long as is promised by default, counted from a moment before it did.
    const { key, start, open, asked } = await installation(long ? { CONFIG_MAX_STALENESS: "960" } : {});
    const gateway = await start();
    // A twentieth of it is what may be leased ahead, and that has to last.
    const granted = await fetch(`${gateway.origin}/api/v1/credits/grants`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ amount: 90, reason: "For all that is asked while the database hangs" }),
    });
    expect(granted.status).toBe(201);
    const load = startLoad(gateway.origin, key, 30);
    await eventually("answers", async () => load.delivered.length > 150);
    const booked = (id = "") =>
      fetch(`${gateway.origin}/api/v1/generation?id=${id}`, { headers: { authorization: `Bearer ${key}` } });
    const keys = `${gateway.origin}/api/v1/keys`;
    const name = "Made while it hung";
    const make = () =>
      fetch(keys, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": "hung",
        },
        body: JSON.stringify({ name }),
      });
    const [first] = load.delivered;
    const before = load.delivered.length;
    const thaw = cluster.freeze();
    let firstMs = 0;
    try {
      const hungMs = performance.now();
      const tookMs = async () => {
        const sinceMs = performance.now();
        expect((await booked(first?.generationId)).status).toBe(503);
        return performance.now() - sinceMs;
      };
      // From the first one on, while its connection is not given up yet.
      firstMs = await tookMs();
      expect(firstMs, "first request while it hung").toBeLessThan(3_000);
      const [secondMs, made] = await Promise.all([tookMs(), make()]);
      expect(secondMs, "the one after it").toBeLessThan(3_000);
      expect(made.status).toBe(503);
      await pause(Math.max(0, hungMs + frozenMs - performance.now()));
    } finally {
      thaw();
    }
    const during = load.delivered.slice(before);
    expect(during.length).toBeGreaterThan((frozenMs / 1000) * 20);
    const thawedMs = performance.now();
    const last = during.at(-1)?.generationId;
    await eventually("the spool's replay", async () => (await booked(last)).ok, 60_000);
    const replayedMs = performance.now() - thawedMs;
    await eventually("an answer to the retry", async () => [201, 409].includes((await make()).status));
    const listed = await fetch(keys, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await listed.json()) as { data: { name: string }[] };
    expect(data.filter((made) => made.name === name).length, "made once").toBeLessThanOrEqual(1);
    await load.stop();
    await gateway.end("SIGINT");
    await endedAs(open(), load.delivered, await asked());
    expect(load.failed).toBeLessThanOrEqual(load.delivered.length / 1000);
    const [usualMs, frozenP99Ms] = [load.delivered.slice(0, before), during].map(p99) as [number, number];
    expect(frozenP99Ms, "p99 while it hung").toBeLessThanOrEqual(2 * usualMs);
    console.log(
      `database frozen ${frozenMs / 1000} s: ${load.delivered.length} answered, ${load.failed} failed; p99 ` +
        `${Math.round(usualMs)} ms before, ${Math.round(frozenP99Ms)} ms meanwhile; 503 after ${Math.round(firstMs)} ms; all booked ` +
        `${Math.round(replayedMs)} ms after it went on; lost 0`,
    );
  });

  test("without its database a process serves for CONFIG_MAX_STALENESS and no longer, and again once it is back", {
    timeout: 240_000,
  }, async () => {
    const maxStalenessMs = 5_000;
    const { key, start, open } = await installation({ CONFIG_MAX_STALENESS: String(maxStalenessMs / 1000) });
    const gateway = await start();
    const strict = await start({ CONFIG_MAX_STALENESS: "0" });
    // Cheap enough that the credit each holds in advance lasts.
    const statusOf = (one: Gateway) => ask(one, key, { model: "chaos/chat" });
    for (const one of [gateway, strict]) expect(await statusOf(one)).toBe(200);
    const awayMs = performance.now();
    await cluster.crash();
    await eventually("refusals with CONFIG_MAX_STALENESS=0", async () => (await statusOf(strict)) === 503);
    expect(await statusOf(gateway)).toBe(200);
    await eventually("refusals", async () => (await statusOf(gateway)) === 503);
    expect(performance.now() - awayMs).toBeGreaterThan(maxStalenessMs);
    expect((await fetch(`${gateway.origin}/health/ready`)).status).toBe(503);
    await cluster.restart();
    for (const one of [gateway, strict]) {
      await eventually("service", async () => (await statusOf(one)) === 200);
      await one.end("SIGINT");
    }
    await sound(open());
  });

  /** Every answer is booked at the cost it named, once, and nothing the provider saw is missing. */
  async function endedAs(database: Database, delivered: readonly Delivered[], asked: readonly SeenRequest[]) {
    const generations = new Map((await database.prisma.generation.findMany()).map((row) => [row.id, row]));
    for (const { generationId, costEur } of delivered) {
      const row = generations.get(generationId);
      if (costEur !== null) expect(row?.cost_pico_eur.toFixed()).toBe(eur(String(costEur)).toString());
      else expect(row).toBeDefined();
    }
    const served = new Set(asked.map(({ generation }) => generation ?? ""));
    expect([...served].filter((id) => !generations.has(id))).toEqual([]);
    for (const row of generations.values())
      if (row.status === "completed") expect(served.has(row.id)).toBe(true);
    await sound(database);
  }
});
