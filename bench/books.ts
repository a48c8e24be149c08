// npm run bench:books: how quick the books answer over millions of generations of one organisation, with the plans
// PostgreSQL chooses, and what booking one more costs. On a PostgreSQL of its own, gone afterwards.
import { parseArgs } from "node:util";
import pg from "pg";
import { authorize } from "#server/access/authorize.ts";
import { permissions } from "#server/access/permissions.ts";
import { listGenerations, overviewOf, usageReport, usageSeries } from "#server/activity/index.ts";
import { auditMoney, listTransfers, readBalance } from "#server/billing/index.ts";
import { makeHistory } from "#test/history.ts";
import { measureBooking } from "./booking.ts";
import { openFreshDatabase } from "./fresh-database.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "2000000" },
    months: { type: "string", default: "4" },
    runs: { type: "string", default: "200" },
    plans: { type: "boolean", default: false },
  },
});
const [rows, months, runs] = [values.rows, values.months, values.runs].map(Number) as [
  number,
  number,
  number,
];
/** One read is repeated no longer than this. */
const readForMs = 20_000;

/** The statements that reads send, so that their plans can be asked for. */
const sent = new Map<string, unknown[]>();
let recording = false;
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [first, parameters] = args as [string | { text: string; values?: unknown[] }, unknown[]?];
  const text = typeof first === "string" ? first : first.text;
  const given = parameters ?? (typeof first === "string" ? [] : (first.values ?? []));
  if (recording && /^\s*(select|with)\b/i.test(text)) sent.set(text, given);
  return Reflect.apply(query, this, args);
} as typeof query;

const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1000).toFixed(1);

const fresh = await openFreshDatabase();
try {
  const { cluster, database, orgId, userId } = fresh;
  const system = { kind: "system", orgId, userId, permissions: new Set(permissions) } as const;
  const caller = authorize(system, "activity:read", "organisation");
  const beganMs = performance.now();
  await makeHistory(database, {
    orgId,
    userId,
    generations: Math.ceil(rows / months),
    months,
    rules: 10,
    keys: 50,
  });
  // Over connections of the program a statement may not take so long.
  const upkeep = new pg.Client(cluster.server);
  await upkeep.connect();
  await upkeep.query("vacuum analyze");
  await upkeep.end();
  const [size] = await database.prisma.$queryRaw<{ size: string }[]>`
    select pg_size_pretty(pg_database_size(current_database())) as size`;
  console.log(
    `${await database.prisma.generation.count()} generations in ${seconds(beganMs)} s, ${size?.size}`,
  );

  const [key] = await database.prisma.api_key.findMany({
    where: { org_id: orgId, name: { startsWith: "Notebook" } },
  });
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();
  /** A place in the middle of the history, and one at its end. */
  const placeAt = (share: number) => ({
    started_at: day(29 * months * share),
    created_at: day(29 * months * share),
    id: "80000000-0000-4000-8000-000000000000",
  });
  const month = { from: day(30).slice(0, 10), to: day(0).slice(0, 10) };
  const year = { ...month, from: day(365).slice(0, 10) };
  const reads: Record<string, () => Promise<unknown>> = {
    "balance (GET /credits)": () => readBalance(database, orgId),
    "generations, first page": () => listGenerations(database, caller, { limit: 50 }),
    "generations, page in the middle": () =>
      listGenerations(database, caller, { limit: 50, after: placeAt(0.5) }),
    "generations, one of the last pages": () =>
      listGenerations(database, caller, { limit: 50, after: placeAt(0.99) }),
    "generations of one key": () =>
      listGenerations(database, caller, { limit: 50, api_key_id: key?.id ?? "" }),
    "generations that failed, of a month": () =>
      listGenerations(database, caller, { limit: 50, status: ["failed"], from: day(30), to: day(0) }),
    "ledger, first page": () => listTransfers(database, caller, { limit: 50 }),
    "ledger, page in the middle": () => listTransfers(database, caller, { limit: 50, after: placeAt(0.5) }),
    "ledger, one of the last pages": () =>
      listTransfers(database, caller, { limit: 50, after: placeAt(0.99) }),
    "ledger, grants only": () => listTransfers(database, caller, { limit: 50, kind: "grant" }),
    "activity of a month by day": () =>
      usageReport(database, caller, { ...month, group_by: ["day"], limit: 5_000 }),
    // What is exported as CSV comes page by page.
    "activity of a year by day, model, provider, key, a page": () =>
      usageReport(database, caller, {
        ...year,
        group_by: ["day", "model", "provider", "api_key_id"],
        limit: 5_000,
      }),
    "usage series of a month by model": () => usageSeries(database, caller, { ...month, group: "model" }),
    "overview of a day": () => overviewOf(database, caller, { range: "24h" }),
  };
  for (const [name, read] of Object.entries(reads)) {
    recording = true;
    await read();
    recording = false;
    const tookMs: number[] = [];
    const untilMs = performance.now() + readForMs;
    for (let run = 0; run < runs && performance.now() < untilMs; run++) {
      const sinceMs = performance.now();
      await read();
      tookMs.push(performance.now() - sinceMs);
    }
    tookMs.sort((a, b) => a - b);
    const at = (share: number) =>
      (tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0).toFixed(2);
    console.log(`${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
    for (const [text, parameters] of sent) {
      const { rows: plan } = await database.batch((client) =>
        client.query<{ "QUERY PLAN": string }>(`explain (analyze, buffers, timing off) ${text}`, parameters),
      );
      const lines = plan.map((line) => line["QUERY PLAN"]);
      const scans = lines.filter((line) => /Scan|Execution/.test(line));
      console.log((values.plans ? lines : scans).map((line) => `    ${line.trim()}`).join("\n"));
    }
    sent.clear();
  }
  const auditedMs = performance.now();
  const findings = await auditMoney(database);
  const broken = findings.filter((finding) => finding.broken > 0);
  console.log(`audit: ${broken.length} broken of ${findings.length}, ${seconds(auditedMs)} s`);
  if (broken.length > 0) console.table(broken);
  await measureBooking(cluster);
} finally {
  await fresh.close();
}
