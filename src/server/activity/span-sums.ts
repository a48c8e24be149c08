import type { Overview } from "#contract/overview.ts";
import type { Database } from "#server/db/client.ts";
import { isoTime } from "#server/platform/clock.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { type CompleteFrom, usagePieces } from "./sums/usage-pieces.ts";
import { bucketColumn, usageSource } from "./sums/usage-source.ts";
import { timeBucketsOf } from "./time-buckets.ts";

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const counted = ["requests", "failed", "cancelled", "interrupted", "tokens_in", "tokens_out"] as const;
type Counts = Record<(typeof counted)[number], number>;

interface SumsRow extends Counts {
  start_ms: number;
  fallbacks: number;
  /** Requests of which it is known whether there was a fallback. */
  fallback_known: number;
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
  totals: ReturnType<typeof added> & Pick<Overview["totals"], "error_rate" | "fallbacks" | "fallback_rate">;
};

/** Returns the usage of an organisation in a time span, by time bucket and in total. */
export async function sumsOf(
  database: Database,
  orgId: string,
  { fromMs, toMs }: Span,
  complete: CompleteFrom,
): Promise<Sums> {
  const { stepMs, startsMs } = timeBucketsOf(fromMs, toMs);
  const source = usageSource({ orgId, workspaceId: null }, usagePieces({ fromMs, toMs, stepMs }, complete));
  const rows = await database.prisma.$queryRaw<SumsRow[]>`
    select ${bucketColumn(stepMs)} as start_ms, sum(requests)::int as requests, sum(failed)::int as failed,
      sum(cancelled)::int as cancelled, sum(interrupted)::int as interrupted,
      coalesce(sum(fallbacks), 0)::int as fallbacks,
      coalesce(sum(requests) filter (where fallbacks is not null), 0)::int as fallback_known,
      sum(prompt_tokens)::float8 as tokens_in, sum(completion_tokens)::float8 as tokens_out,
      sum(cost_pico_eur)::text as pico_eur, sum(cost_pico_usd)::text as pico_usd
    from ${source} group by 1`;
  const totals = added(rows);
  const sumOf = (name: "fallbacks" | "fallback_known") => rows.reduce((sum, row) => sum + row[name], 0);
  const [fallbacks, known] = [sumOf("fallbacks"), sumOf("fallback_known")];
  return {
    step_ms: stepMs,
    buckets: startsMs.map((startMs) => ({
      start: isoTime(startMs),
      ...added(rows.filter(({ start_ms }) => start_ms === startMs)),
    })),
    totals: {
      ...totals,
      error_rate: totals.requests === 0 ? 0 : totals.failed / totals.requests,
      fallbacks,
      fallback_rate: known === 0 ? null : fallbacks / known,
    },
  };
}

/** Returns what an organisation used in a time span, in total. Reads far fewer rows than `sumsOf` of the past. */
export async function totalsOf(
  { prisma }: Database,
  orgId: string,
  { fromMs, toMs }: Span,
  complete: CompleteFrom,
): Promise<Overview["previous"]> {
  const pieces = usagePieces({ fromMs, toMs, stepMs: Number.POSITIVE_INFINITY }, complete);
  const [totals] = await prisma.$queryRaw<{ requests: number; failed: number; pico_eur: string }[]>`
    select coalesce(sum(requests), 0)::int as requests, coalesce(sum(failed), 0)::int as failed,
      coalesce(sum(cost_pico_eur), 0)::text as pico_eur
    from ${usageSource({ orgId, workspaceId: null }, pieces)}`;
  if (!totals) throw new Error("A statement that sums returned no row");
  const { requests, failed, pico_eur } = totals;
  return { requests, failed, cost_eur: decimalFromPico(BigInt(pico_eur)) };
}
