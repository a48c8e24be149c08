import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { authorize } from "#server/access/authorize.ts";
import type { Database } from "#server/db/index.ts";
import { clock, dayMs, isoTime } from "#server/platform/clock.ts";
import { createOrganisation, generationRow, insertGenerations, openTestDatabase } from "#test/factories.ts";
import { databaseKind } from "#test/test-database.ts";
import { until } from "#test/until.ts";
import { completeSums, generationVolume, overviewOf } from "../index.ts";
import { latencyOf } from "../latency.ts";
import { hourMs } from "./usage-pieces.ts";

const { database } = await openTestDatabase();
const noon = Date.UTC(2026, 10, 20, 12, 30);
const startOfToday = noon - (noon % dayMs);
const untilDone = new AbortController().signal;

beforeEach(() => {
  vi.spyOn(clock, "nowMs").mockReturnValue(noon);
});
afterEach(() => vi.restoreAllMocks());

type Organisation = Awaited<ReturnType<typeof createOrganisation>>;
const readerOf = ({ caller }: Organisation) =>
  authorize({ ...caller, permissions: new Set(["activity:read"]) }, "activity:read", "organisation");

const endings = [
  { status: "completed" },
  { status: "failed", error_code: "PROVIDER_ERROR", http_status: 502 },
  { status: "cancelled" },
  { status: "interrupted" },
  { status: "completed", streamed: true, latency_ms: 70 },
] as const;

const attempt = (endpoint: string, outcome: string) => ({
  ...{ endpoint, provider: "p", outcome, status: 200, duration_ms: 3 },
});
/** One endpoint twice is no fallback. */
const attempts = [
  null,
  [attempt("p:m", "timeout"), attempt("p:m", "ok")],
  [attempt("p:m", "timeout"), attempt("p/eu:m", "ok")],
];

/** Requests of the last 50 days that differ in everything that sums distinguish. */
function requestsOf(organisation: Organisation, count: number) {
  return Array.from({ length: count }, (_, n) =>
    generationRow(organisation, `0.${1000 + n}`, {
      started_at: isoTime(noon - Math.floor((n / count) ** 3 * 50 * dayMs) - n),
      model: n % 7 === 0 ? null : `model-${n % 3}`,
      provider: n % 7 === 0 ? null : `provider-${n % 2}`,
      workspace_id: n % 5 === 0 ? organisation.caller.orgId : null,
      duration_ms: 20 + ((n * 7919) % 9_000),
      prompt_tokens: n,
      is_byok: n % 4 === 0,
      attempts: attempts[n % attempts.length] ?? null,
      ...endings[n % endings.length],
    }),
  );
}

const completeFrom = (ms: number) =>
  database.prisma.$executeRaw`update history_state set sums_from = ${isoTime(ms)}::timestamptz`;

const filters = [
  {},
  { model: "model-1" },
  { provider: "provider-0" },
  { status: ["failed" as const, "completed" as const] },
  { api_key_id: "00000000-0000-4000-8000-000000000000" },
];
const daysBack = [0.03, 0.5, 1, 6.3, 20, 34, 49.9];

/** What charts show of the organisation. */
async function shownOf(organisation: Organisation) {
  const reader = readerOf(organisation);
  const volumes = filters.flatMap((filter) =>
    daysBack.map((days) =>
      generationVolume(database, reader, {
        from: isoTime(noon - days * dayMs),
        to: isoTime(noon - 17 * 60_000),
        ...filter,
      }),
    ),
  );
  const overviews = (["1h", "24h", "7d", "30d"] as const).map((range) =>
    overviewOf(database, reader, { range }),
  );
  return Promise.all([...volumes, ...overviews]);
}

interface Dated {
  readonly started_at: string;
  readonly attempts: unknown;
}
const isWithin =
  (firstDay: number, lastDay: number) =>
  ({ started_at: at }: Dated) =>
    Date.parse(at) < noon - firstDay * dayMs && Date.parse(at) >= noon - lastDay * dayMs;

/** The fallbacks of requests so many days back. */
function fallbacksOf(rows: readonly Dated[], firstDay: number, lastDay: number) {
  const within = rows.filter(isWithin(firstDay, lastDay));
  const fallbacks = within.filter((row) => row.attempts === attempts[2]).length;
  return { fallbacks, fallback_rate: fallbacks / within.length };
}

test("charts show the same from sums as from requests, for every range and filter", async () => {
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  await insertGenerations(database, requestsOf(ours, 300));
  await insertGenerations(database, requestsOf(theirs, 40));
  await completeFrom(0);
  const fromSums = await shownOf(ours);
  await completeFrom(noon + dayMs);
  expect(fromSums).toEqual(await shownOf(ours));
  const week = fromSums.find((shown) => "previous" in shown && Date.parse(shown.from) === noon - 7 * dayMs);
  expect(week).toMatchObject({
    totals: fallbacksOf(requestsOf(ours, 300), 0, 7),
    previous: { requests: requestsOf(ours, 300).filter(isWithin(7, 14)).length },
  });
  await completeFrom(noon - 10 * dayMs);
  expect(fromSums).toEqual(await shownOf(ours));
  await completeFrom(0);
});

/** Every sum of the organisation, in a fixed order. */
async function sumsOf({ caller: { orgId } }: Organisation) {
  const tables = ["usage_day", "usage_hour", "latency_hour"];
  return Promise.all(
    tables.map((table) =>
      database.statement(`select * from ${table} where org_id = $1 order by ${table}::text`, [orgId]),
    ),
  );
}

