import type { Database } from "#server/db/client.ts";
import { isoTime } from "#server/platform/clock.ts";
import { decimalFromPico, type Pico } from "#server/platform/money.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Sums of a stretch of time. Costs are exact decimals in EUR. */
export interface Sums {
  readonly requests: number;
  readonly errors: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_eur: string;
}

export interface Day {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly totals: Sums & { readonly error_rate: number };
  readonly hours: readonly (Sums & { readonly hour: string })[];
}

interface HourRow {
  hour: number;
  requests: number;
  errors: number;
  tokens_in: number;
  tokens_out: number;
  cost: string;
}

const costOf = (row: HourRow | undefined): Pico => BigInt(row?.cost ?? "0");

const sums = (row: HourRow | undefined): Sums => ({
  requests: row?.requests ?? 0,
  errors: row?.errors ?? 0,
  tokens_in: row?.tokens_in ?? 0,
  tokens_out: row?.tokens_out ?? 0,
  cost_eur: decimalFromPico(costOf(row)),
});

type Counted = "requests" | "errors" | "tokens_in" | "tokens_out";
const total = (rows: readonly HourRow[], name: Counted) => rows.reduce((sum, row) => sum + row[name], 0);

/** What an organisation used in the UTC day that holds `nowMs`, hour by hour and in sum. */
export async function dayOf(database: Database, orgId: string, nowMs: number): Promise<Day> {
  const startMs = Math.floor(nowMs / dayMs) * dayMs;
  const rows = await database.prisma.$queryRaw<HourRow[]>`
    select extract(hour from started_at at time zone 'UTC')::int as hour,
           count(*)::int as requests,
           count(error_code)::int as errors,
           sum(prompt_tokens)::float8 as tokens_in,
           sum(completion_tokens)::float8 as tokens_out,
           sum(cost_pico_eur)::text as cost
    from generation
    where org_id = ${orgId}::uuid
      and started_at >= ${isoTime(startMs)}::timestamptz
      and started_at < ${isoTime(startMs + dayMs)}::timestamptz
    group by 1`;
  const byHour = new Map(rows.map((row) => [row.hour, row]));
  const requests = total(rows, "requests");
  const errors = total(rows, "errors");
  return {
    day: isoTime(startMs).slice(0, 10),
    totals: {
      requests,
      errors,
      tokens_in: total(rows, "tokens_in"),
      tokens_out: total(rows, "tokens_out"),
      cost_eur: decimalFromPico(rows.reduce((sum, row) => sum + costOf(row), 0n)),
      error_rate: requests === 0 ? 0 : errors / requests,
    },
    hours: Array.from({ length: 24 }, (_, hour) => ({
      hour: isoTime(startMs + hour * hourMs),
      ...sums(byHour.get(hour)),
    })),
  };
}
