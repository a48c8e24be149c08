import type { BudgetCreate, BudgetDimension, BudgetMeasure, BudgetPeriod } from "#contract/budget.ts";
import { isPlainDimension, type PlainDimension, separateDimensions } from "#contract/budget-dimensions.ts";
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

const plainColumns: Record<PlainDimension, Prisma.Sql> = {
  workspace: Prisma.sql`workspace_id::text`,
  key: Prisma.sql`api_key_id::text`,
  person: Prisma.sql`user_id::text`,
  model: Prisma.sql`model`,
  end_user: Prisma.sql`user_reference`,
};
const columnOf = (name: string): Prisma.Sql =>
  isPlainDimension(name) ? plainColumns[name] : Prisma.sql`tags->>${name}`;

/** The text that two generations share if they are in one period. Weeks of PostgreSQL start on Monday too. */
const periodColumn = (period: BudgetPeriod): Prisma.Sql =>
  period === "total" || period === "none"
    ? Prisma.sql`''`
    : Prisma.sql`date_trunc(${period}, started_at at time zone 'UTC')::text`;

const conditionOf = ({ dimension, value }: BudgetDimension): Prisma.Sql =>
  value === null
    ? Prisma.sql`${columnOf(dimension)} is not null`
    : Prisma.sql`${columnOf(dimension)} = ${value}`;

/** Whether the organisation's records contain the values of these dimensions. */
async function areRecorded(
  { prisma }: Database,
  id: string,
  dimensions: readonly BudgetDimension[],
): Promise<boolean> {
  const names = dimensions.map(({ dimension }) => dimension).filter((name) => !isPlainDimension(name));
  if (names.length === 0) return true;
  const { tags } = await prisma.organisation.findUniqueOrThrow({ where: { id }, select: { tags: true } });
  return names.every((name) => tags.includes(name));
}

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
  database: Database,
  orgId: string,
  { measure, limit, period, dimensions }: Draft,
): Promise<BudgetPreview["past"]> {
  const amount = amountColumns[measure];
  if (amount === null || !(await areRecorded(database, orgId, dimensions))) return null;
  const { days, generationsMax } = limits.budgets.preview;
  const since = isoTime(clock.nowMs() - days * dayMs);
  const separate = separateDimensions(dimensions);
  const parts = Prisma.join([periodColumn(period), ...separate.map(columnOf)]);
  const matches = Prisma.join([Prisma.sql`true`, ...dimensions.map(conditionOf)], " and ");
  const limitAmount = Prisma.sql`${countedAmount(measure, limit).toString()}::numeric`;
  const rows = await database.prisma.$queryRaw<PastRow[]>`
    with recorded as (
      select * from generation where org_id = ${orgId}::uuid and started_at >= ${since}::timestamptz
      order by started_at desc, id limit ${generationsMax + 1}
    ), counted as (
      select started_at, id, ${Prisma.raw(amount)} as amount, array[${parts}] as part
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
