import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { auditMoney } from "#server/billing/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { limits } from "#server/platform/limits.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { eventually } from "./gateway-process.ts";
import { startLoad } from "./load.ts";
import { workerProcesses } from "./worker-processes.ts";

const { socketsPerPort } = limits.http.connections;
const programs = postgresPrograms();
const key = mintKey("ptl");
const workers = 2;

/** One `npm start` with several processes behind one port. */
describe.skipIf(programs === null || process.platform !== "linux")("WORKERS", () => {
  const { database, gateway, children } = workerProcesses(programs ?? "", { workers, key });
  const generationsCounted = async (): Promise<number> => {
    const text = await (await fetch(`${gateway().origin}/metrics`)).text();
    const samples = text.split("\n").filter((line) => line.startsWith("portolan_generations_total{"));
    return samples.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  /** Workers that have admitted requests: each keeps a directory of its own in the spool. */
  const atWork = (): number =>
    readdirSync(`${gateway().dataDir}/spool`, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".spool") && statSync(`${gateway().dataDir}/spool/${file}`).size > 0,
    ).length;
  /** Sockets that listen on the port. */
  const listening = (): number => {
    const port = Number(new URL(gateway().origin).port).toString(16).toUpperCase().padStart(4, "0");
    const sockets = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
    return sockets.filter((socket) => /^ *\d+: \w+:(\w+) \S+ 0A /.exec(socket)?.[1] === port).length;
  };
  const complete = async (): Promise<number> => {
    const response = await fetch(`${gateway().origin}/api/v1/completions`, {
      method: "POST",
      // A connection for each: connections are what is shared out.
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ model: "chaos/flat", prompt: "Hello", max_tokens: 4 }),
    });
    await response.arrayBuffer();
    return response.status;
  };

  test("requests are distributed, and the metrics are those of all workers", async () => {
    let sent = 0;
    await eventually("work for each worker", async () => {
      const statuses = await Promise.all(Array.from({ length: 4 }, complete));
      expect(statuses).toEqual([200, 200, 200, 200]);
      sent += statuses.length;
      return atWork() === workers;
    });
    expect(children()).toHaveLength(workers);
    expect(await generationsCounted()).toBe(sent);
  }, 60_000);

  test("no connection is left hanging when a worker is killed while many are being made", async () => {
    const outcomes: Promise<string>[] = [];
    const ask = () =>
      complete().then(
        (status) => String(status),
        (error: unknown) => (error instanceof TypeError ? "reset" : "fault"),
      );
    for (let round = 0; round < 3; round++) {
      await eventually("all workers", async () => listening() === workers * socketsPerPort);
      const [victim = 0] = children();
      for (let at = 0; at < 40; at++) outcomes.push(ask());
      process.kill(victim, "SIGKILL");
      for (let at = 0; at < 40; at++) outcomes.push(ask());
      await eventually("its end", async () => !children().includes(victim));
    }
    const hangs = new Promise<string[]>((resolve) => setTimeout(resolve, 30_000, ["some hang"]));
    const ended = await Promise.race([Promise.all(outcomes), hangs]);
    expect(new Set(ended)).not.toContain("some hang");
    expect(ended.filter((outcome) => outcome === "200").length).toBeGreaterThan(outcomes.length / 10);
  }, 120_000);

  test("a worker that is killed is replaced, the others go on, and nothing is lost or doubled", async () => {
    const load = startLoad(gateway().origin, key, 30);
    await eventually("answers", async () => load.delivered.length > 20);
    const [victim = 0] = children();
    expect(victim).toBeGreaterThan(0);
    process.kill(victim, "SIGKILL");
    const atKill = load.delivered.length;
    await eventually("answers after it", async () => load.delivered.length > atKill + 20);
    await eventually("another worker", async () => {
      const now = children();
      return now.length === workers && !now.includes(victim);
    });
    await load.stop();
    await eventually("what the killed one had under way", async () => {
      const recorded = await database().prisma.generation.findMany({ select: { id: true } });
      const known = new Set(recorded.map(({ id }) => id));
      return load.delivered.every(({ generationId }) => known.has(generationId));
    });
    await gateway().end("SIGTERM");
    expect(gateway().child.exitCode).toBe(0);
    expect((await auditMoney(database(), { quiescent: true })).filter(({ broken }) => broken > 0)).toEqual(
      [],
    );
  }, 120_000);
});
