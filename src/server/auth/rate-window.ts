import type { Database } from "#server/db/client.ts";
import { limits } from "#server/platform/limits.ts";

/** Part of a subject's budget of one minute that a process asks for. */
export interface Wish {
  readonly subject: string;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly budget: number;
  /** Granted as long as there is enough: requests that wait for it. */
  readonly need: number;
  /** What would be useful besides; a quarter of the rest at most, or the other processes would be refused. */
  readonly want: number;
}

export interface Grant {
  readonly subject: string;
  readonly minute: number;
  readonly granted: number;
  /** What all processes together have taken of the budget. */
  readonly taken: number;
}

/**
 * Takes parts of budgets in one statement. The sum of what is granted for a subject and minute never exceeds the
 * budget. What is missing from the answer has no budget left.
 */
export async function takeShares(database: Database, wishes: readonly Wish[]): Promise<Grant[]> {
  const column = <K extends keyof Wish>(name: K) => wishes.map((wish) => wish[name]);
  const share = limits.rate.shareOfRest;
  return database.prisma.$queryRaw<Grant[]>`
    insert into rate_window as held (subject, minute, budget, taken, needed, granted)
    select subject, minute, budget, share, need, share from (
      select *, least(budget, greatest(need, least(want, ceil(budget / ${share}::numeric))))::int as share
      from unnest(${column("subject")}::text[], ${column("minute")}::int[], ${column("budget")}::int[],
        ${column("need")}::int[], ${column("want")}::int[]) as wish (subject, minute, budget, need, want)
    ) asked order by subject, minute
    on conflict (subject, minute) do update
    set budget = excluded.budget, needed = excluded.needed,
      granted = least(excluded.budget - held.taken, greatest(excluded.needed,
        least(excluded.granted, ceil((excluded.budget - held.taken) / ${share}::numeric)))),
      taken = held.taken + least(excluded.budget - held.taken, greatest(excluded.needed,
        least(excluded.granted, ceil((excluded.budget - held.taken) / ${share}::numeric))))
    where held.taken < excluded.budget
    returning subject, minute, granted, taken`;
}

/** Forgets the windows before a minute. */
export async function forgetWindows(database: Database, beforeMinute: number): Promise<void> {
  await database.prisma.$executeRaw`delete from rate_window where minute < ${beforeMinute}`;
}
