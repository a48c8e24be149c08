import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Services } from "#server/api/services.ts";
import { openSignIn } from "#server/auth/sign-in.ts";
import { openBilling } from "#server/billing/index.ts";
import { loadCatalogue } from "#server/catalog/index.ts";
import { type Database, migrate, openDatabase, openSnapshot } from "#server/db/index.ts";
import { createConsole } from "#server/http/console.ts";
import { createConsoleLanes } from "#server/http/console-lanes.ts";
import { createHttpServer } from "#server/http/server.ts";
import { createTargets, type InferenceParts } from "#server/inference/index.ts";
import { actingFor, loadKeyDirectory, presentedKey, recogniseKey } from "#server/keys/index.ts";
import { clock } from "#server/platform/clock.ts";
import type { Config } from "#server/platform/env.ts";
import { FailureWindow } from "#server/platform/failure-window.ts";
import { systemRandom } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { Shutdown } from "#server/platform/shutdown.ts";
import { version } from "#server/platform/version.ts";
import {
  createRouter,
  createSessions,
  createStatistics,
  loadRuleIndex,
  type RuleIndex,
} from "#server/policy/index.ts";
import { startSandbox } from "#server/sandbox/index.ts";
import { connect } from "./connect.ts";
import { type FirstStart, firstStart, welcome } from "./first-start.ts";

export interface Running {
  readonly origin: string;
  readonly services: Services;
  /** Drains and closes everything. Resolves true when nothing went wrong. */
  stop(options?: { graceful?: boolean }): Promise<boolean>;
}

async function openInference(
  config: Config,
  parts: Pick<InferenceParts, "billing" | "log" | "metrics"> & { rules: () => RuleIndex },
  shutdown: Shutdown,
): Promise<InferenceParts> {
  const { billing, log, metrics, rules } = parts;
  const sandbox = config.SANDBOX ? await startSandbox() : null;
  if (sandbox) shutdown.add("sandbox", () => sandbox.close());
  const catalogue = loadCatalogue({
    overlayFile: config.CATALOG_FILE,
    sandboxOrigin: sandbox?.origin,
    exchangeRateOverride: config.EUR_USD_RATE,
  });
  const sandboxHosts = sandbox ? [new URL(sandbox.origin).hostname] : [];
  const outbound = new Outbound(allowedHosts([...config.ALLOW_PRIVATE_HOSTS, ...sandboxHosts]));
  shutdown.add("outbound connections", () => outbound.close());
  const statistics = createStatistics(clock.monotonicMs);
  return {
    statistics,
    sessions: createSessions(clock.monotonicMs),
    billing,
    catalogue,
    outbound,
    log,
    metrics,
    router: createRouter({
      catalogue,
      credentials: new Set(config.providerCredentials.keys()),
      defaultResidency: config.DEFAULT_DATA_RESIDENCY ?? null,
      adequacyOff: new Set(config.ADEQUACY_OFF),
      rules,
      signals: statistics.signals,
      random: systemRandom,
    }),
    targets: createTargets(config.providerCredentials),
  };
}

async function openConfiguration(config: Config, database: Database, log: Log, shutdown: Shutdown) {
  const snapshot = await openSnapshot(
    database,
    async (prisma) => ({ keys: await loadKeyDirectory(prisma), rules: await loadRuleIndex(prisma) }),
    log,
  );
  shutdown.add("snapshot", () => snapshot.close());
  const fresh = () => snapshot.ageMs() <= config.STALE_MAX * 1000;
  const recognise: Services["recognise"] = (headers) => {
    const apiKey = headers["x-api-key"];
    const key = presentedKey(headers.authorization, typeof apiKey === "string" ? apiKey : undefined);
    if (key === null) return null;
    const check = { prefix: config.KEY_PREFIX, directory: snapshot.value.keys, fresh: fresh() };
    return actingFor(recogniseKey(key, check), headers["x-org-id"]);
  };
  return { snapshot, recognise };
}

async function listen(server: Server, { HOST, PORT }: Config): Promise<string> {
  server.listen(PORT, HOST);
  await Promise.race([
    once(server, "listening"),
    once(server, "error").then(([error]) => Promise.reject(error)),
  ]);
  const { port } = server.address() as AddressInfo;
  return `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`;
}

async function drain(server: Server, graceful: boolean): Promise<void> {
  // Balancers see /health/ready fail and send nothing new before connections close.
  if (graceful) await wait(limits.shutdown.readinessGraceMs);
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const patience = setTimeout(() => server.closeAllConnections(), limits.shutdown.drainTimeoutMs);
  await closed;
  clearTimeout(patience);
}

/**
 * Opens everything in order and begins to listen. `say` gets what a person at the terminal should read.
 * Throws `SettingsError` or `MigrationError` when it must not start; whatever was opened is closed then.
 */
export async function start(config: Config, log: Log, say: (text: string) => void): Promise<Running> {
  const shutdown = new Shutdown();
  let first: FirstStart | null = null;
  try {
    const metrics = createMetrics();
    const connection = await connect(config, shutdown);
    const applied = await migrate(connection);
    if (applied.length > 0) log.info({ event: "migrate", count: applied.length }, "Migrations were applied");
    const database = openDatabase(connection, metrics, log);
    shutdown.add("database", () => database.close());
    first = await firstStart(database, config);
    const { snapshot, recognise } = await openConfiguration(config, database, log, shutdown);
    const billing = await openBilling(
      database,
      { spoolDirectory: join(config.dataDir, "spool"), sync: config.SPOOL_SYNC },
      log,
      metrics,
    );
    shutdown.add("billing", () => billing.close());
    await billing.warm(new Set([...snapshot.value.keys.values()].map(({ caller }) => caller.orgId)));
    const inference = await openInference(
      config,
      { billing, log, metrics, rules: () => snapshot.value.rules },
      shutdown,
    );
    let draining = false;
    const services: Services = {
      version,
      config,
      log,
      metrics,
      database,
      catalogue: inference.catalogue,
      billing,
      inference,
      snapshotAgeMs: snapshot.ageMs,
      refreshSnapshot: snapshot.refresh,
      recognise,
      exchangeFailures: new FailureWindow(limits.authorization.failures),
      draining: () => draining,
    };
    const signIn = openSignIn(config, database, log);
    const pages = await createConsole(config, { dev: config.NODE_ENV === "development" });
    shutdown.add("console", () => pages.close());
    const server = createHttpServer(services, { ...createConsoleLanes(services, signIn), page: pages.page });
    server.on("upgrade", (req, socket, head) => pages.upgrade(req, socket, head));
    const origin = await listen(server, config);
    log.info(
      { event: "listening", host: config.HOST, port: Number(new URL(origin).port), version },
      "Portolan serves",
    );
    say(welcome(config.PUBLIC_URL ?? origin, first));
    return {
      origin,
      services,
      async stop({ graceful = false } = {}) {
        draining = true;
        await drain(server, graceful);
        return shutdown.close(log);
      },
    };
  } catch (error) {
    // The key is shown only once: not even a failed start may swallow it.
    if (first) say(welcome(config.PUBLIC_URL ?? "http://(not serving)", first));
    await shutdown.close(log);
    throw error;
  }
}
