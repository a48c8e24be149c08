import { type ApiKeyUpdate, LimitReset, resetNeedsLimit } from "#contract/key.ts";
import type { Tx } from "#server/db/client.ts";
import { readColumns } from "#server/db/stored-row.ts";
import { AppError } from "#server/platform/errors.ts";
import { numberFromPico, type Pico } from "#server/platform/money.ts";

/** The cost of a key or a workspace, in pico-EUR as decimal text. Days, weeks (from Monday) and months are UTC. */
export interface Spending {
  readonly id: string;
  readonly total: string;
  readonly day: string;
  readonly week: string;
  readonly month: string;
  readonly byok_total: string;
  readonly byok_day: string;
  readonly byok_week: string;
  readonly byok_month: string;
  /** How much of its limit was used by everything that spends from it; null before its first request with a limit. */
  readonly budget_used: string | null;
}

const nothing: Omit<Spending, "id"> = {
  total: "0",
  day: "0",
  week: "0",
  month: "0",
  byok_total: "0",
  byok_day: "0",
  byok_week: "0",
  byok_month: "0",
  budget_used: null,
};

/** Returns the cost of each of these keys or workspaces, including those without any. */
export async function readSpending(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, Spending>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.$queryRaw<Spending[]>`
    select holder.id,
      coalesce(sum(cost_pico_eur), 0)::text as total,
      coalesce(sum(cost_pico_eur) filter (where used.day >= term.day), 0)::text as day,
      coalesce(sum(cost_pico_eur) filter (where used.day >= term.week), 0)::text as week,
      coalesce(sum(cost_pico_eur) filter (where used.day >= term.month), 0)::text as month,
      coalesce(sum(byok_pico_eur), 0)::text as byok_total,
      coalesce(sum(byok_pico_eur) filter (where used.day >= term.day), 0)::text as byok_day,
      coalesce(sum(byok_pico_eur) filter (where used.day >= term.week), 0)::text as byok_week,
      coalesce(sum(byok_pico_eur) filter (where used.day >= term.month), 0)::text as byok_month,
      (select used_pico_eur::text from credit_balance where account_id = holder.id
        and (period is null or period_start = date_trunc(period, now(), 'UTC'))) as budget_used
    from unnest(${[...ids]}::uuid[]) as holder (id)
    cross join (select (now() at time zone 'UTC')::date as day,
      date_trunc('week', now() at time zone 'UTC')::date as week,
      date_trunc('month', now() at time zone 'UTC')::date as month) term
    left join key_usage used on holder_id = holder.id
    group by holder.id`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** A limit as stored in a row of `api_key` or `workspace`. */
interface LimitColumns {
  readonly limit_pico_eur: { toFixed(digits: number): string } | null;
  readonly limit_reset: string | null;
  readonly include_byok_in_limit?: boolean;
}
export type LimitColumn = Pick<LimitColumns, "limit_pico_eur">;

const periods = { daily: "day", weekly: "week", monthly: "month" } as const;

/** The limit in pico-EUR and when it resets; null without a limit. */
export const limitOf = ({ limit_pico_eur: limit }: LimitColumn): Pico | null =>
  limit === null ? null : BigInt(limit.toFixed(0));
/** A period that cannot be read never ends, so that the limit is not exceeded. */
export const resetOf = (row: Pick<LimitColumns, "limit_reset">): LimitReset | null =>
  readColumns(row, { limit_reset: [LimitReset.nullable(), null] }).limit_reset;

/** What a change makes of `limit_reset`: null if there is no limit. */
export function resetChange(
  row: LimitColumn,
  { limit, limit_reset: reset }: Pick<ApiKeyUpdate, "limit" | "limit_reset">,
): { limit_reset?: LimitReset | null } {
  const limited = limit === undefined ? row.limit_pico_eur !== null : limit !== null;
  if (limited) return reset === undefined ? {} : { limit_reset: reset };
  if (reset != null)
    throw new AppError("BAD_REQUEST", `limit_reset: ${resetNeedsLimit}`, { param: "limit_reset" });
  return { limit_reset: null };
}

/** The remaining limit in pico-EUR, never below zero; null without a limit. */
export function remainingOf(row: LimitColumns, spending: Omit<Spending, "id"> = nothing): Pico | null {
  const limit = limitOf(row);
  if (limit === null) return null;
  const reset = resetOf(row);
  const period = reset === null ? "total" : periods[reset];
  const byok = row.include_byok_in_limit ? BigInt(spending[`byok_${period}`]) : 0n;
  const spent =
    spending.budget_used === null ? BigInt(spending[period]) + byok : BigInt(spending.budget_used);
  return spent < limit ? limit - spent : 0n;
}

const euro = (text: string): number => numberFromPico(BigInt(text));
const euroOrNull = (amount: Pico | null): number | null => (amount === null ? null : numberFromPico(amount));

/** A limit and the spending as the API shows them, in euros. */
export const spendingOnWire = (row: LimitColumns, spending: Omit<Spending, "id"> = nothing) => ({
  limit: euroOrNull(limitOf(row)),
  limit_remaining: euroOrNull(remainingOf(row, spending)),
  limit_reset: resetOf(row),
  usage: euro(spending.total),
  usage_daily: euro(spending.day),
  usage_weekly: euro(spending.week),
  usage_monthly: euro(spending.month),
  byok_usage: euro(spending.byok_total),
  byok_usage_daily: euro(spending.byok_day),
  byok_usage_weekly: euro(spending.byok_week),
  byok_usage_monthly: euro(spending.byok_month),
});
