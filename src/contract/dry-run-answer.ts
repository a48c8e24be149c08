import { z } from "zod";
import { BudgetForecast } from "./budget.ts";
import { DryRunResult } from "./routing-rule.ts";

/** The answer to a dry run: where requests would go, and which budgets would count them. */
export const DryRunAnswer = DryRunResult.extend({
  budgets: z
    .array(BudgetForecast)
    .describe(
      "The budgets that would count a request, those with nothing left first: they would refuse it. Budgets that " +
        "count each end user separately are left out without `user`.",
    ),
}).meta({ id: "DryRunAnswer" });
