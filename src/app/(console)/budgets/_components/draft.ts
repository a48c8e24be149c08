import type { Budget, BudgetCreate, BudgetDimension, BudgetMeasure, BudgetPeriod } from "#contract/budget.ts";
import { compareDimensions } from "#contract/budget-dimensions.ts";

/** A budget as the form holds it. */
export interface BudgetDraft {
  readonly name: string;
  readonly measure: BudgetMeasure;
  /** As typed. */
  readonly limit: string;
  readonly period: BudgetPeriod;
  readonly dimensions: readonly BudgetDimension[];
}

export const newDraft: BudgetDraft = { name: "", measure: "eur", limit: "", period: "month", dimensions: [] };

export const draftOf = ({ name, measure, limit, period, dimensions }: Budget): BudgetDraft => ({
  name,
  measure,
  limit: String(limit),
  period,
  dimensions,
});

/** The draft with another measure: parallel requests have no period, and everything else has one. */
export function withMeasure(draft: BudgetDraft, measure: BudgetMeasure): BudgetDraft {
  const period = measure === "concurrency" ? "none" : draft.period === "none" ? "month" : draft.period;
  return { ...draft, measure, period };
}

/** The draft with a value of a dimension; null counts each value separately, undefined removes the dimension. */
export function withDimension(
  draft: BudgetDraft,
  name: string,
  value: string | null | undefined,
): BudgetDraft {
  const others = draft.dimensions.filter(({ dimension }) => dimension !== name);
  const all = value === undefined ? others : [...others, { dimension: name, value }];
  return { ...draft, dimensions: all.toSorted((a, b) => compareDimensions(a.dimension, b.dimension)) };
}

/** What is sent to create it. An empty limit is no number, so that it is refused. */
export const createOf = ({ name, measure, limit, period, dimensions }: BudgetDraft): BudgetCreate => ({
  name: name.trim(),
  measure,
  limit: limit.trim() === "" ? Number.NaN : Number(limit),
  period,
  dimensions: dimensions.map(({ dimension, value }) => ({ dimension, value: value?.trim() ?? null })),
  enabled: true,
});

/** What is sent to change it: all else would mean something else to what was counted. */
export const changeOf = (draft: BudgetDraft) => {
  const { name, limit } = createOf(draft);
  return { name, limit };
};
