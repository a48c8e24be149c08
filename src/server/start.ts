import type { Services } from "#server/api/services.ts";
import type { Config } from "#server/platform/env.ts";
import type { Log } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { Shutdown } from "#server/platform/shutdown.ts";
import { isFurtherWorker } from "#server/platform/workers.ts";
import { openAccounts } from "./composition/accounts.ts";
import { type Connecting, connect } from "./composition/connect.ts";
import { welcome } from "./composition/first-start.ts";
import { drain, openHttp } from "./composition/http.ts";
import { openCatalogues, openInference, openResponses } from "./composition/inference.ts";
import { openMoney } from "./composition/money.ts";
import type { Opening } from "./composition/opening.ts";
import { prepare } from "./composition/prepare.ts";
import { createServices } from "./composition/services.ts";
import { openStorage } from "./composition/storage.ts";

export interface Running {
  readonly origin: string;
  readonly services: Services;
  /** Drains and closes everything. Resolves true when nothing went wrong. */
  stop(options?: { graceful?: boolean }): Promise<boolean>;
}

interface StartOptions {
  /** An embedded database that was begun to be opened while this program was loaded. */
  readonly connecting?: Connecting | undefined;
  /** Ends the start between two steps. */
  readonly signal?: AbortSignal;
  /** Called when everything is loaded, just before the first request can come. */
  readonly loaded?: () => void;
}

/**
 * Checks settings and files, then opens everything in order and begins to listen. `say` gets what a person at the
 * terminal should read. Throws `SettingsError` or `MigrationError` when it must not start, and the signal's reason
 * when it was asked to end; whatever was opened is closed then.
 */
export async function start(
  config: Config,
  log: Log,
  say: (text: string) => void,
  { connecting, signal, loaded = () => {} }: StartOptions = {},
): Promise<Running> {
  const shutdown = connecting?.shutdown ?? new Shutdown();
  const opening: Opening = { config, log, metrics: createMetrics(config.METRICS_TAGS), shutdown, say };
  const goOn = () => signal?.throwIfAborted();
  let draining = false;
  try {
    // Nothing is made, migrated or shown before all that can be checked without a database was checked.
    const prepared = await prepare(config, shutdown);
    goOn();
    const connection = await (connecting?.connection ?? connect(config, shutdown));
    const storage = await openStorage(opening, connection, signal);
    goOn();
    const accounts = await openAccounts(opening, storage, prepared);
    goOn();
    const money = await openMoney(opening, storage, prepared, accounts);
    const catalogues = openCatalogues(opening, accounts);
    const inference = openInference(opening, prepared, accounts, money, catalogues);
    const responses = openResponses(opening, storage, prepared, accounts, inference);
    const opened = { prepared, storage, accounts, money, catalogues, inference, responses };
    const services = createServices(opening, opened, () => draining);
    goOn();
    const http = await openHttp(opening, services, prepared, loaded);
    const { origin } = http.port;
    const port = Number(new URL(origin).port);
    log.info({ event: "listening", host: config.HOST, port, version: services.version }, "Portolan serves");
    const { first } = accounts;
    if (first || !isFurtherWorker()) say(welcome(config.PUBLIC_URL ?? origin, first));
    await first?.finish();
    return {
      origin,
      services,
      async stop({ graceful = false } = {}) {
        draining = true;
        await drain(http, graceful);
        return shutdown.close(log);
      },
    };
  } catch (error) {
    // What is on its way has to arrive before it can be closed.
    await connecting?.connection.catch(() => {});
    await shutdown.close(log);
    throw error;
  }
}
