import { z } from "zod";
import { Budget, BudgetCreate, BudgetListQuery, BudgetUpdate } from "#contract/budget.ts";
import { BudgetCounter, BudgetCounterQuery } from "#contract/budget-counter.ts";
import { BudgetPreview } from "#contract/budget-preview.ts";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import {
  createBudget,
  deleteBudget,
  getBudget,
  listBudgets,
  listCounters,
  previewBudget,
  updateBudget,
} from "#server/budgets/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Budgets";
const ById = z.object({ id: Uuid.describe("ID of the budget.") });

export const budgetsRouter = router({
  list: permitted("workspaces:read", "organisation")
    .meta(
      rest("GET", "/budgets", {
        summary: "List budgets",
        description: "With their use in the current period, the newest first.",
        tag,
      }),
    )
    .input(BudgetListQuery)
    .output(dataList(Budget))
    .query(({ ctx, input }) => listBudgets(ctx.services.database, ctx.caller, input)),

  create: permitted("workspaces:write", "organisation")
    .meta(
      rest("POST", "/budgets", {
        summary: "Create a budget",
        description:
          "Limits money, tokens, requests or parallel requests for everything that matches all `dimensions`. " +
          "A dimension with `value: null` gives each value a limit of its own. Applies in every process within a " +
          "second, and counts requests from then on.",
        tag,
        status: 201,
        errors: [409],
        example: {
          name: "EUR 20 a day per end user",
          measure: "eur",
          limit: 20,
          period: "day",
          dimensions: [{ dimension: "end_user", value: null }],
        },
        idempotent: true,
        audit: { action: "budget.create", configuration: true },
      }),
    )
    .input(BudgetCreate)
    .output(data(Budget))
    .mutation(async ({ ctx, input }) => ({
      data: await createBudget(ctx.services.database, ctx.caller, input),
    })),

  preview: permitted("workspaces:read", "organisation")
    .meta(
      rest("POST", "/budgets/preview", {
        summary: "Preview a budget",
        description:
          "What the budget would have done to the recorded requests of the last 30 days, and what a refused client " +
          "receives. A request counts as stopped if the limit was used up before it; what running requests reserve is " +
          "not considered. Stores nothing.",
        tag,
        example: {
          name: "EUR 20 a day per end user",
          measure: "eur",
          limit: 20,
          period: "day",
          dimensions: [{ dimension: "end_user", value: null }],
        },
        audit: { none: "changes nothing" },
      }),
    )
    .input(BudgetCreate)
    .output(data(BudgetPreview))
    .mutation(async ({ ctx, input }) => ({
      data: await previewBudget(ctx.services.database, ctx.caller, input),
    })),

  counters: permitted("workspaces:read", "organisation")
    .meta(
      rest("GET", "/budgets/{id}/counters", {
        summary: "List what a budget counts",
        description:
          "One entry for each combination of values with requests in the current period, the highest use first.",
        tag,
        errors: [404],
      }),
    )
    .input(BudgetCounterQuery)
    .output(dataList(BudgetCounter))
    .query(({ ctx, input }) => listCounters(ctx.services.database, ctx.caller, input)),

  get: permitted("workspaces:read", "organisation")
    .meta(
      rest("GET", "/budgets/{id}", {
        summary: "Get a budget",
        description: "With its use in the current period.",
        tag,
        errors: [404],
      }),
    )
    .input(ById)
    .output(data(Budget))
    .query(async ({ ctx, input }) => ({
      data: await getBudget(ctx.services.database, ctx.caller, input.id),
    })),

  update: permitted("workspaces:write", "organisation")
    .meta(
      rest("PATCH", "/budgets/{id}", {
        summary: "Change a budget",
        description:
          "Changes the name or the limit, or disables the budget; the use of the current period remains. To count " +
          "something else, create another budget.",
        tag,
        errors: [404, 409],
        example: { name: "EUR 50 a day per end user", limit: 50 },
        audit: { action: "budget.update", configuration: true },
      }),
    )
    .input(BudgetUpdate)
    .output(data(Budget))
    .mutation(async ({ ctx, input }) => ({
      data: await updateBudget(ctx.services.database, ctx.caller, input),
    })),

  remove: permitted("workspaces:write", "organisation")
    .meta(
      rest("DELETE", "/budgets/{id}", {
        summary: "Delete a budget",
        description: "With what it has counted.",
        tag,
        errors: [404],
        audit: { action: "budget.delete", configuration: true },
      }),
    )
    .input(ById)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteBudget(ctx.services.database, ctx.caller, input.id);
      return deleted;
    }),
});
