import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "#server/access/caller.ts";
import type { Notifications } from "#server/accounts/index.ts";
import type { RefusedRequests } from "#server/activity/index.ts";
import type { KnownDevices } from "#server/auth/known-device.ts";
import type { RateLimits } from "#server/auth/rate-limits.ts";
import type { Billing } from "#server/billing/index.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Database } from "#server/db/client.ts";
import type { Destinations } from "#server/destinations/index.ts";
import type { InferenceDeps, ResponseDeps } from "#server/inference/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import type { ByteBudget } from "#server/platform/byte-budget.ts";
import type { Config } from "#server/platform/env.ts";
import type { FailureWindow } from "#server/platform/failure-window.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { PeerAddress } from "#server/platform/peer-address.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import type { Idempotency } from "./idempotency.ts";

/** The opened areas a procedure may use; main.ts opens them, procedures only call them. */
export interface Services {
  readonly version: string;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly sealer: Sealer;
  /** As it stands now: another object when a price or the exchange rate has changed. */
  readonly catalogue: () => Catalogue;
  /** As its files have it, without the price book. */
  readonly listedCatalogue: Catalogue;
  readonly billing: Billing;
  readonly inference: InferenceDeps;
  readonly responses: ResponseDeps;
  readonly queue: Queue;
  readonly destinations: Destinations;
  /** Milliseconds since keys and settings were last known to be current. */
  readonly snapshotAgeMs: () => number;
  /**
   * Makes this process see its own changes of keys and rules at once; others see them within a second. Never throws:
   * what was changed is changed. Resolves false when it could not be seen yet.
   */
  readonly refreshSnapshot: () => Promise<boolean>;
  /** Who a request's API key belongs to; null without one. Throws UNAUTHORIZED for a key that does not count. */
  readonly authenticate: (headers: IncomingHttpHeaders) => Caller | null;
  /** The caller a key's id stands for; null for a key that does not count. Throws when settings are stale. */
  readonly callerOfKey: (id: string) => Caller | null;
  /** Links that are for one person's eyes. */
  readonly notifications: Notifications;
  /** Answers retries as the first request was answered. */
  readonly idempotency: Idempotency;
  /** Requests that were refused before a provider was asked. */
  readonly refusedRequests: RefusedRequests;
  /** How many requests who may make. */
  readonly rates: RateLimits;
  /** Browsers that somebody has signed in with before. */
  readonly devices: KnownDevices;
  /** Bytes of bodies that are read or served at the same time: by organisation, and by address without a credential. */
  readonly bodies: { readonly known: ByteBudget; readonly strangers: ByteBudget };
  /** Where a request comes from: its socket's address, or what a trusted proxy says. */
  readonly peerAddress: PeerAddress;
  /** Failed exchanges of codes, by address. */
  readonly exchangeFailures: FailureWindow;
  /** True once the process has been asked to stop. */
  readonly draining: () => boolean;
}
