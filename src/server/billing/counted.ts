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

const textOf = ({ accountId, measure, model }: CounterOfRecord): string =>
  [accountId, measure, ...(model === null ? [] : [encodeURIComponent(model)])].join(" ");

/**
 * Counters as one text, because every record of a request has all its counters, and lists and objects take several
 * times as long to write.
 */
export const countersText = (counters: readonly CounterOfRecord[]): string =>
  inOnePiece(counters.map(textOf).join(";"));

function counterOf(text: string, modelOf: (text: string) => string): CounterOfRecord {
  const [accountId = "", measure, ...model] = text.split(" ");
  return {
    accountId,
    measure: BudgetMeasure.parse(measure),
    model: model.length === 0 ? null : modelOf(model.join(" ")),
  };
}

/** The counters of such a text. Earlier versions recorded a list of texts, with the models as they are. */
export const countersOf = (recorded: string | readonly string[]): CounterOfRecord[] =>
  typeof recorded === "string"
    ? recorded.split(";").map((text) => counterOf(text, decodeURIComponent))
    : recorded.map((text) => counterOf(text, String));

/**
 * What a generation adds to a counter, in the unit of its measure. A counter of one model gets what this model served:
 * all models that may serve are counted until one has.
 */
export const countedBy = ({ measure, model }: Omit<CounterOfRecord, "accountId">, row: Counted): bigint =>
  model !== null && row.model !== model ? 0n : addedBy[measure](row);
