import { type BudgetCreate, isMoney } from "#contract/budget.ts";
import type { BudgetPreview } from "#contract/budget-preview.ts";
import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { countedAmount } from "./amounts.ts";
import { BudgetCounter } from "./budget-counter.ts";
import { assertExist, type Reader } from "./budgets.ts";
import { pastOf } from "./past.ts";

/** Any id: the draft has none yet. */
const draftId = "00000000-0000-0000-0000-000000000000";

/** What a refused client would receive from a budget: the real error with example figures. */
function refusalOf({ name, measure, period, limit }: BudgetCreate, orgId: string): BudgetPreview["refusal"] {
  const amount = countedAmount(measure, limit);
  const budget = { id: draftId, orgId, name, measure, period, limit: amount, dimensions: new Map() };
  const counter = new BudgetCounter(budget, { values: [], model: null, nowMs: clock.nowMs() });
  const needed = countedAmount(measure, isMoney(measure) ? 0.01 : measure === "tokens" ? 1_000 : 1);
  const { status, code, message, headers } = counter.refuse(needed, 0n);
  return { status, code, message, headers };
}

/** What a budget would do: to refused clients, and to the recorded requests of the last days. Stores nothing. */
export async function previewBudget(
  database: Database,
  { orgId }: Reader,
  draft: BudgetCreate,
): Promise<BudgetPreview> {
  await assertExist(database.prisma, orgId, draft.dimensions);
  return { refusal: refusalOf(draft, orgId), past: await pastOf(database, orgId, draft) };
}
