import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "#server/auth/caller.ts";
import type { Billing } from "#server/billing/index.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Database } from "#server/db/client.ts";
import type { InferenceParts } from "#server/inference/index.ts";
import type { Config } from "#server/platform/env.ts";
import type { FailureWindow } from "#server/platform/failure-window.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";

/** The opened areas a procedure may use; main.ts opens them, procedures only call them. */
export interface Services {
  readonly version: string;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly billing: Billing;
  readonly inference: InferenceParts;
  /** Milliseconds since keys and settings were last known to be current. */
  readonly snapshotAgeMs: () => number;
  /** Makes this process see its own changes of keys and rules at once; others see them within a second. */
  readonly refreshSnapshot: () => Promise<void>;
  /** Who a request's API key belongs to; null without one. Throws UNAUTHORIZED for a key that does not count. */
  readonly recognise: (headers: IncomingHttpHeaders) => Caller | null;
  /** Failed exchanges of codes, by address. */
  readonly exchangeFailures: FailureWindow;
  /** True once the process has been asked to stop. */
  readonly draining: () => boolean;
}
