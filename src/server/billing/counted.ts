import { BudgetMeasure } from "#contract/budget.ts";
import { inOnePiece } from "#server/platform/one-piece.ts";
import type { BookedRow, GenerationRow } from "./generation-row.ts";

type Counted = Pick<
  GenerationRow,
  "cost_pico_eur" | "cost_pico_usd" | "prompt_tokens" | "completion_tokens" | "model"
>;

function sumOf(rows: readonly Counted[], column: "cost_pico_eur" | "cost_pico_usd"): bigint {
  let sum = 0n;
  for (const row of rows) sum += BigInt(row[column]);
  return sum;
}

function tokensOf(rows: readonly Counted[]): bigint {
  let sum = 0;
  for (const row of rows) sum += row.prompt_tokens + row.completion_tokens;
  return BigInt(sum);
}

/** What finished generations add to a counter, by measure. Parallel requests are counted while they run only. */
const addedBy: Record<BudgetMeasure, (rows: readonly Counted[]) => bigint> = {
  eur: (rows) => sumOf(rows, "cost_pico_eur"),
  usd: (rows) => sumOf(rows, "cost_pico_usd"),
  tokens: tokensOf,
  requests: (rows) => BigInt(rows.length),
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
 * What generations of one model add to a counter, in the unit of its measure. A counter of one model gets what this
 * model served: all models that may serve are counted until one has.
 */
export const countedBy = (
  { measure, model }: Omit<CounterOfRecord, "accountId">,
  rows: readonly [Counted, ...Counted[]],
): bigint => (model !== null && rows[0].model !== model ? 0n : addedBy[measure](rows));

/** Rows one after the other that have the same counters and model, as most have. */
interface Run {
  readonly counters: NonNullable<BookedRow["budget_counters"]>;
  readonly rows: [BookedRow, ...BookedRow[]];
}

function runsOf(rows: readonly BookedRow[]): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const row of rows) {
    if (!row.budget_counters) continue;
    if (run?.counters === row.budget_counters && run.rows[0].model === row.model) run.rows.push(row);
    else {
      run = { counters: row.budget_counters, rows: [row] };
      runs.push(run);
    }
  }
  return runs;
}

/** What rows add to the counters in their records, each counter once. */
export function sumCounted(
  rows: readonly BookedRow[],
): { readonly accountId: string; readonly sum: bigint }[] {
  const sums = new Map<string, bigint>();
  for (const { counters, rows: alike } of runsOf(rows))
    for (const counter of countersOf(counters)) {
      const { accountId } = counter;
      sums.set(accountId, (sums.get(accountId) ?? 0n) + countedBy(counter, alike));
    }
  return [...sums].map(([accountId, sum]) => ({ accountId, sum }));
}