const deleteSums = async ({ caller: { orgId } }: Organisation) => {
  await database.prisma.$executeRaw`delete from usage_hour where org_id = ${orgId}::uuid`;
  await database.prisma.$executeRaw`delete from latency_hour where org_id = ${orgId}::uuid`;
  await database.prisma.$executeRaw`
    update usage_day set failed = null, cancelled = null, interrupted = null where org_id = ${orgId}::uuid`;
};

test("sums that an earlier version did not write are the same as if it had", async () => {
  const organisation = await createOrganisation(database);
  const isRecent = ({ started_at }: { readonly started_at: string }) =>
    Date.parse(started_at) > noon - 33 * dayMs && Date.parse(started_at) < startOfToday;
  // Twice, so that booking adds to hours that are there, while the job sums each hour at once.
  for (const count of [200, 200])
    await insertGenerations(database, requestsOf(organisation, count).filter(isRecent));
  const booked = await sumsOf(organisation);
  await deleteSums(organisation);
  await completeFrom(startOfToday);
  expect(await completeSums(database, untilDone)).toBe(true);
  expect(await sumsOf(organisation)).toEqual(booked);
  expect((await database.prisma.history_state.findFirstOrThrow()).sums_from.getTime()).toBe(0);
});

test("days are added only when no process of an earlier version books any more", async () => {
  const organisation = await createOrganisation(database);
  await insertGenerations(database, requestsOf(organisation, 20));
  await deleteSums(organisation);
  await completeFrom(noon + hourMs);
  expect(await completeSums(database, untilDone)).toBe(false);
  expect((await sumsOf(organisation))[1]).toEqual([]);
  await completeFrom(0);
});

/** The same database, in which `work` runs before each statement that begins like this. */
const interrupted = (start: string, work: () => Promise<void>): Database => ({
  ...database,
  batch: (run) =>
    database.batch((client) =>
      run(
        new Proxy(client, {
          get: (target, name) => {
            if (name !== "query") return Reflect.get(target, name);
            return async (text: string, values?: unknown[]) => {
              if (text.trim().startsWith(start)) await work();
              return target.query(text, values);
            };
          },
        }),
      ),
    ),
});

const waitsForLock = async (): Promise<boolean> => {
  const [row] = await database.prisma.$queryRaw<{ waits: boolean }[]>`
    select exists(select from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()) as waits`;
  return row?.waits === true;
};

// The embedded database runs one transaction at a time.
test.runIf(databaseKind() === "postgres")(
  "a request that is booked while its day is added is summed once",
  async () => {
    const organisation = await createOrganisation(database);
    const [late, ...early] = requestsOf(organisation, 60).filter(
      ({ started_at }) => Date.parse(started_at) < startOfToday && Date.parse(started_at) > noon - 3 * dayMs,
    );
    if (!late) throw new Error("There are no requests of these days");
    await insertGenerations(database, early);
    await deleteSums(organisation);
    await completeFrom(startOfToday);
    let booking: Promise<void> | undefined;
    let isBooked = false;
    const bookLate = async () => {
      booking ??= insertGenerations(database, [late]).then(() => {
        isBooked = true;
      });
      await until(async () => expect(isBooked || (await waitsForLock())).toBe(true));
    };
    await completeSums(interrupted("declare", bookLate), untilDone);
    await booking;
    const hours = await database.prisma.usage_hour.findMany({ where: { org_id: organisation.caller.orgId } });
    expect(hours.reduce((sum, { requests }) => sum + requests, 0)).toBe(early.length + 1);
  },
);

test("hours are deleted after their time, and days are not", async () => {
  const organisation = await createOrganisation(database);
  await insertGenerations(database, requestsOf(organisation, 100));
  const [daysBefore] = await sumsOf(organisation);
  await completeSums(database, untilDone);
  const [days, hours, latencies] = await sumsOf(organisation);
  expect(days).toEqual(daysBefore);
  const oldestMs = Math.min(...[...(hours ?? []), ...(latencies ?? [])].map(({ hour }) => hour.getTime()));
  expect(oldestMs).toBeGreaterThan(noon - 37 * dayMs);
});

test("percentiles from histograms are within 6.25 % of the exact ones", async () => {
  const organisation = await createOrganisation(database);
  await insertGenerations(database, requestsOf(organisation, 300));
  const span = { fromMs: startOfToday - 20 * dayMs, toMs: noon };
  const known = { requests: 300, complete: { usage_day: 0, usage_hour: 0 } };
  const exact = await latencyOf(database, organisation.caller.orgId, span, known, 300);
  const summed = await latencyOf(database, organisation.caller.orgId, span, known, 299);
  for (const kind of ["duration_ms", "first_content_ms"] as const)
    for (const share of ["p50", "p95", "p99"] as const) {
      const right = exact[kind]?.[share] ?? Number.NaN;
      expect(Math.abs((summed[kind]?.[share] ?? Number.NaN) - right)).toBeLessThanOrEqual(right / 16);
    }
  expect(summed).not.toEqual(exact);
});

test("a filter without sums counts the newest requests only, and says from when on", async () => {
  const organisation = await createOrganisation(database);
  const rows = requestsOf(organisation, 100);
  await insertGenerations(database, rows);
  const range = { from: isoTime(noon - 60 * dayMs), to: isoTime(noon), error_code: "PROVIDER_ERROR" };
  const count = ({ buckets }: Awaited<ReturnType<typeof generationVolume>>) =>
    buckets.reduce((sum, { failed }) => sum + failed, 0);
  const all = await generationVolume(database, readerOf(organisation), range);
  expect([all.counted_from, count(all)]).toEqual([null, 20]);
  const newest = await generationVolume(database, readerOf(organisation), range, 50);
  expect([newest.counted_from, count(newest)]).toEqual([rows[50]?.started_at, 10]);
});
