import { DeletedForClients } from "#contract/common.ts";
import {
  BudgetOf,
  BudgetSet,
  BudgetsOf,
  OneWorkspaceBudget,
  WorkspaceBudgets,
} from "#contract/workspace-budget.ts";
import { getBudget, listBudgets, removeBudget, setBudget } from "#server/accounts/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Workspaces";
const withoutByok = { include_byok_in_budgets: false } as const;

/** The limit of a workspace, as OpenRouter's clients read and set it. */
export const workspaceBudgetsRouter = router({
  list: permitted("workspaces:read", "workspace")
    .meta(
      rest("GET", "/workspaces/{id}/budgets", {
        summary: "List the budgets of a workspace",
        description: "The limit of the workspace in US dollars, as OpenRouter's clients read it.",
        tag,
        errors: [404],
      }),
    )
    .input(BudgetsOf)
    .output(WorkspaceBudgets)
    .query(async ({ ctx: { services, caller }, input }) => {
      const { exchangeRate } = services.catalogues.of(null);
      return { data: await listBudgets(services.database, caller, input.id, exchangeRate), ...withoutByok };
    }),

  get: permitted("workspaces:read", "workspace")
    .meta(
      rest("GET", "/workspaces/{id}/budgets/{interval}", {
        summary: "Get the budget of a workspace",
        description: "404 if the limit of the workspace has another interval, or if there is none.",
        tag,
        errors: [404],
      }),
    )
    .input(BudgetOf)
    .output(OneWorkspaceBudget)
    .query(async ({ ctx: { services, caller }, input }) => {
      const { exchangeRate } = services.catalogues.of(null);
      return { data: await getBudget(services.database, caller, input, exchangeRate), ...withoutByok };
    }),

  set: permitted("workspaces:write", "organisation")
    .meta(
      rest("PUT", "/workspaces/{id}/budgets/{interval}", {
        summary: "Set the budget of a workspace",
        description:
          "Sets the limit of the workspace. The amount is converted to euros once, at the current exchange rate. 409 if " +
          "there is a budget with another interval: a workspace has one at most.",
        tag,
        errors: [404, 409],
        example: { include_byok_in_budgets: false, limit_usd: 100 },
        audit: { action: "workspace.update", configuration: true },
      }),
    )
    .input(BudgetSet)
    .output(OneWorkspaceBudget)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      const { exchangeRate } = services.catalogues.of(null);
      return { data: await setBudget(services.database, caller, input, exchangeRate), ...withoutByok };
    }),

  remove: permitted("workspaces:write", "organisation")
    .meta(
      rest("DELETE", "/workspaces/{id}/budgets/{interval}", {
        summary: "Delete the budget of a workspace",
        description: "Removes the limit of the workspace.",
        tag,
        errors: [404],
        audit: { action: "workspace.update", configuration: true },
      }),
    )
    .input(BudgetOf)
    .output(DeletedForClients)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await removeBudget(services.database, caller, input);
      return deleted;
    }),
});
