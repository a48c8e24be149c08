import type { Notifications } from "#server/accounts/index.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import type { Log } from "#server/platform/log.ts";
import type { Mailer } from "#server/platform/mailer.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Sealer } from "#server/platform/sealing.ts";

/** What alerts need of the process. */
export interface AlertDeps {
  readonly database: Database;
  readonly queue: Queue;
  readonly sealer: Sealer;
  readonly log: Log;
  /** The connections to destinations, with their guard. */
  readonly outbound: Outbound;
  /** Mails that are queued with the change that they are about. */
  readonly notifications: Pick<Notifications, "confirmAlerts" | "post">;
  /** Null if no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly catalogue: (orgId: string | null) => Catalogue;
  /** Where the console is, for links in notifications; null if PUBLIC_URL is not set. */
  readonly publicUrl: string | null;
}
