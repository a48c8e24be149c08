import type { BudgetDimension } from "#contract/budget.ts";
import { isPlainDimension } from "#contract/budget-dimensions.ts";
import type { Tx } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { Dimensions } from "./budget-rows.ts";

const tagsOf = (dimensions: readonly BudgetDimension[]): string[] =>
  dimensions.map(({ dimension }) => dimension).filter((name) => !isPlainDimension(name));

/** Refuses more keys of `metadata` than the budgets of an organisation may count by: requests look at each of them. */
export async function assertFewTags(
  tx: Tx,
  orgId: string,
  dimensions: readonly BudgetDimension[],
): Promise<void> {
  if (tagsOf(dimensions).length === 0) return;
  const rows = await tx.budget.findMany({ where: { org_id: orgId }, select: { dimensions: true } });
  const known = new Set(rows.flatMap((row) => tagsOf(Dimensions.safeParse(row.dimensions).data ?? [])));
  const fresh = tagsOf(dimensions).filter((name) => !known.has(name));
  const max = limits.budgets.tagsMax;
  if (fresh.length === 0 || known.size + fresh.length <= max) return;
  const param = `dimensions.${dimensions.findIndex(({ dimension }) => dimension === fresh.at(-1))}.dimension`;
  throw new AppError(
    "CONFLICT",
    `${param}: the budgets of an organisation may count by ${max} keys of metadata at most, and count by ` +
      [...known].sort().join(", "),
    { param },
  );
}
