import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { deleteEnded } from "./counter-rows.ts";

/** Deletes counters of ended periods from time to time. Returns how to stop that. */
export function openUpkeep(database: Database, log: Log): () => Promise<void> {
  let running: Promise<void> | undefined;
  const sweep = () => {
    running ??= deleteEnded(database)
      .catch((error: unknown) => log.warn({ event: "budgets", error }, "Old counters of budgets remain"))
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(sweep, limits.budgets.sweepEveryMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
