import { once } from "node:events";
import type { Server } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Services } from "#server/api/services.ts";
import { askForReset, resetSender } from "#server/auth/password-reset.ts";
import { isSecure, openSignIn } from "#server/auth/sign-in.ts";
import { createConsole } from "#server/http/console.ts";
import { createConsoleHandlers } from "#server/http/console-handlers.ts";
import { listenOn } from "#server/http/port.ts";
import { createHttpServer } from "#server/http/server.ts";
import { fetchesRates, startWorker } from "#server/jobs/worker.ts";
import { limits } from "#server/platform/limits.ts";
import { isFurtherWorker } from "#server/platform/workers.ts";
import type { Opening } from "./opening.ts";
import type { Prepared } from "./prepare.ts";

/** Without its address a proxy in front stands for everybody behind it. */
function warnOfProxy({ config, log }: Opening): void {
  if (!isSecure(config) || config.TRUSTED_PROXIES.length > 0 || isFurtherWorker()) return;
  log.warn(
    { event: "sign_in" },
    "PUBLIC_URL is https, so a proxy stands in front, and TRUSTED_PROXIES does not name it: limits by address are those of the proxy",
  );
}

/** Begins to work on jobs, and puts in those that each start needs. */
async function openJobs(
  { config, shutdown }: Opening,
  services: Services,
  { mailer }: Prepared,
  sendReset: ReturnType<typeof resetSender>,
): Promise<void> {
  const { queue, sealer } = services;
  await startWorker(queue, { services, mailer, sendReset });
  if (sealer.keyIds.length > 1) await queue.enqueue(null, "change-sealing-key", {}, { key: "now" });
  if (fetchesRates(config)) await queue.enqueue(null, "exchange-rate", {}, { key: "now" });
  // Jobs under way end while what they use is still open.
  shutdown.add("jobs", () => queue.close());
}

export interface Http {
  readonly server: Server;
  readonly origin: string;
}

/** Opens sign-in, jobs and console, and begins to listen. */
export async function openHttp(opening: Opening, services: Services, prepared: Prepared): Promise<Http> {
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
  const origin = await listenOn(server, config);
  // After a drain nothing is left to close.
  shutdown.add("server", () => (server.listening ? endAll(server) : undefined));
  return { server, origin };
}

async function endAll(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Takes nothing new and lets what is under way end. */
export async function drain(server: Server, graceful: boolean): Promise<void> {
  // Balancers see /health/ready fail and send nothing new before connections close.
  if (graceful) await wait(limits.shutdown.readinessGraceMs);
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const patience = setTimeout(() => server.closeAllConnections(), limits.shutdown.drainTimeoutMs);
  await closed;
  clearTimeout(patience);
}
