import type { BudgetInterval, BudgetOf, BudgetSet, WorkspaceBudget } from "#contract/workspace-budget.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import type { Database, Tx } from "#server/db/index.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import {
  divideHalfEven,
  type ExchangeRate,
  eurFromUsd,
  numberFromPico,
  type Pico,
  picoFromDecimal,
  usdFromEur,
} from "#server/platform/money.ts";
import { limitOf, resetOf } from "./spending.ts";
import { columns, findWorkspace, type Row, recorded } from "./workspace-rows.ts";

/** Limits have six decimals in euros, and budgets are shown with four in US dollars. */
const micro = 1_000_000n;
const shownDecimals = 10_000;

const limitFromUsd = (usd: number, rate: ExchangeRate): Pico =>
  divideHalfEven(eurFromUsd(picoFromDecimal(usd), rate), micro) * micro;

const intervalOf = (row: Row): BudgetInterval => resetOf(row) ?? "lifetime";

/** The limit of a workspace as a budget; null without a limit. */
function budgetOf(row: Row, rate: ExchangeRate): WorkspaceBudget | null {
  const limit = limitOf(row);
  if (limit === null) return null;
  const usd = numberFromPico(usdFromEur(limit, rate));
  return {
    id: row.id,
    workspace_id: row.id,
    limit_usd: Math.round(usd * shownDecimals) / shownDecimals,
    reset_interval: resetOf(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The budget of a workspace, or none. */
export async function listBudgets(
  { prisma }: Database,
  caller: Authorized<"workspaces:read">,
  ref: string,
  rate: ExchangeRate,
): Promise<WorkspaceBudget[]> {
  const budget = budgetOf(await findWorkspace(prisma, caller, ref), rate);
  return budget ? [budget] : [];
}

/** The budget with this interval. Throws NOT_FOUND if the workspace has none, or one with another interval. */
export async function getBudget(
  { prisma }: Database,
  caller: Authorized<"workspaces:read">,
  { id, interval }: BudgetOf,
  rate: ExchangeRate,
): Promise<WorkspaceBudget> {
  const row = await findWorkspace(prisma, caller, id);
  const budget = budgetOf(row, rate);
  if (!budget || intervalOf(row) !== interval) throw notFound("budget", "interval");
  return budget;
}

async function setLimit(tx: Tx, before: Row, limit: Pico | null, interval: BudgetInterval) {
  const after = await tx.workspace.update({
    where: { id: before.id },
    data: {
      limit_pico_eur: limit?.toString() ?? null,
      limit_reset: limit === null || interval === "lifetime" ? null : interval,
    },
    select: columns,
  });
  return { after, audit: { id: before.id, before: recorded(before), after: recorded(after) } };
}

/**
 * Sets the limit of a workspace. Throws CONFLICT if it has a budget with another interval, because a workspace has one
 * limit.
 */
export async function setBudget(
  database: Database,
  caller: Authorized<"workspaces:write", "organisation">,
  { id, interval, limit_usd }: BudgetSet,
  rate: ExchangeRate,
): Promise<WorkspaceBudget> {
  return changeConfiguration(database, caller, "workspace.update", async (tx) => {
    const before = await findWorkspace(tx, caller, id);
    const present = intervalOf(before);
    if (limitOf(before) !== null && present !== interval) {
      const message = `interval: a workspace has one budget at most; delete the ${present} budget first`;
      throw new AppError("CONFLICT", message, { param: "interval" });
    }
    const { after, audit } = await setLimit(tx, before, limitFromUsd(limit_usd, rate), interval);
    const budget = budgetOf(after, rate);
    if (!budget) throw new Error("The budget that was set is missing");
    return { result: budget, audit };
  });
}

/** Removes the limit of a workspace. Throws NOT_FOUND if it has no budget with this interval. */
export async function removeBudget(
  database: Database,
  caller: Authorized<"workspaces:write", "organisation">,
  { id, interval }: BudgetOf,
): Promise<void> {
  await changeConfiguration(database, caller, "workspace.update", async (tx) => {
    const before = await findWorkspace(tx, caller, id);
    if (limitOf(before) === null || intervalOf(before) !== interval) throw notFound("budget", "interval");
    const { audit } = await setLimit(tx, before, null, interval);
    return { result: undefined, audit };
  });
}
