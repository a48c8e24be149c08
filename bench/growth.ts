// npm run test:growth: how long pages, reports and retention take over millions of requests of many organisations. On a
// PostgreSQL of its own, gone afterwards. Fails if a goal is missed. ROWS is their number, by default 2 million.
import { authorize } from "#server/access/authorize.ts";
import { permissions } from "#server/access/permissions.ts";
import { deleteOldRequests } from "#server/billing/index.ts";
import { firstStart } from "#server/composition/first-start.ts";
import { type Database, migrate, openDatabase, startOfMonthMs } from "#server/db/index.ts";
import { loadConfig } from "#server/platform/env.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { testSeal } from "#test/seal.ts";
import { startCluster } from "#test/setup/postgres-cluster.ts";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";
import { grow } from "./growth-history.ts";
import { buildLargePackage } from "./growth-package.ts";
import { growthReads } from "./growth-reads.ts";

const rows = Number(process.env.ROWS ?? "2000000");
const days = 365;
const goalsMs = { page: 1_500, report: 3_000, drop: 1_000 };
const runs = 5;
const programs = postgresPrograms();
if (!programs) throw new Error("There is no PostgreSQL on this machine");

/** Runs `work` and reads meanwhile. Returns the longest time of a read, in ms. */
async function longestReadMs(read: () => Promise<unknown>, work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let isDone = false;
  const reading = async () => {
    while (!isDone) {
      const sinceMs = performance.now();
      await read();
      longestMs = Math.max(longestMs, performance.now() - sinceMs);
    }
  };
  await Promise.all([
    reading(),
    work().finally(() => {
      isDone = true;
    }),
  ]);
  return longestMs;
}

/** Deletes the first complete month. Returns how long reads of requests waited for it, in ms. */
async function waitForDrop(database: Database): Promise<number> {
  const nowMs = Date.now();
  const dropUntil = (endMs: number) => deleteOldRequests(database, nowMs - endMs);
  const firstMs = nowMs - days * 86_400_000;
  await dropUntil(startOfMonthMs(firstMs, 1));
  const sinceMs = performance.now();
  let names: readonly string[] = [];
  const waitMs = await longestReadMs(
    () => database.statement("select id from generation order by id desc limit 1", []),
    async () => {
      names = await dropUntil(startOfMonthMs(firstMs, 2));
    },
  );
  const tookS = seconds(sinceMs);
  console.log(`${names.join(" and ")} dropped in ${tookS} s; reads waited up to ${Math.round(waitMs)} ms`);
  return waitMs;
}

const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1000).toFixed(1);
const cluster = await startCluster(programs);
const missed: string[] = [];
try {
  await migrate(cluster.server, silentLog);
  const database = openDatabase(cluster.server, createMetrics(), silentLog, testSeal);
  const config = loadConfig({
    NODE_ENV: "test",
    DATA_DIR: ".",
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  });
  const first = await firstStart(database, cluster.server, config);
  await first?.finish();
  const { org_id: orgId, user_id: userId } = await database.prisma.member.findFirstOrThrow();
  const caller = authorize(
    { kind: "system", orgId, userId, permissions: new Set(permissions) },
    "activity:read",
    "organisation",
  );
  const beganMs = performance.now();
  await grow(cluster.server, { orgId, userId, rows, days });
  const [size] = await database.prisma.$queryRaw<{ size: string }[]>`
    select pg_size_pretty(pg_database_size(current_database())) as size`;
  console.log(`${rows} requests of ${days} days in ${seconds(beganMs)} s, ${size?.size}`);

  const table: Record<string, string | number>[] = [];
  for (const { name, kind, read } of await growthReads(database, caller)) {
    const tookMs: number[] = [];
    let failure = "";
    for (let run = 0; run < runs && failure === ""; run++) {
      const sinceMs = performance.now();
      await read().catch((error: Error) => {
        failure = error.message;
      });
      tookMs.push(performance.now() - sinceMs);
    }
    const worst = Math.max(...tookMs);
    if (worst > goalsMs[kind] || failure !== "") missed.push(name);
    const median = tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length / 2)] ?? 0;
    table.push({
      name,
      kind,
      first: Math.round(tookMs[0] ?? 0),
      median: Math.round(median),
      worst: Math.round(worst),
      failure,
    });
  }
  console.table(table);
  const nowMs = Date.now();
  const time = (ms: number) => new Date(ms).toISOString();
  // Half of the requests are those of the organisation: half a million of them are in the package.
  const packedDays = Math.min(days, Math.floor((days * 1_000_000) / rows));
  const packed = { from: time(nowMs - packedDays * 86_400_000), to: time(nowMs) };
  console.log(await buildLargePackage(database, orgId, packed));
  if ((await waitForDrop(database)) > goalsMs.drop) missed.push("dropping a month");
  await database.close();
} finally {
  await cluster.stop();
}
if (missed.length > 0) {
  console.error(`Too slow: ${missed.join("; ")}`);
  process.exitCode = 1;
}
