import type { Config } from "#server/platform/env.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Shutdown } from "#server/platform/shutdown.ts";

/** What every part of the process is opened with. */
export interface Opening {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Everything is closed in the opposite order of opening. */
  readonly shutdown: Shutdown;
  /** Prints on the terminal what only the operator may read. */
  readonly say: (text: string) => void;
}
