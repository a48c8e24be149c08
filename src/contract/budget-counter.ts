import { z } from "zod";
import { Paging, Timestamp, Uuid } from "./common.ts";

/** What a budget counts for one combination of values, in its current period. */
export const BudgetCounter = z
  .object({
    values: z
      .array(z.string())
      .describe(
        "The values of the dimensions that are counted separately, in the order workspace, key, person, model, " +
          "keys of metadata by name, end_user; empty if there are none.",
      ),
    used: z.number().describe("Used in the current period, in the unit of `limit`."),
    held: z
      .number()
      .describe("Reserved for running requests or by processes; a process returns what it does not need."),
    remaining: z.number().describe("`limit` without `used`; 0 if nothing is left."),
    resets_at: Timestamp.nullable().describe("End of the current period; null if it never ends."),
  })
  .meta({ id: "BudgetCounter" });
export type BudgetCounter = z.infer<typeof BudgetCounter>;

export const BudgetCounterQuery = Paging.extend({
  id: Uuid.describe("ID of the budget."),
  search: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(100, "may have 100 characters at most")
    .describe("Text to find in the values.")
    .optional(),
});
export type BudgetCounterQuery = z.infer<typeof BudgetCounterQuery>;
