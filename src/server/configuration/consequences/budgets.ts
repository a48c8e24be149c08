import { BudgetMeasure } from "#contract/budget.ts";
import { isPlainDimension, type PlainDimension } from "#contract/budget-dimensions.ts";
import type { Referred, Values } from "#contract/configuration-form.ts";
import { dimensionReferences } from "#contract/configuration-kinds.ts";
import { amountText, countedAmount, shownAmount } from "#server/budgets/index.ts";
import { dimensionsOf } from "../kinds/budgets.ts";
import type { Session } from "../session.ts";
import { consequence, counted, days, type Evaluate, isTighter, transitionOf } from "./consequence.ts";
import type { Counted, CountedColumn, RequestFilter } from "./traffic.ts";

const plainColumns: Record<PlainDimension, CountedColumn> = {
  workspace: "workspace_id",
  key: "api_key_id",
  person: "user_id",
  model: "model",
  end_user: "user_reference",
};

const plainFilters: Record<PlainDimension, (value: string) => RequestFilter> = {
  workspace: (workspaceId) => ({ workspaceId }),
  key: (id) => ({ keyIds: [id] }),
  person: (userId) => ({ userId }),
  model: (model) => ({ model }),
  end_user: (endUser) => ({ endUser }),
};

const columnOf = (name: string): CountedColumn =>
  isPlainDimension(name) ? plainColumns[name] : { tag: name };

const narrowed = (filter: RequestFilter, name: string, value: string): RequestFilter =>
  isPlainDimension(name)
    ? { ...filter, ...plainFilters[name](value) }
    : { ...filter, tags: { ...filter.tags, [name]: value } };

/** Which requests a budget counts; null if it is for something that does not exist yet. */
function scopeOf({ names }: Session, values: Values): { filter: RequestFilter; by: CountedColumn[] } | null {
  const by: CountedColumn[] = [];
  let filter: RequestFilter = {};
  for (const { dimension, value } of dimensionsOf(values)) {
    if (value === null) {
      by.push(columnOf(dimension));
      continue;
    }
    const to: Referred | undefined = dimensionReferences[dimension];
    const id = to ? names.find(to, value) : value;
    if (id === undefined) return null;
    filter = narrowed(filter, dimension, id);
  }
  return { filter, by };
}

const units: Record<string, Counted["unit"]> = {
  minute: "minute",
  hour: "hour",
  day: "day",
  week: "week",
  month: "month",
};

export const budgetConsequences: Evaluate = async ({ session, traffic }, change) => {
  const { before, after } = transitionOf(change);
  const scope = scopeOf(session, change.desired ? after : before);
  if (scope === null) return [];
  const { filter, by } = scope;
  const isOn = (values: Values) => values.name !== undefined && values.enabled !== false;
  if (isOn(before) && !isOn(after)) {
    const { requests } = await traffic.sums(filter);
    const message = `It counted ${counted(requests)} ${days}, which it does not limit any more`;
    return consequence(change, "budget_removed", requests, message);
  }
  if (!isOn(after)) return [];
  if (change.action === "update" && isOn(before) && !isTighter(before.limit, after.limit)) return [];
  const measure = BudgetMeasure.parse(after.measure);
  const amount = Number(after.limit);
  const limit = countedAmount(measure, amount);
  const excess =
    measure === "concurrency"
      ? await traffic.overlap(filter, by, limit)
      : await traffic.excess(filter, { measure, unit: units[String(after.period)] ?? null, by, limit });
  const message =
    `${counted(excess.requests)} ${days} came after the limit of ${amountText(measure, amount)} was used up; ` +
    `the highest use was ${shownAmount(measure, excess.highest)}`;
  return consequence(change, "budget_exceeded", excess.requests, message);
};
