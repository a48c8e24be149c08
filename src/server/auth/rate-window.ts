import type { Database } from "#server/db/client.ts";
import { limits } from "#server/platform/limits.ts";

/** A share of a subject's budget of one minute that a process asks for. */
export interface ShareRequest {
  readonly subject: string;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly budget: number;
  /** Requests that wait for it: granted as long as enough is left. */
  readonly minimum: number;
  /** What would be useful; a quarter of the rest at most, or the other processes would be refused. */
  readonly target: number;
}

export interface ShareGrant {
  readonly subject: string;
  readonly minute: number;
  readonly granted: number;
  /** What all processes together have taken of the budget. */
  readonly taken: number;
}

/**
 * Takes shares of budgets in one statement. The sum of what is granted for a subject and minute never exceeds the
 * budget. What is missing from the answer has no budget left.
 */
export async function takeShares(
  database: Database,
  requests: readonly ShareRequest[],
): Promise<ShareGrant[]> {
  const column = <K extends keyof ShareRequest>(name: K) => requests.map((request) => request[name]);
  const share = limits.rate.shareOfRest;
  return database.prisma.$queryRaw<ShareGrant[]>`
    insert into rate_window as held (subject, minute, budget, taken, needed, granted)
    select subject, minute, budget, share, minimum, share from (
      select *, least(budget, greatest(minimum, least(target, ceil(budget / ${share}::numeric))))::int as share
      from unnest(${column("subject")}::text[], ${column("minute")}::int[], ${column("budget")}::int[],
        ${column("minimum")}::int[], ${column("target")}::int[]) as request (subject, minute, budget, minimum, target)
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

/** Deletes the windows before a minute. */
export async function deleteWindows(database: Database, beforeMinute: number): Promise<void> {
  await database.prisma.$executeRaw`delete from rate_window where minute < ${beforeMinute}`;
}
