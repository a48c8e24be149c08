import { z } from "zod";
import { BudgetForecast } from "./budget.ts";
import { DryRunResult } from "./routing-rule.ts";

/** The answer to a dry run: where requests would go, and which budgets would count them. */
export const DryRunAnswer = DryRunResult.extend({
  budgets: z
    .array(BudgetForecast)
    .describe(
      "The budgets that would count a request, those with nothing left first: they would refuse it. Budgets that " +
        "count end users are left out without `user`, and those that count by a key of `metadata` without its value.",
    ),
}).meta({ id: "DryRunAnswer" });
