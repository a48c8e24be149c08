import { sendLetter } from "#server/accounts/index.ts";
import { forgetRefusedRequests } from "#server/activity/index.ts";
import { forgetExpiredSessions } from "#server/auth/expired-sessions.ts";
import { type Catalogue, refreshExchangeRate } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import type { Destinations } from "#server/destinations/index.ts";
import { forgetExpiredResponses, type ResponseParts, runBackground } from "#server/inference/index.ts";
import type { Config } from "#server/platform/env.ts";
import type { Log } from "#server/platform/log.ts";
import type { Mailer } from "#server/platform/mailer.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { changeSealingKey } from "#server/secrets/index.ts";
import type { JobHandler, JobHandlers, Queue } from "./queue.ts";

export interface WorkerParts {
  readonly database: Database;
  readonly destinations: Pick<Destinations, "jobs">;
  readonly sealer: Sealer;
  readonly mailer: Mailer | null;
  readonly sendReset: JobHandler<"password-reset">;
  readonly config: Config;
  readonly log: Log;
  readonly catalogue: Catalogue;
  readonly inference: { readonly outbound: Outbound };
  readonly responses: ResponseParts;
}

/** Whether the rate comes from the feed: not when it is fixed, or the feed is switched off. */
export const fetchesRates = (config: Config): boolean =>
  config.EUR_USD_RATE === undefined && config.EXCHANGE_RATES_URL !== "off";

/** What each kind of job does. Every handler may run twice for the same job: it must not matter. */
const handlersFor = (parts: WorkerParts): JobHandlers => ({
  "old-refusals": () => forgetRefusedRequests(parts.database),
  "expired-sessions": () => forgetExpiredSessions(parts.database),
  ...parts.destinations.jobs,
  "exchange-rate": async () => {
    const { database, log, config, inference, catalogue } = parts;
    if (!fetchesRates(config)) return;
    const { outbound } = inference;
    await refreshExchangeRate(
      { database, log, outbound, current: catalogue.exchangeRate },
      config.EXCHANGE_RATES_URL,
    );
  },
  "change-sealing-key": (_, run) => changeSealingKey(parts, run),
  mail: (job) => sendLetter(parts, job),
  "password-reset": parts.sendReset,
  "expired-responses": () => forgetExpiredResponses(parts.responses),
  "background-response": ({ id }, { signal }) => runBackground(parts.responses, id, signal),
});

/** Begins to work on the queue's jobs in this process. */
export const startWorker = (queue: Queue, parts: WorkerParts): Promise<void> =>
  queue.work(handlersFor(parts));
