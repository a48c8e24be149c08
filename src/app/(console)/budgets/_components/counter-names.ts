import type { BudgetDimension } from "#contract/budget.ts";
import { budgetDimensions } from "#contract/budget-dimensions.ts";
import type { NameOf } from "./budget-text.ts";

/** The dimensions that a budget counts separately, in the order of the values of its counters. */
const separateOf = (dimensions: readonly BudgetDimension[]) =>
  budgetDimensions.filter((name) =>
    dimensions.some(({ dimension, value }) => dimension === name && value === null),
  );

/** The values of a counter by name: `Research, openai/gpt-5`. */
export function valueNames(
  dimensions: readonly BudgetDimension[],
  values: readonly string[],
  nameOf: NameOf,
): string {
  const names = separateOf(dimensions);
  return values.map((value, at) => (names[at] ? nameOf(names[at], value) : value)).join(", ");
}
