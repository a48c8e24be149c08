import type { Database } from "#server/db/client.ts";
import type { Config } from "#server/platform/env.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";

/** The opened areas a procedure may use; main.ts opens them, procedures only call them. */
export interface Services {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly database: Database;
}
