import { z } from "zod";
import { BudgetCreate, BudgetDimensionName, BudgetUpdate } from "#contract/budget.ts";
import { compareDimensions } from "#contract/budget-dimensions.ts";
import type { Referred, Values } from "#contract/configuration-form.ts";
import { configurationForms, dimensionReferences } from "#contract/configuration-kinds.ts";
import { createBudget, deleteBudget, listBudgets, updateBudget } from "#server/budgets/index.ts";
import { limits } from "#server/platform/limits.ts";
import { assertReadable, changedInput, everyPage, type Kind, textOf } from "../kind.ts";

const form = configurationForms.budgets;
const defaults = { dimensions: [], enabled: true };

const Dimensions = z.array(z.object({ dimension: BudgetDimensionName, value: z.string().nullable() }));
type Dimension = z.infer<typeof Dimensions>[number];

export const dimensionsOf = ({ dimensions }: Values): Dimension[] =>
  Dimensions.safeParse(dimensions).data ?? [];

/** Their order has no meaning. */
const inOrder = (dimensions: readonly Dimension[]): Dimension[] =>
  dimensions.toSorted((a, b) => compareDimensions(a.dimension, b.dimension));

export const budgets: Kind = {
  kind: "budgets",
  form,
  permissions: { read: "workspaces:read", write: "workspaces:write", delete: "workspaces:write" },
  secretFields: [],
  defaults,
  fixed: ["measure", "period", "dimensions"],
  isReplaced: true,
  comment:
    "Budgets. `dimensions` name workspaces and keys, people by e-mail address, models, end users and keys of metadata.",
  identify: ({ name }) => ({ key: textOf(name), name: textOf(name) }),
  workspaceOf: (values) =>
    dimensionsOf(values).find(({ dimension }) => dimension === "workspace")?.value ?? null,
  async read({ database, as, names }) {
    const reader = as("workspaces:read");
    const rows = await everyPage((paging) => listBudgets(database, reader, paging), limits.lists.rowsMax);
    for (const { name, problem } of rows) assertReadable("budget", name, problem);
    return rows.map(({ id, name, measure, limit, period, dimensions, enabled }) => ({
      id,
      values: {
        name,
        measure,
        limit,
        period,
        enabled,
        dimensions: inOrder(
          dimensions.map(({ dimension, value }) => {
            const to: Referred | undefined = dimensionReferences[dimension];
            return { dimension, value: to && value !== null ? names.nameOf(to, value) : value };
          }),
        ),
      },
    }));
  },
  comparable: (_, values) => ({ ...values, dimensions: inOrder(dimensionsOf(values)) }),
  async create({ database, as, names }, values) {
    const input = BudgetCreate.parse(form.input(values, (...reference) => names.idOf(...reference)));
    return createBudget(database, as("workspaces:write"), input);
  },
  async update(session, difference) {
    const { database, as } = session;
    const input = BudgetUpdate.parse({
      ...changedInput({ form, defaults }, session, difference),
      id: difference.id,
    });
    await updateBudget(database, as("workspaces:write"), input);
  },
  remove: ({ database, as }, id) => deleteBudget(database, as("workspaces:write"), id),
};
