import type { Config } from "#server/platform/env.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Shutdown } from "#server/platform/shutdown.ts";

/** What every part of the process is opened with. */
export interface Opening {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  /** What is opened is closed in the opposite order. */
  readonly shutdown: Shutdown;
  /** Shows a person at the terminal what is for nobody else. */
  readonly say: (text: string) => void;
}
