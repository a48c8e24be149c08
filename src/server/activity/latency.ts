import type { Percentiles } from "#contract/overview.ts";
import { percentileOf } from "#server/billing/index.ts";
import type { Database } from "#server/db/client.ts";
import { isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Span } from "./span-sums.ts";
import { type CompleteFrom, hourMs } from "./sums/usage-pieces.ts";

const shares = [0.5, 0.95, 0.99];

/** Until the first content of streams, and until the end. */
interface Latency {
  readonly first_content_ms: Percentiles;
  readonly duration_ms: Percentiles;
}

const percentiles = (values: readonly (number | null)[] | null | undefined): Percentiles => {
  const [p50, p95, p99] = values ?? [];
  return p50 == null || p95 == null || p99 == null ? null : { p50, p95, p99 };
};

interface ExactRow {
  first_content: number[] | null;
  duration: number[] | null;
}

async function exactLatency({ prisma }: Database, orgId: string, { fromMs, toMs }: Span): Promise<Latency> {
  const [row] = await prisma.$queryRaw<ExactRow[]>`
    select percentile_disc(${shares}::float8[]) within group (order by latency_ms)
             filter (where streamed) as first_content,
           percentile_disc(${shares}::float8[]) within group (order by duration_ms) as duration
    from generation
    where org_id = ${orgId}::uuid
      and started_at >= ${isoTime(fromMs)}::timestamptz
      and started_at < ${isoTime(toMs)}::timestamptz
      and status = 'completed'`;
  return { first_content_ms: percentiles(row?.first_content), duration_ms: percentiles(row?.duration) };
}

interface HistogramRow {
  kind: "durations" | "first_contents";
  counts: number[];
}

async function summedLatency({ prisma }: Database, orgId: string, { fromMs, toMs }: Span): Promise<Latency> {
  const rows = await prisma.$queryRaw<HistogramRow[]>`
    select kind, array_agg(count order by place) as counts from (
      select kind, place, sum(count)::float8 as count
      from latency_hour
      cross join lateral (values ('durations', durations), ('first_contents', first_contents)) as lists (kind, list)
      cross join lateral unnest(list) with ordinality as counted (count, place)
      where org_id = ${orgId}::uuid
        and hour >= ${isoTime(fromMs - (fromMs % hourMs))}::timestamptz and hour < ${isoTime(toMs)}::timestamptz
      group by kind, place) as summed
    group by kind`;
  const of = (kind: HistogramRow["kind"]) => {
    const counts = rows.find((row) => row.kind === kind)?.counts ?? [];
    return percentiles(shares.map((share) => percentileOf(counts, share)));
  };
  return { first_content_ms: of("first_contents"), duration_ms: of("durations") };
}

/**
 * Returns how long completed requests of a time span took, in ms. Exact for up to `exactMax` requests. For more, from
 * histograms of the hours that the span touches, and within 6.25 %.
 */
export function latencyOf(
  database: Database,
  orgId: string,
  span: Span,
  known: { readonly requests: number; readonly complete: CompleteFrom },
  exactMax: number = limits.sums.exactLatencyMax,
): Promise<Latency> {
  const isExact = known.requests <= exactMax || span.fromMs < known.complete.usage_hour;
  return isExact ? exactLatency(database, orgId, span) : summedLatency(database, orgId, span);
}
