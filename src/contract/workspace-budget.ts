import { z } from "zod";
import { data, Timestamp, Uuid } from "./common.ts";
import { LimitReset } from "./key.ts";
import { WorkspaceRef } from "./workspace.ts";

/** How often a budget resets; `lifetime` never. */
export const BudgetInterval = z.enum([...LimitReset.options, "lifetime"], {
  error: "must be daily, weekly, monthly or lifetime",
});
export type BudgetInterval = z.infer<typeof BudgetInterval>;

/** The limit of a workspace as OpenRouter's clients read it, in US dollars. */
export const WorkspaceBudget = z
  .object({
    id: Uuid.describe("ID of the budget: the same as that of its workspace, which has one at most."),
    workspace_id: Uuid.describe("ID of the workspace."),
    limit_usd: z
      .number()
      .describe("The limit of the workspace in US dollars at the current exchange rate, to four decimals."),
    reset_interval: LimitReset.nullable().describe("How often the budget resets; null if it never resets."),
    created_at: Timestamp.describe("Time the workspace was created."),
    updated_at: Timestamp.describe("Time the workspace was last changed."),
  })
  .meta({ id: "WorkspaceBudget" });
export type WorkspaceBudget = z.infer<typeof WorkspaceBudget>;

const byok = {
  include_byok_in_budgets: z
    .literal(false)
    .describe("Always false: requests with own provider credentials do not count towards budgets."),
};
export const WorkspaceBudgets = z.object({
  data: z.array(WorkspaceBudget).describe("The budget of the workspace; empty without one."),
  ...byok,
});
export const OneWorkspaceBudget = data(WorkspaceBudget).extend(byok);

export const BudgetsOf = z.object({ id: WorkspaceRef });
export const BudgetOf = BudgetsOf.extend({
  interval: BudgetInterval.describe("How often the budget resets; `lifetime` never."),
});
export type BudgetOf = z.infer<typeof BudgetOf>;

export const BudgetSet = z.strictObject({
  ...BudgetOf.shape,
  limit_usd: z
    .number()
    .min(0, "must not be negative")
    .max(1_000_000_000, "may be 1,000,000,000 at most")
    .describe("Amount that all keys of the workspace may spend together, in US dollars."),
  include_byok_in_budgets: z
    .literal(false, { error: "must be false: requests with own credentials do not count towards budgets" })
    .optional()
    .describe("Only false: requests with own provider credentials do not count towards budgets."),
});
export type BudgetSet = z.infer<typeof BudgetSet>;
