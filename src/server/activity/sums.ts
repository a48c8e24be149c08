import type { Overview, Percentiles } from "#contract/overview.ts";
import type { Database } from "#server/db/client.ts";
import { isoTime } from "#server/platform/clock.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { timeBucketsOf } from "./time-buckets.ts";

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const counted = ["requests", "failed", "cancelled", "interrupted", "tokens_in", "tokens_out"] as const;
type Counts = Record<(typeof counted)[number], number>;

interface SumsRow extends Counts {
  start_ms: number;
  pico_eur: string;
  pico_usd: string;
}

/** Sums any number of rows: counts are integers, money is exact. */
function added(rows: readonly SumsRow[]) {
  const count = (name: keyof Counts) => rows.reduce((sum, row) => sum + row[name], 0);
  const money = (name: "pico_eur" | "pico_usd") =>
    decimalFromPico(rows.reduce((sum, row) => sum + BigInt(row[name]), 0n));
  return {
    requests: count("requests"),
    failed: count("failed"),
    cancelled: count("cancelled"),
    interrupted: count("interrupted"),
    tokens_in: count("tokens_in"),
    tokens_out: count("tokens_out"),
    cost_eur: money("pico_eur"),
    cost_usd: money("pico_usd"),
  };
}

type Sums = Pick<Overview, "step_ms" | "buckets"> & {
  totals: ReturnType<typeof added> & { error_rate: number };
};

/** Returns the usage of an organisation in a time span, by time bucket and in total. */
export async function sumsOf({ prisma }: Database, orgId: string, { fromMs, toMs }: Span): Promise<Sums> {
  const { stepMs, startsMs } = timeBucketsOf(fromMs, toMs);
  const rows = await prisma.$queryRaw<SumsRow[]>`
    select floor(extract(epoch from started_at) * 1000 / ${stepMs}::float8)::float8 * ${stepMs}::float8 as start_ms,
           count(*)::int as requests,
           count(*) filter (where status = 'failed')::int as failed,
           count(*) filter (where status = 'cancelled')::int as cancelled,
           count(*) filter (where status = 'interrupted')::int as interrupted,
           sum(prompt_tokens)::float8 as tokens_in,
           sum(completion_tokens)::float8 as tokens_out,
           sum(cost_pico_eur)::text as pico_eur,
           sum(cost_pico_usd)::text as pico_usd
    from generation
    where org_id = ${orgId}::uuid
      and started_at >= ${isoTime(fromMs)}::timestamptz
      and started_at < ${isoTime(toMs)}::timestamptz
    group by 1`;
  const totals = added(rows);
  return {
    step_ms: stepMs,
    buckets: startsMs.map((startMs) => ({
      start: isoTime(startMs),
      ...added(rows.filter(({ start_ms }) => start_ms === startMs)),
    })),
    totals: { ...totals, error_rate: totals.requests === 0 ? 0 : totals.failed / totals.requests },
  };
}

interface LatencyRow {
  first_content: number[] | null;
  duration: number[] | null;
}

const percentiles = (values: number[] | null | undefined): Percentiles => {
  const [p50, p95, p99] = values ?? [];
  return p50 == null || p95 == null || p99 == null ? null : { p50, p95, p99 };
};

/** Returns how long completed requests of a time span took, in ms. */
export async function latencyOf(
  { prisma }: Database,
  orgId: string,
  { fromMs, toMs }: Span,
): Promise<{ first_content_ms: Percentiles; duration_ms: Percentiles }> {
  const [row] = await prisma.$queryRaw<LatencyRow[]>`
    select percentile_disc(array[0.5, 0.95, 0.99]) within group (order by latency_ms)
             filter (where streamed) as first_content,
           percentile_disc(array[0.5, 0.95, 0.99]) within group (order by duration_ms) as duration
    from generation
    where org_id = ${orgId}::uuid
      and started_at >= ${isoTime(fromMs)}::timestamptz
      and started_at < ${isoTime(toMs)}::timestamptz
      and status = 'completed'`;
  return {
    first_content_ms: percentiles(row?.first_content),
    duration_ms: percentiles(row?.duration),
  };
}
