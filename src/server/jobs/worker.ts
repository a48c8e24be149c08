import { purgeOrganisation, sendMail } from "#server/accounts/index.ts";
import { completeSums, purgeRefusedRequests } from "#server/activity/index.ts";
import type { Alerts } from "#server/alerts/index.ts";
import { type AuditExport, exportAudit } from "#server/audit/export/export-audit.ts";
import { purgeExpiredSessions } from "#server/auth/expired-sessions.ts";
import { deleteOldRequests } from "#server/billing/index.ts";
import { type Catalogues, refreshExchangeRate } from "#server/catalog/index.ts";
import { addMonths, type Database } from "#server/db/index.ts";
import type { Destinations } from "#server/destinations/index.ts";
import { buildPackage, eraseSubject, purgeExpiredPackages } from "#server/evidence/index.ts";
import {
  purgeExpiredCompletions,
  purgeExpiredConversations,
  purgeExpiredResponses,
  type ResponseDeps,
  runBackground,
} from "#server/inference/index.ts";
import { purgeOldCodes } from "#server/keys/index.ts";
import { dayMs } from "#server/platform/clock.ts";
import type { Config } from "#server/platform/env.ts";
import type { Log } from "#server/platform/log.ts";
import type { Mailer } from "#server/platform/mailer.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { changeSealingKey } from "#server/secrets/index.ts";
import {
  type CosignDeps,
  cosignCheckpoints,
  type LogDeps,
  type PublishDeps,
  publishCheckpoints,
  type Sequencer,
  type StampDeps,
  stampCheckpoints,
} from "#server/transparency/index.ts";
import type { JobHandler, JobHandlers } from "./queue/job-table.ts";
import type { Queue } from "./queue.ts";

/** What jobs need of the opened areas. */
interface WorkerServices {
  readonly database: Database;
  readonly destinations: Pick<Destinations, "jobs">;
  readonly alerts: Pick<Alerts, "jobs">;
  readonly sealer: Sealer;
  readonly subjectSeal: RowSeal;
  readonly queue: Queue;
  readonly config: Config;
  readonly log: Log;
  readonly catalogues: Pick<Catalogues, "of">;
  readonly inference: { readonly outbound: Outbound };
  readonly responses: ResponseDeps;
  readonly auditExport: AuditExport;
  readonly transparency: Omit<CosignDeps & PublishDeps & StampDeps & LogDeps, "log"> & {
    readonly sequencer: Pick<Sequencer, "run">;
  };
}

export interface WorkerDeps {
  readonly services: WorkerServices;
  readonly mailer: Mailer | null;
  readonly sendReset: JobHandler<"password-reset">;
}

/** Whether the rate comes from the feed: not when it is fixed, or the feed is switched off. */
export const fetchesRates = (config: Config): boolean =>
  config.EUR_USD_RATE === undefined && config.EXCHANGE_RATES_URL !== "off";

/** What each kind of job does. Every handler may run twice for the same job: it must not matter. */
const handlersFor = ({ services, mailer, sendReset }: WorkerDeps): JobHandlers => ({
  "old-refusals": () => purgeRefusedRequests(services.database),
  "request-months": async (_, { signal }) => {
    const { database, config } = services;
    await database.batch(addMonths);
    const days = config.REQUEST_RETENTION_DAYS;
    // What is not summed yet can only be summed from the requests.
    if (days !== undefined && (await completeSums(database, signal)))
      await deleteOldRequests(database, days * dayMs, signal);
  },
  "usage-sums": async (_, { signal }) => {
    await completeSums(services.database, signal);
  },
  "expired-sessions": async () => {
    await purgeExpiredSessions(services.database);
    await purgeOldCodes(services.database.prisma);
  },
  "cosign-checkpoints": (_, { signal }) =>
    cosignCheckpoints({ ...services.transparency, log: services.log }, signal),
  "publish-checkpoints": (_, { signal }) =>
    publishCheckpoints({ ...services.transparency, log: services.log }, signal),
  "stamp-checkpoints": (_, { signal }) =>
    stampCheckpoints({ ...services.transparency, log: services.log }, signal),
  "export-audit": (_, { signal }) => exportAudit(services, signal),
  ...services.destinations.jobs,
  ...services.alerts.jobs,
  "exchange-rate": async () => {
    const { database, log, config, inference, catalogues } = services;
    if (!fetchesRates(config)) return;
    const { outbound } = inference;
    await refreshExchangeRate(
      { database, log, outbound, current: catalogues.of(null).exchangeRate },
      config.EXCHANGE_RATES_URL,
    );
  },
  "change-sealing-key": async (_, run) => {
    // The last step lets the operator remove the previous key, which the logs' checkpoints may need until then.
    await services.transparency.sequencer.run();
    await changeSealingKey(services, run);
  },
  mail: (job) => sendMail({ mailer, sealer: services.sealer, log: services.log }, job),
  "password-reset": sendReset,
  "expired-responses": async () => {
    await purgeExpiredResponses(services.responses);
    await purgeExpiredConversations(services.responses);
    await purgeExpiredCompletions(services.responses);
  },
  "forget-organisation": ({ id }) => purgeOrganisation(services.database, id),
  "erase-data-subject": (job, { signal }) => eraseSubject(services, job, signal),
  "build-evidence-package": (job, { signal }) => {
    const { database, config, transparency: log } = services;
    return buildPackage({ database, log, adequacyOff: new Set(config.EU_ADEQUACY_EXCLUDE) }, job, signal);
  },
  "expired-packages": () => purgeExpiredPackages(services.database),
  "background-response": ({ id }, { signal }) => runBackground(services.responses, id, signal),
});

/** Begins to work on the queue's jobs in this process. */
export const startWorker = (queue: Queue, deps: WorkerDeps): Promise<void> => queue.work(handlersFor(deps));
