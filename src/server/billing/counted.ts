import type { BudgetMeasure } from "#contract/budget.ts";
import type { BudgetCounterRow, GenerationRow } from "#server/db/index.ts";

type Counted = Pick<
  GenerationRow,
  "cost_pico_eur" | "cost_pico_usd" | "prompt_tokens" | "completion_tokens" | "model"
>;

/** What a finished generation adds to a counter, by measure. Parallel requests are counted while they run only. */
const addedBy: Record<BudgetMeasure, (row: Counted) => bigint> = {
  eur: (row) => BigInt(row.cost_pico_eur),
  usd: (row) => BigInt(row.cost_pico_usd),
  tokens: (row) => BigInt(row.prompt_tokens + row.completion_tokens),
  requests: () => 1n,
  concurrency: () => 0n,
};

/**
 * What a generation adds to a counter, in the unit of its measure. A counter of one model gets what this model served:
 * all models that may serve are counted until one has.
 */
export const countedBy = ({ measure, model }: Omit<BudgetCounterRow, "account_id">, row: Counted): bigint =>
  model !== null && row.model !== model ? 0n : addedBy[measure](row);
