import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "#server/access/caller.ts";
import type { Notifications } from "#server/accounts/index.ts";
import type { RefusedRequests } from "#server/activity/index.ts";
import type { Alerts } from "#server/alerts/index.ts";
import type { AuditExport } from "#server/audit/export/export-audit.ts";
import type { KnownDevices } from "#server/auth/known-device.ts";
import type { RateLimits } from "#server/auth/rate-limits.ts";
import type { Billing } from "#server/billing/index.ts";
import type { CatalogueFiles, Catalogues } from "#server/catalog/index.ts";
import type { Database, ReadReports } from "#server/db/index.ts";
import type { Destinations } from "#server/destinations/index.ts";
import type { InferenceDeps, ResponseDeps } from "#server/inference/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import type { ByteBudget } from "#server/platform/byte-budget.ts";
import type { Config } from "#server/platform/env.ts";
import type { FailureWindow } from "#server/platform/failure-window.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { PeerAddress } from "#server/platform/peer-address.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import type { PresetIndex } from "#server/presets/index.ts";
import type {
  CosignDeps,
  PublishDeps,
  ReceiptDeps,
  Sequencer,
  StampDeps,
} from "#server/transparency/index.ts";
import type { Idempotency } from "./idempotency.ts";

/** The opened areas that procedures may use. */
export interface Services {
  readonly version: string;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly database: Database;
  /** Reads that need not see the latest changes: from a replica, if there is one. */
  readonly reports: ReadReports;
  readonly sealer: Sealer;
  /** The current catalogues: `catalogueFor` gives that of a caller. */
  readonly catalogues: Catalogues;
  /** The files that catalogue updates replace, and the connections to read them. */
  readonly catalogueUpdates: { readonly files: CatalogueFiles; readonly outbound: Outbound };
  readonly billing: Billing;
  /** The current presets. */
  readonly presets: () => PresetIndex;
  readonly inference: InferenceDeps;
  readonly responses: ResponseDeps;
  readonly queue: Queue;
  readonly destinations: Destinations;
  readonly alerts: Alerts;
  readonly transparency: ReceiptDeps &
    Omit<CosignDeps & StampDeps & PublishDeps, "log"> & { readonly sequencer: Sequencer };
  /** Where audit logs are sent. */
  readonly auditExport: AuditExport;
  /** Makes the keyed hashes of data subjects. */
  readonly subjectSeal: RowSeal;
  /** Milliseconds since keys and settings were last known to be current. */
  readonly snapshotAgeMs: () => number;
  /**
   * Makes this process see its own changes of keys and rules immediately; others see them within a second. Never
   * throws, because the change is committed. Resolves to false if it could not be seen yet.
   */
  readonly refreshSnapshot: () => Promise<boolean>;
  /** The caller of a request's API key; null without a key. Throws UNAUTHORIZED for an invalid key. */
  readonly authenticate: (headers: IncomingHttpHeaders) => Caller | null;
  /** The caller of a key's id; null for an invalid key. Throws if settings are stale. */
  readonly callerOfKey: (id: string) => Caller | null;
  /** Sends links that contain a secret. */
  readonly notifications: Notifications;
  /** Answers retries with the answer of the first request. */
  readonly idempotency: Idempotency;
  /** Requests that were refused before a provider was asked. */
  readonly refusedRequests: RefusedRequests;
  /** The request limits. */
  readonly rates: RateLimits;
  /** Browsers that people have signed in with before. */
  readonly devices: KnownDevices;
  /** Bytes of bodies being read or served at the same time: by organisation, and by address without a credential. */
  readonly bodies: { readonly known: ByteBudget; readonly strangers: ByteBudget };
  /** The client's address: that of its socket, or what a trusted proxy reports. */
  readonly peerAddress: PeerAddress;
  /** Failed exchanges of codes, by address. */
  readonly exchangeFailures: FailureWindow;
  /** True once the process was asked to stop. */
  readonly draining: () => boolean;
}
