import type { BookedRow } from "./generation-row.ts";

/** What stands for "no workspace" where a column must not be empty. */
export const noWorkspace = "00000000-0000-0000-0000-000000000000";

/** What one generation adds to the counts of a day: safe integers, however many rows a batch has. */
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

/** The columns of `usage_day` that add up. */
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
  };

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
});

/** Rows of `usage_day` for these generations, one for each day, key, workspace, model and provider among them. */
export function sumUsage(rows: readonly BookedRow[]): UsageDay[] {
  const days = new Map<string, UsageDay>();
  for (const row of rows) {
    const key = `${row.api_key_id} ${row.workspace_id} ${row.started_at.slice(0, 10)} ${row.provider} ${row.is_byok} ${row.model ?? row.model_requested}`;
    let day = days.get(key);
    if (!day) {
      day = emptyDay(row);
      days.set(key, day);
    }
    for (const name of countNames) day[name] += counts[name](row);
    for (const name of costNames) day[name] += BigInt(row[name]);
  }
  return [...days.values()];
}
