import {
  type BudgetCreate,
  type BudgetDimension,
  type BudgetDimensionName,
  type BudgetMeasure,
  type BudgetPeriod,
  budgetDimensions,
} from "#contract/budget.ts";
import type { BudgetPreview } from "#contract/budget-preview.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/index.ts";
import { clock, dayMs, isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { countedAmount, shownAmount } from "./amounts.ts";

type Draft = Pick<BudgetCreate, "measure" | "limit" | "period" | "dimensions">;

/** What a recorded generation adds, as in `billing/counted.ts`. Parallel requests are not recorded. */
const amountColumns: Record<BudgetMeasure, string | null> = {
  eur: "cost_pico_eur",
  usd: "cost_pico_usd",
  tokens: "(prompt_tokens + completion_tokens)::numeric",
  requests: "1::numeric",
  concurrency: null,
};

const dimensionColumns: Record<BudgetDimensionName, string> = {
  workspace: "workspace_id::text",
  key: "api_key_id::text",
  person: "user_id::text",
  model: "model",
  end_user: "user_reference",
};

/** The text that two generations share if they are in one period. Weeks of PostgreSQL start on Monday too. */
const periodColumn = (period: BudgetPeriod): string =>
  period === "total" || period === "none"
    ? "''"
    : `date_trunc('${period}', started_at at time zone 'UTC')::text`;

const conditionOf = ({ dimension, value }: BudgetDimension): Prisma.Sql => {
  const column = Prisma.raw(dimensionColumns[dimension]);
  return value === null ? Prisma.sql`${column} is not null` : Prisma.sql`${column} = ${value}`;
};

interface PastRow {
  readonly recorded: number;
  readonly requests: number;
  readonly stopped: number;
  readonly exhausted: number;
  readonly highest: string | null;
}

/**
 * What a budget would have done to recorded requests. A request counts as stopped if the limit was used up before it:
 * the stopped ones make no difference, because nothing is admitted after them in the same period. Null: not recorded.
 */
export async function pastOf(
  { prisma }: Database,
  orgId: string,
  { measure, limit, period, dimensions }: Draft,
): Promise<BudgetPreview["past"]> {
  const amount = amountColumns[measure];
  if (amount === null) return null;
  const { days, generationsMax } = limits.budgets.preview;
  const since = isoTime(clock.nowMs() - days * dayMs);
  const separate = budgetDimensions.filter((name) =>
    dimensions.some(({ dimension, value }) => dimension === name && value === null),
  );
  const parts = [periodColumn(period), ...separate.map((name) => dimensionColumns[name])].join(", ");
  const matches = Prisma.join([Prisma.sql`true`, ...dimensions.map(conditionOf)], " and ");
  const limitAmount = Prisma.sql`${countedAmount(measure, limit).toString()}::numeric`;
  const rows = await prisma.$queryRaw<PastRow[]>`
    with recorded as (
      select * from generation where org_id = ${orgId}::uuid and started_at >= ${since}::timestamptz
      order by started_at desc, id limit ${generationsMax + 1}
    ), counted as (
      select started_at, id, ${Prisma.raw(amount)} as amount, array[${Prisma.raw(parts)}] as part
      from recorded where ${matches}
    ), added as (
      select part, amount, sum(amount) over (partition by part order by started_at, id) as total from counted
    )
    select (select count(*) from recorded)::int as recorded, count(*)::int as requests,
      (count(*) filter (where total - amount >= ${limitAmount}))::int as stopped,
      (count(distinct part) filter (where total >= ${limitAmount}))::int as exhausted,
      max(total)::text as highest
    from added`;
  const { recorded = 0, requests = 0, stopped = 0, exhausted = 0, highest } = rows[0] ?? {};
  return {
    since,
    truncated: recorded > generationsMax,
    requests,
    stopped,
    exhausted,
    highest: shownAmount(measure, BigInt(highest ?? "0")),
  };
}
