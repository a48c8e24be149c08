import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { readBalance } from "#server/billing/index.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { eventually } from "./gateway-process.ts";
import type { Gateway } from "./installation.ts";
import { startLoad } from "./load.ts";
import { ask, endedAs, eur, p99, setCredit, sharedPostgres, sound } from "./shared-postgres.ts";

const long = process.env.CHAOS === "long";
const programs = postgresPrograms();

/** Processes of one installation over one PostgreSQL, which may crash and come back. */
describe.skipIf(programs === null)("over one PostgreSQL", () => {
  const { cluster, installation } = sharedPostgres(programs ?? "");

  test.each([1, 3])(
    "credit for 100 requests admits 99 to 100 of 1,000 at once with %i processes, and nothing is overspent",
    {
      timeout: 240_000,
    },
    async (processes) => {
      const { key, start, open } = await installation();
      const gateways = [await start()];
      const database = open();
      const orgId = await setCredit(database, "1");
      while (gateways.length < processes) gateways.push(await start());
      // Processes lease credit in advance, and return what they do not need on request.
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

  test("credit of a killed process is returned when its lease ends, and its unbooked usage is booked once it is replayed", {
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
    // The running process returns expired leases and renews its own.
    await eventually("the lease's return", async () => (await leases()) === 1, 20_000);
    expect(await ask(other, key)).toBe(200);
    await start({ DATA_DIR: join(gateway.dataDir) }).then((again) => again.end("SIGINT"));
    await other.end("SIGINT");
    expect((await readBalance(database, orgId)).used).toBe(eur("0.02"));
    await sound(database);
  });

  test("a process that was paused past its lease spends nothing more of it, and books once what it had spent", {
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
    // The overrun is at most what the paused process had spent and not booked when its lease expired.
    expect(used).toBeLessThanOrEqual(eur("0.51"));
    await setCredit(database, "0.51");
    await sound(database);
  });

  const crashes = long ? 20 : 4;

  /** Answers during an outage; the long form includes the longest outage we promise, 30 s at 30 requests a second. */
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
      await cluster().crash();
      const enough = load.delivered.length + answersOf(round);
      await eventually("answers without a database", async () => load.delivered.length > enough, 60_000);
      await cluster().restart();
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
    // The database hangs for as long as the default settings promise to tolerate.
    const { key, start, open, asked } = await installation(long ? { CONFIG_MAX_STALENESS: "960" } : {});
    const gateway = await start();
    // A twentieth of the credit may be leased in advance, which has to last.
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
    const thaw = cluster().freeze();
    let firstMs = 0;
    try {
      const hungMs = performance.now();
      const tookMs = async () => {
        const sinceMs = performance.now();
        expect((await booked(first?.generationId)).status).toBe(503);
        return performance.now() - sinceMs;
      };
      // Includes the first request, while its connection is still open.
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

  test("without its database a process serves for CONFIG_MAX_STALENESS and no longer, and again once the database is back", {
    timeout: 240_000,
  }, async () => {
    const maxStalenessMs = 5_000;
    const { key, start, open } = await installation({ CONFIG_MAX_STALENESS: String(maxStalenessMs / 1000) });
    const gateway = await start();
    const strict = await start({ CONFIG_MAX_STALENESS: "0" });
    // Cheap enough for the credit that each process leased in advance.
    const statusOf = (one: Gateway) => ask(one, key, { model: "chaos/chat" });
    for (const one of [gateway, strict]) expect(await statusOf(one)).toBe(200);
    const awayMs = performance.now();
    await cluster().crash();
    await eventually("refusals with CONFIG_MAX_STALENESS=0", async () => (await statusOf(strict)) === 503);
    expect(await statusOf(gateway)).toBe(200);
    await eventually("refusals", async () => (await statusOf(gateway)) === 503);
    expect(performance.now() - awayMs).toBeGreaterThan(maxStalenessMs);
    expect((await fetch(`${gateway.origin}/health/ready`)).status).toBe(503);
    await cluster().restart();
    for (const one of [gateway, strict]) {
      await eventually("service", async () => (await statusOf(one)) === 200);
      await one.end("SIGINT");
    }
    await sound(open());
  });
});
