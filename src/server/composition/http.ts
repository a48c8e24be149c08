import type { Server } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Services } from "#server/api/services.ts";
import { askForReset, resetSender } from "#server/auth/password-reset.ts";
import { isSecure, openSignIn } from "#server/auth/sign-in.ts";
import { repeatErasures } from "#server/evidence/index.ts";
import { createConsole } from "#server/http/console.ts";
import { createConsoleHandlers } from "#server/http/console-handlers.ts";
import { type OpenPort, openPort } from "#server/http/port.ts";
import { createHttpServer } from "#server/http/server.ts";
import { fetchesRates, startWorker } from "#server/jobs/worker.ts";
import { limits } from "#server/platform/limits.ts";
import { isFurtherWorker } from "#server/platform/workers.ts";
import type { Opening } from "./opening.ts";
import type { Prepared } from "./prepare.ts";

/** Unless the proxy in front is named here, all its clients count as one address. */
function warnOfProxy({ config, log }: Opening): void {
  if (!isSecure(config) || config.TRUSTED_PROXIES.length > 0 || isFurtherWorker()) return;
  log.warn(
    { event: "sign_in" },
    "PUBLIC_URL is https, so there is a proxy in front, but TRUSTED_PROXIES does not name it: limits by address apply to the proxy's address",
  );
}

/** Starts the job workers, and queues the jobs of every start. */
async function openJobs(
  { config, log, shutdown }: Opening,
  services: Services,
  { mailer }: Prepared,
  sendReset: ReturnType<typeof resetSender>,
): Promise<void> {
  const { database, queue, sealer } = services;
  await startWorker(queue, { services, mailer, sendReset });
  await repeatErasures({ database, queue, log, dataDir: config.dataDir });
  if (sealer.keyIds.length > 1) await queue.enqueue(null, "change-sealing-key", {}, { key: "now" });
  if (fetchesRates(config)) await queue.enqueue(null, "exchange-rate", {}, { key: "now" });
  // Running jobs end while what they use is still open.
  shutdown.add("jobs", () => queue.close());
}

export interface Http {
  readonly server: Server;
  readonly port: OpenPort;
}

/** Opens sign-in, jobs and console, calls `loaded`, and begins to listen. */
export async function openHttp(
  opening: Opening,
  services: Services,
  prepared: Prepared,
  loaded: () => void,
): Promise<Http> {
  const { config, log, shutdown } = opening;
  const { database, devices, queue, sealer, notifications } = services;
  warnOfProxy(opening);
  const reset = (email: string) => askForReset({ queue, sealer }, email);
  const signIn = openSignIn({ config, database, log, devices, oidc: prepared.oidc, askForReset: reset });
  await openJobs(opening, services, prepared, resetSender(sealer, signIn, notifications));
  const pages = await createConsole(services, { dev: config.NODE_ENV === "development" });
  shutdown.add("console", () => pages.close());
  const { page, upgrade } = pages;
  const server = createHttpServer(services, { ...createConsoleHandlers(services, signIn), page, upgrade });
  loaded();
  const http: Http = { server, port: await openPort(server, config) };
  shutdown.add("server", () => endAll(http));
  return http;
}

/** After a drain there is nothing left to end. */
async function endAll({ server, port }: Http): Promise<void> {
  const closed = port.close();
  server.closeAllConnections();
  await closed;
}

/** Accepts nothing new and finishes running requests. */
export async function drain({ server, port }: Http, graceful: boolean): Promise<void> {
  // Load balancers see /health/ready fail and stop sending requests before connections close.
  if (graceful) await wait(limits.shutdown.readinessGraceMs);
  const closed = port.close();
  server.closeIdleConnections();
  const patience = setTimeout(() => server.closeAllConnections(), limits.shutdown.drainTimeoutMs);
  await closed;
  clearTimeout(patience);
}
