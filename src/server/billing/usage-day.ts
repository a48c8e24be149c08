import { eurFromUsd, exchangeRate, type Pico } from "#server/platform/money.ts";
import type { BookedRow } from "./generation-row.ts";

/** The placeholder for "no workspace" in a column that must not be empty. */
export const noWorkspace = "00000000-0000-0000-0000-000000000000";

/** What one generation adds to the counts of a day: safe integers, for any number of rows. */
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

/** The columns of `usage_day` that are summed. */
export const summed = [...countNames, ...costNames];

export type UsageDay = Record<Count, number> &
  Record<(typeof costNames)[number], bigint> & {
    readonly org_id: string;
    readonly day: string;
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

const emptyDay = (row: BookedRow): UsageDay => ({
  org_id: row.org_id,
  day: row.started_at.slice(0, 10),
  api_key_id: row.api_key_id,
  workspace_id: row.workspace_id ?? noWorkspace,
  model: row.model ?? row.model_requested,
  provider: row.provider ?? "",
  is_byok: row.is_byok,
  requests: 0,
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

/** Whether a generation adds to this row. */
const isOf = (day: UsageDay, row: BookedRow): boolean =>
  day.model === (row.model ?? row.model_requested) &&
  day.provider === (row.provider ?? "") &&
  day.workspace_id === (row.workspace_id ?? noWorkspace) &&
  day.is_byok === row.is_byok &&
  row.started_at.startsWith(day.day);

/** Returns the rows of `usage_day` for these generations: one per day, key, workspace, model and provider. */
export function sumUsage(rows: readonly BookedRow[]): UsageDay[] {
  const daysOf = new Map<string, UsageDay[]>();
  const all: UsageDay[] = [];
  for (const row of rows) {
    const days = daysOf.get(row.api_key_id) ?? [];
    let day = days.find((one) => isOf(one, row));
    if (!day) {
      day = emptyDay(row);
      all.push(day);
      days.push(day);
      daysOf.set(row.api_key_id, days);
    }
    for (const name of countNames) day[name] += counts[name](row);
    for (const name of costNames) day[name] += BigInt(row[name]);
    day.byok_pico_eur += byokCost(row);
  }
  return all;
}
