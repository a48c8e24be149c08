import { hasFallback } from "#server/db/index.ts";
import { eurFromUsd, exchangeRate, type Pico } from "#server/platform/money.ts";
import type { BookedRow } from "./generation-row.ts";

/** The placeholder for "no workspace" in a column that must not be empty. */
export const noWorkspace = "00000000-0000-0000-0000-000000000000";

/** What one generation adds to the counts: safe integers, for any number of rows. */
const counts = {
  requests: () => 1,
  errors: (row) => (row.error_code === null ? 0 : 1),
  prompt_tokens: (row) => row.prompt_tokens,
  completion_tokens: (row) => row.completion_tokens,
  cached_tokens: (row) => row.cached_tokens,
  reasoning_tokens: (row) => row.reasoning_tokens,
  search_units: (row) => row.search_units,
} as const satisfies Record<string, (row: BookedRow) => number>;

type Count = keyof typeof counts;
const countNames = Object.keys(counts) as Count[];
const costNames = ["cost_pico_usd", "cost_pico_eur", "upstream_pico_usd"] as const;

/** The columns of `usage_day` and `usage_tag_day` that are summed. */
export const summed = [...countNames, ...costNames];

const statuses = ["failed", "cancelled", "interrupted"] as const;
type Status = (typeof statuses)[number];

/** Columns of `usage_day` that are summed too, and are null in rows of earlier versions. */
export const summedLater = [...statuses, "fallbacks"] as const;

const isCounted = (status: BookedRow["status"]): status is Status => status !== "completed";

export type UsageSum = Record<Count | Status | "fallbacks", number> &
  Record<(typeof costNames)[number], bigint> & {
    readonly org_id: string;
    readonly day: string;
    /** The start of the hour. */
    readonly hour: string;
    /** How times of this hour begin. Not a column. */
    readonly hour_text: string;
    readonly api_key_id: string;
    readonly workspace_id: string;
    readonly model: string;
    readonly provider: string;
    readonly is_byok: boolean;
    /** What the provider charges the organisation directly. Not a column, but limits of keys may count it. */
    byok_pico_eur: bigint;
  };

/** What the provider charges the organisation directly, in pico-EUR. */
const byokCost = ({ is_byok, upstream_pico_usd, fx_usd_per_eur, fx_date }: BookedRow): Pico =>
  is_byok ? eurFromUsd(BigInt(upstream_pico_usd), exchangeRate(fx_usd_per_eur, fx_date, "")) : 0n;

const emptySum = (row: BookedRow): UsageSum => ({
  org_id: row.org_id,
  day: row.started_at.slice(0, 10),
  hour: `${row.started_at.slice(0, 13)}:00Z`,
  hour_text: row.started_at.slice(0, 13),
  api_key_id: row.api_key_id,
  workspace_id: row.workspace_id ?? noWorkspace,
  model: row.model ?? row.model_requested,
  provider: row.provider ?? "",
  is_byok: row.is_byok,
  requests: 0,
  failed: 0,
  cancelled: 0,
  interrupted: 0,
  fallbacks: 0,
  errors: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  search_units: 0,
  cost_pico_usd: 0n,
  cost_pico_eur: 0n,
  upstream_pico_usd: 0n,
  byok_pico_eur: 0n,
});

/** Whether a generation with the key of this sum adds to it. */
const isOf = (sum: UsageSum, row: BookedRow): boolean =>
  sum.model === (row.model ?? row.model_requested) &&
  sum.provider === (row.provider ?? "") &&
  sum.workspace_id === (row.workspace_id ?? noWorkspace) &&
  sum.is_byok === row.is_byok &&
  row.started_at.startsWith(sum.hour_text);

/** What generations used, by hour, key, workspace, model and provider. */
export function sumUsage(rows: readonly BookedRow[]): UsageSum[] {
  const sumsOf = new Map<string, UsageSum[]>();
  const all: UsageSum[] = [];
  for (const row of rows) {
    let sums = sumsOf.get(row.api_key_id);
    if (!sums) {
      sums = [];
      sumsOf.set(row.api_key_id, sums);
    }
    let sum = sums.find((one) => isOf(one, row));
    if (!sum) {
      sum = emptySum(row);
      all.push(sum);
      sums.push(sum);
    }
    for (const name of countNames) sum[name] += counts[name](row);
    if (isCounted(row.status)) sum[row.status]++;
    if (hasFallback(row)) sum.fallbacks++;
    for (const name of costNames) sum[name] += BigInt(row[name]);
    sum.byok_pico_eur += byokCost(row);
  }
  return all;
}
