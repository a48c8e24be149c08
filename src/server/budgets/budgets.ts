import {
  type Budget,
  type BudgetCreate,
  type BudgetDimension,
  type BudgetListQuery,
  type BudgetUpdate,
  limitProblem,
} from "#contract/budget.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { containing, type Database, newestFirst, type Page, readPage, type Tx } from "#server/db/index.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { countedAmount } from "./amounts.ts";
import { columns, listed, type Row, recorded, storedOf, toWire } from "./budget-rows.ts";
import { assertFewTags } from "./budget-tags.ts";
import { deleteAccounts } from "./counter-rows.ts";

export type Reader = Authorized<"workspaces:read", "organisation">;
export type Writer = Authorized<"workspaces:write", "organisation">;

export const findBudget = async (tx: Tx, { orgId }: Reader | Writer, id: string): Promise<Row> =>
  found(await tx.budget.findFirst({ where: { id, org_id: orgId }, select: columns }), "budget", "id");

/** How many of these the organisation has: one or none. */
const countOf: Readonly<Record<string, (tx: Tx, org_id: string, id: string) => Promise<number>>> = {
  workspace: (tx, org_id, id) => tx.workspace.count({ where: { id, org_id } }),
  key: (tx, org_id, id) => tx.api_key.count({ where: { id, org_id } }),
  person: (tx, org_id, user_id) => tx.member.count({ where: { user_id, org_id } }),
};

/** Refuses dimensions whose values the organisation does not have. */
export async function assertExist(
  tx: Tx,
  orgId: string,
  dimensions: readonly BudgetDimension[],
): Promise<void> {
  for (const [at, { dimension, value }] of dimensions.entries()) {
    const count = value === null ? undefined : countOf[dimension];
    if (value === null || !count || (await count(tx, orgId, value)) > 0) continue;
    const param = `dimensions.${at}.value`;
    throw new AppError("BAD_REQUEST", `${param}: the organisation has no ${dimension} with this ID`, {
      param,
    });
  }
}

/** Returns the budgets of the caller's organisation with their use in the current period, the newest first. */
export async function listBudgets(
  database: Database,
  { orgId }: Reader,
  { search, measure, period, enabled, ...paging }: BudgetListQuery,
): Promise<Page<Budget>> {
  const where: Prisma.budgetWhereInput = {
    org_id: orgId,
    ...(search !== undefined && { name: containing(search) }),
    ...(measure !== undefined && { measure }),
    ...(period !== undefined && { period }),
    ...(enabled !== undefined && { enabled }),
  };
  const { prisma } = database;
  return readPage(paging, {
    rows: (window) => prisma.budget.findMany({ where, select: columns, orderBy: newestFirst, ...window }),
    count: () => prisma.budget.count({ where }),
    toWire: (rows) => listed(database, rows),
  });
}

const shown = async (tx: Tx, row: Row): Promise<Budget> =>
  found((await toWire(tx, [row]))[0], "budget", "id");

export async function getBudget({ prisma }: Database, caller: Reader, id: string): Promise<Budget> {
  return shown(prisma, await findBudget(prisma, caller, id));
}

/** Creates a budget. It counts from now on: requests before it do not count. */
export async function createBudget(
  database: Database,
  caller: Writer,
  { name, measure, limit, period, dimensions, enabled }: BudgetCreate,
): Promise<Budget> {
  return changeConfiguration(database, caller, "budget.create", async (tx) => {
    const max = limits.budgets.perOrganisationMax;
    if ((await tx.budget.count({ where: { org_id: caller.orgId } })) >= max)
      throw new AppError("CONFLICT", `An organisation may have ${max} budgets at most`);
    await assertExist(tx, caller.orgId, dimensions);
    await assertFewTags(tx, caller.orgId, dimensions);
    const row = await tx.budget.create({
      data: {
        org_id: caller.orgId,
        name,
        measure,
        amount: countedAmount(measure, limit).toString(),
        period,
        dimensions: dimensions.map(({ dimension, value }) => ({ dimension, value })),
        enabled,
      },
      select: columns,
    });
    return { result: await shown(tx, row), audit: { id: row.id, after: recorded(row) } };
  });
}

/** Changes the name or the limit, or disables it. The use of the current period remains. */
export async function updateBudget(
  database: Database,
  caller: Writer,
  { id, name, limit, enabled }: BudgetUpdate,
): Promise<Budget> {
  return changeConfiguration(database, caller, "budget.update", async (tx) => {
    const before = await findBudget(tx, caller, id);
    const { measure, problem: unread } = storedOf(before);
    if (limit !== undefined && unread !== null)
      throw new AppError("CONFLICT", `The budget cannot be read; delete it and create it again: ${unread}`);
    const problem = limit === undefined ? null : limitProblem(measure, limit);
    if (problem !== null) throw new AppError("BAD_REQUEST", `limit: ${problem}`, { param: "limit" });
    const after = await tx.budget.update({
      where: { id, org_id: caller.orgId },
      data: {
        ...(name !== undefined && { name }),
        ...(limit !== undefined && { amount: countedAmount(measure, limit).toString() }),
        ...(enabled !== undefined && { enabled }),
      },
      select: columns,
    });
    return {
      result: await shown(tx, after),
      audit: { id, before: recorded(before), after: recorded(after) },
    };
  });
}

/** Deletes a budget with its counters. Requests that run do not fail. */
export async function deleteBudget(database: Database, caller: Writer, id: string): Promise<void> {
  await changeConfiguration(database, caller, "budget.delete", async (tx) => {
    const before = await findBudget(tx, caller, id);
    await tx.$queryRaw`select id from budget where id = ${id}::uuid and org_id = ${caller.orgId}::uuid for update`;
    const counters = await tx.budget_counter.findMany({
      where: { budget_id: id },
      select: { account_id: true },
    });
    await deleteAccounts(
      tx,
      counters.map(({ account_id }) => account_id),
    );
    await tx.budget.deleteMany({ where: { id, org_id: caller.orgId } });
    return { result: undefined, audit: { id, before: recorded(before) } };
  });
}
