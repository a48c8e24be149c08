import type { BudgetDimension } from "#contract/budget.ts";
import { separateDimensions } from "#contract/budget-dimensions.ts";
import type { NameOf } from "./budget-text.ts";

/** The values of a counter by name: `Research, openai/gpt-5`. */
export function valueNames(
  dimensions: readonly BudgetDimension[],
  values: readonly string[],
  nameOf: NameOf,
): string {
  const names = separateDimensions(dimensions);
  return values.map((value, at) => (names[at] ? nameOf(names[at], value) : value)).join(", ");
}
