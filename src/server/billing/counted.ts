import { BudgetMeasure } from "#contract/budget.ts";
import { inOnePiece } from "#server/platform/one-piece.ts";
import type { GenerationRow } from "./generation-row.ts";

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

/** A counter of a budget as the record of a generation names it. */
export interface CounterOfRecord {
  readonly accountId: string;
  readonly measure: BudgetMeasure;
  /** The model that it counts alone; null for every model. */
  readonly model: string | null;
}

/**
 * A counter as one text, because every record of a request has all its counters, and objects take three times as long
 * to write.
 */
export const counterText = ({ accountId, measure, model }: CounterOfRecord): string =>
  inOnePiece([accountId, measure, ...(model === null ? [] : [model])].join(" "));

/** The counter of such a text. Names of models may contain spaces. */
export function counterOf(text: string): CounterOfRecord {
  const [accountId = "", measure, ...model] = text.split(" ");
  return {
    accountId,
    measure: BudgetMeasure.parse(measure),
    model: model.length === 0 ? null : model.join(" "),
  };
}

/**
 * What a generation adds to a counter, in the unit of its measure. A counter of one model gets what this model served:
 * all models that may serve are counted until one has.
 */
export const countedBy = ({ measure, model }: Omit<CounterOfRecord, "accountId">, row: Counted): bigint =>
  model !== null && row.model !== model ? 0n : addedBy[measure](row);
