import { openBilling } from "#server/billing/billing.ts";
import type { Database } from "#server/db/index.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";

/** Billing over a database, with its spool in this folder. */
export const openTestBilling = (database: Database, spoolDirectory: string, log = silentLog) =>
  openBilling(database, { spoolDirectory, sync: "process" }, log, createMetrics());

/** The same database, in which every batch fails as with a lost connection while `state.off` is set. */
export function switchableDatabase(database: Database) {
  const state = { off: false };
  const switchable: Database = {
    ...database,
    batch: (work) => (state.off ? Promise.reject(new Error("connection refused")) : database.batch(work)),
  };
  return { state, switchable };
}
