import { z } from "zod";
import {
  type Budget,
  BudgetDimension,
  BudgetMeasure,
  BudgetPeriod,
  type BudgetUse,
} from "#contract/budget.ts";
import type { Prisma, PrismaClient } from "#generated/prisma/client.ts";
import { type Database, type ReportRow, readColumns, reporting, type Tx } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { shownAmount } from "./amounts.ts";
import { BudgetIndex } from "./budget-index.ts";
import type { IndexedBudget } from "./indexed-budget.ts";
import { type Span, spanAt } from "./period.ts";

export const columns = {
  id: true,
  org_id: true,
  name: true,
  measure: true,
  amount: true,
  period: true,
  dimensions: true,
  enabled: true,
  created_at: true,
  updated_at: true,
} as const satisfies Prisma.budgetSelect;
export type Row = Prisma.budgetGetPayload<{ select: typeof columns }>;

/** The stored form of the dimensions of a budget. */
export const Dimensions = z.array(BudgetDimension);

const amountOf = (row: Row): bigint => BigInt(row.amount.toFixed(0));
const endOf = ({ endsAtMs }: Span): string | null => (endsAtMs === null ? null : isoTime(endsAtMs));

/** What cannot be read is shown as a number of requests in total, with a problem. */
export const storedOf = (row: Pick<Row, "measure" | "period" | "dimensions">) =>
  readColumns(row, {
    measure: [BudgetMeasure, "requests"],
    period: [BudgetPeriod, "total"],
    dimensions: [Dimensions, []],
  });

/** What the audit log records of a budget. */
export function recorded(row: Row) {
  const { measure, period, dimensions, problem } = storedOf(row);
  return {
    id: row.id,
    name: row.name,
    measure,
    limit: shownAmount(measure, amountOf(row)),
    period,
    dimensions,
    enabled: row.enabled,
    problem,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The current period of a budget, and its start as the database compares it. */
export function periodOf(row: Row, nowMs: number) {
  const span = spanAt(storedOf(row).period, nowMs);
  return { span, start: span.startMs === null ? null : isoTime(span.startMs) };
}

const indexed = (row: Row, { measure, period, dimensions }: ReturnType<typeof storedOf>): IndexedBudget => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  measure,
  period,
  limit: amountOf(row),
  dimensions: new Map(dimensions.map(({ dimension, value }) => [dimension, value])),
});

/**
 * Loads every enabled budget of the installation for the inference path. What one that cannot be read counts is
 * unknown, so that requests of its organisation are refused.
 */
export async function loadBudgetIndex(prisma: PrismaClient, report: ReportRow): Promise<BudgetIndex> {
  const rows = await prisma.budget.findMany({ where: { enabled: true }, select: columns });
  const unreadable = new Map<string, string>();
  const budgets = rows.flatMap((row) => {
    const stored = storedOf(row);
    if (stored.problem === null) return [indexed(row, stored)];
    report("budget", row.id, stored.problem);
    unreadable.set(row.org_id, row.name);
    return [];
  });
  return new BudgetIndex(budgets, unreadable);
}

/** The counter of a budget with the highest use in the current period, and how many there are. */
interface UseRow {
  readonly budget_id: string;
  readonly values: string[];
  readonly used: string;
  readonly leased: string;
  readonly counters: number;
}

const readUse = (tx: Tx, ids: readonly string[], starts: readonly (string | null)[]) => tx.$queryRaw<
  UseRow[]
>`
  select distinct on (budget_id) budget_id, values, used_pico_eur::text as used, leased_pico_eur::text as leased,
    (count(*) over (partition by budget_id))::int as counters
  from unnest(${[...ids]}::uuid[], ${[...starts]}::text[]) as asked (id, start)
  join budget_counter on budget_id = asked.id and period_start is not distinct from asked.start::timestamptz
  join credit_balance using (account_id)
  order by budget_id, used_pico_eur desc, leased_pico_eur desc, account_id`;

/** The amounts of one counter of a budget as the API shows them. */
export function amountsOf(row: Row, use: { readonly used: string; readonly leased: string }, span: Span) {
  const { measure } = storedOf(row);
  const used = BigInt(use.used);
  const left = amountOf(row) - used;
  return {
    used: shownAmount(measure, used),
    held: shownAmount(measure, BigInt(use.leased)),
    remaining: shownAmount(measure, left > 0n ? left : 0n),
    resets_at: endOf(span),
  };
}

const noUse = { used: "0", leased: "0", counters: 0, values: [] };

function useOf(row: Row, use: UseRow | undefined, span: Span): BudgetUse {
  const { counters, values } = use ?? noUse;
  return { ...amountsOf(row, use ?? noUse, span), counters, values };
}

/** Budgets as the API shows them, with their use in the current period. */
export async function toWire(tx: Tx, rows: readonly Row[]): Promise<Budget[]> {
  if (rows.length === 0) return [];
  const nowMs = clock.nowMs();
  const periods = rows.map((row) => periodOf(row, nowMs));
  const uses = await readUse(
    tx,
    rows.map(({ id }) => id),
    periods.map(({ start }) => start),
  );
  const useOfBudget = new Map(uses.map((use) => [use.budget_id, use]));
  return rows.map((row) => {
    const { created_at, updated_at, ...shown } = recorded(row);
    return {
      ...shown,
      use: useOf(row, useOfBudget.get(row.id), periodOf(row, nowMs).span),
      created_at,
      updated_at,
    };
  });
}

/** The same, and those that cannot be read are logged. */
export const listed = async ({ prisma, reportRow }: Database, rows: readonly Row[]): Promise<Budget[]> =>
  reporting(reportRow, "budget", await toWire(prisma, rows));
