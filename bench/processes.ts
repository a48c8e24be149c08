// npm run test:processes: starts 20 processes on one PostgreSQL of its own, sends requests, and counts connections,
// leases and statements per second, idle and under load. `--pgbouncer` puts PgBouncer in transaction mode between them.
// Fails if a request fails, or if there are more connections than docs/operations.md says.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { limits } from "#server/platform/limits.ts";
import { databaseUrl } from "#test/setup/database-url.ts";
import { startCluster } from "#test/setup/postgres-cluster.ts";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";
import { requestBody } from "./answer.ts";
import { benchModels, startGateway } from "./gateway.ts";
import { load } from "./load.ts";
import { hasPgBouncer, startPgBouncer } from "./pgbouncer.ts";
import { startScript } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "20" },
    seconds: { type: "string", default: "10" },
    pgbouncer: { type: "boolean", default: false },
  },
});
const [processes, seconds] = [Number(values.processes), Number(values.seconds)];
const programs = postgresPrograms();
if (!programs) throw new Error("There is no PostgreSQL on this machine");
if (values.pgbouncer && !hasPgBouncer()) throw new Error("PgBouncer is not installed");
const { interactive, background } = limits.database;
const connectionsEach = interactive.connectionsMax + background.connectionsMax + limits.jobs.connectionsMax;

const facts = `
  select (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())
      as connections,
    (select count(*)::int from credit_lease) as leases,
    (select count(*)::int from instance_heartbeat) as processes,
    (select count(*)::int from generation) as generations,
    (select (xact_commit + xact_rollback)::float8 from pg_stat_database where datname = current_database()) as transactions`;

interface Facts {
  readonly connections: number;
  readonly leases: number;
  readonly processes: number;
  readonly generations: number;
  readonly transactions: number;
}

/** The most connections, and the transactions per second, while something runs. */
async function during(client: pg.Client, work: Promise<unknown>) {
  const read = async () => {
    // Counters of other sessions arrive with a delay; this forgets what was read before.
    await client.query("select pg_stat_clear_snapshot()");
    const { rows } = await client.query<Facts>(facts);
    return rows[0] as Facts;
  };
  const first = await read();
  const sinceMs = performance.now();
  let running = true;
  void work.finally(() => {
    running = false;
  });
  let last = first;
  let connections = first.connections;
  while (running) {
    await pause(500);
    last = await read();
    connections = Math.max(connections, last.connections);
  }
  await work;
  const perSecond = (last.transactions - first.transactions) / ((performance.now() - sinceMs) / 1000);
  return { ...last, connections, transactions_per_second: Math.round(perSecond) };
}

/** Without it, a statement that nobody waits for any more could run for ever. */
async function assertTimeLimit(server: pg.ClientConfig): Promise<void> {
  const pooled = new pg.Client(server);
  await pooled.connect();
  const { rows } = await pooled.query<{ statement_timeout: string }>("show statement_timeout");
  await pooled.end();
  if (rows[0]?.statement_timeout !== "15s") throw new Error("Statements have no time limit behind PgBouncer");
}

process.env.WORKERS = String(processes);
const echo = await startScript("echo.ts");
const cluster = await startCluster(programs, { further: ["max_connections=500"] });
const bouncer = values.pgbouncer ? await startPgBouncer(cluster.server) : null;
const gateway = await startGateway(echo.firstLine, databaseUrl(bouncer?.server ?? cluster.server));
const client = new pg.Client(cluster.server);
try {
  await client.connect();
  if (bouncer) await assertTimeLimit(bouncer.server);
  while ((await client.query<Facts>(facts)).rows[0]?.processes !== processes) await pause(500);
  // What processes do once after their start.
  await pause(10_000);
  const idle = await during(client, pause(seconds * 1000));
  const order = {
    url: gateway.url,
    headers: gateway.headers,
    body: requestBody(benchModels.one, "complete"),
  };
  const loading = load({ ...order, mode: "complete", connections: processes * 8, seconds });
  const loaded = await during(client, loading);
  const { requests, wrong } = await loading;
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  // Everything is booked within a second.
  for (let at = 0; at < 40 && (await client.query<Facts>(facts)).rows[0]?.generations !== requests; at++)
    await pause(500);
  const [end] = (await client.query<Facts>(facts)).rows;
  console.table({ idle, loaded });
  console.log(`${requests} requests were answered, ${end?.generations} are booked`);
  const most = Math.max(idle.connections, loaded.connections);
  if (end?.generations !== requests || most > processes * connectionsEach) process.exitCode = 1;
} finally {
  await client.end();
  await gateway.stop();
  await bouncer?.stop();
  await cluster.stop();
  await echo.stop();
}
