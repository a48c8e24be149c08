import { once } from "node:events";
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createLetters } from "#server/accounts/index.ts";
import { RefusedRequests } from "#server/activity/index.ts";
import { Idempotency } from "#server/api/idempotency.ts";
import type { Services } from "#server/api/services.ts";
import { openOidc } from "#server/auth/oidc-provider.ts";
import { askForReset, resetSender } from "#server/auth/password-reset.ts";
import { RateLimiter } from "#server/auth/rate-limiter.ts";
import { RateLimits } from "#server/auth/rate-limits.ts";
import { openSignIn } from "#server/auth/sign-in.ts";
import { openBilling } from "#server/billing/index.ts";
import {
  type Books,
  type Catalogue,
  livingCatalogue,
  loadBooks,
  loadCatalogue,
} from "#server/catalog/index.ts";
import { type CredentialVault, loadCredentialVault } from "#server/credentials/index.ts";
import { type Database, migrate, openDatabase, openSnapshot, standingOf } from "#server/db/index.ts";
import { loadDestinationIndex, openDestinations } from "#server/destinations/index.ts";
import { createConsole } from "#server/http/console.ts";
import { createConsoleLanes } from "#server/http/console-lanes.ts";
import { listenOn } from "#server/http/port.ts";
import { createHttpServer } from "#server/http/server.ts";
import {
  createUpstreams,
  type InferenceParts,
  providerKinds,
  ResponseOutbox,
  type ResponseParts,
} from "#server/inference/index.ts";
import { openQueue } from "#server/jobs/queue.ts";
import { fetchesRates, startWorker } from "#server/jobs/worker.ts";
import { actingFor, callerOfKey, loadKeyDirectory, presentedKey, recogniseKey } from "#server/keys/index.ts";
import { clock, dayMs } from "#server/platform/clock.ts";
import type { Config } from "#server/platform/env.ts";
import { FailureWindow } from "#server/platform/failure-window.ts";
import { systemRandom } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { openMailer } from "#server/platform/mailer.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { addressRange, createPeerAddress } from "#server/platform/peer-address.ts";
import { createSealer, type Sealer } from "#server/platform/sealing.ts";
import type { Shutdown } from "#server/platform/shutdown.ts";
import { version } from "#server/platform/version.ts";
import {
  createRouter,
  createSessions,
  createStatistics,
  loadRuleIndex,
  type RuleIndex,
} from "#server/policy/index.ts";
import { startSandbox } from "#server/sandbox/index.ts";
import { demandSealingKeys } from "#server/secrets/index.ts";
import { beginConnecting } from "./connect.ts";
import { firstStart, welcome } from "./first-start.ts";
import { isFurtherWorker } from "./supervise.ts";

export interface Running {
  readonly origin: string;
  readonly services: Services;
  /** Drains and closes everything. Resolves true when nothing went wrong. */
  stop(options?: { graceful?: boolean }): Promise<boolean>;
}

async function openInference(
  config: Config,
  parts: Pick<InferenceParts, "billing" | "broadcast" | "log" | "metrics"> & {
    rules: () => RuleIndex;
    books: () => Books;
    own: () => CredentialVault;
  },
  shutdown: Shutdown,
): Promise<{ inference: InferenceParts; listedCatalogue: Catalogue }> {
  const { billing, broadcast, log, metrics, rules, books, own } = parts;
  const sandbox = config.SANDBOX ? await startSandbox() : null;
  if (sandbox) shutdown.add("sandbox", () => sandbox.close());
  const listedCatalogue = loadCatalogue({
    kinds: new Set(providerKinds.keys()),
    overlayFile: config.CATALOG_FILE,
    sandboxOrigin: sandbox?.origin,
    exchangeRateOverride: config.EUR_USD_RATE,
  });
  const sandboxHosts = sandbox ? [new URL(sandbox.origin).hostname] : [];
  const outbound = new Outbound(allowedHosts([...config.ALLOW_PRIVATE_HOSTS, ...sandboxHosts]));
  shutdown.add("outbound connections", () => outbound.close());
  const fromEnvironment = new Set(config.providerCredentials.keys());
  const installation = {
    has: (slug: string) => fromEnvironment.has(slug) || own().shared(slug) !== undefined,
  };
  const statistics = createStatistics(clock.monotonicMs);
  const catalogue = livingCatalogue(listedCatalogue, books, config.EUR_USD_RATE !== undefined);
  const routerOver = (over: Catalogue) =>
    createRouter({
      catalogue: over,
      // Those in the database change while the process runs: the router asks for them each time, below.
      credentials: fromEnvironment,
      ownProviders: ({ orgId, keyId }, model) => own().providersOf({ orgId, keyId, model }),
      defaultResidency: config.DEFAULT_DATA_RESIDENCY ?? null,
      adequacyOff: new Set(config.ADEQUACY_OFF),
      rules,
      signals: statistics.signals,
      random: systemRandom,
    });
  let routed = { catalogue: listedCatalogue, router: routerOver(listedCatalogue) };
  const inference: InferenceParts = {
    statistics,
    sessions: createSessions(clock.monotonicMs),
    billing,
    broadcast,
    catalogue,
    router() {
      const now = catalogue();
      if (now !== routed.catalogue) routed = { catalogue: now, router: routerOver(now) };
      return routed.router;
    },
    outbound,
    log,
    metrics,
    upstreams: createUpstreams(config.providerCredentials),
    credentials: { own, installation },
  };
  return { inference, listedCatalogue };
}

async function openConfiguration(
  config: Config,
  database: Database,
  sealer: Sealer,
  log: Log,
  shutdown: Shutdown,
) {
  const snapshot = await openSnapshot(
    database,
    async (prisma) => ({
      keys: await loadKeyDirectory(prisma, config.RATE_LIMIT_KEY),
      rules: await loadRuleIndex(prisma),
      destinations: await loadDestinationIndex(prisma),
      books: await loadBooks(prisma),
      own: await loadCredentialVault(prisma, sealer, log),
    }),
    log,
  );
  shutdown.add("snapshot", () => snapshot.close());
  const standing = () => standingOf(snapshot.ageMs(), config.STALE_MAX);
  const recognise: Services["recognise"] = (headers) => {
    const apiKey = headers["x-api-key"];
    const key = presentedKey(headers.authorization, typeof apiKey === "string" ? apiKey : undefined);
    if (key === null) return null;
    const check = { prefix: config.KEY_PREFIX, directory: snapshot.value().keys, standing: standing() };
    return actingFor(recogniseKey(key, check), headers["x-org-id"]);
  };
  const callerOfId: Services["callerOfKey"] = (id) => callerOfKey(snapshot.value().keys, id, clock.nowMs());
  return { snapshot, recognise, callerOfKey: callerOfId };
}

/** Destinations reach the world by a way of their own: what providers may reach is none of their business. */
function outboundToDestinations(config: Config, shutdown: Shutdown): Outbound {
  const outbound = new Outbound(allowedHosts(config.ALLOW_PRIVATE_DESTINATIONS), {
    secureOnly: true,
    setting: "ALLOW_PRIVATE_DESTINATIONS",
  });
  shutdown.add("connections to destinations", () => outbound.close());
  return outbound;
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
export async function start(
  config: Config,
  log: Log,
  say: (text: string) => void,
  { connection: connecting, shutdown } = beginConnecting(config),
): Promise<Running> {
  try {
    const metrics = createMetrics();
    const connection = await connecting;
    const applied = await migrate(connection, log);
    if (applied.length > 0) log.info({ event: "migrate", count: applied.length }, "Migrations were applied");
    const database = openDatabase(connection, metrics, log);
    shutdown.add("database", () => database.close());
    const queue = await openQueue(connection, log);
    shutdown.add("job queue", () => queue.close());
    const sealer = createSealer(config.encryptionKeys);
    await demandSealingKeys(database, sealer, config);
    const first = await firstStart(database, connection, config);
    if (first) shutdown.add("first start", first.release);
    const { snapshot, ...recognition } = await openConfiguration(config, database, sealer, log, shutdown);
    const destinations = openDestinations(
      { database, queue, sealer, log, metrics, outbound: outboundToDestinations(config, shutdown) },
      () => snapshot.value().destinations,
      (keyId) => {
        const caller = recognition.callerOfKey(keyId);
        return caller?.kind === "key" ? caller.keyName : "";
      },
    );
    const { broadcast, outbox: traces } = destinations;
    const billing = await openBilling(
      database,
      {
        spoolDirectory: join(config.dataDir, "spool"),
        sync: config.SPOOL_SYNC,
        leaseTtlMs: config.CREDIT_LEASE_TTL * 1000,
        // The embedded database does not sync what it commits (ADR 13).
        keepBookedMs: config.DATABASE_URL ? 0 : limits.spool.keepBookedMs,
        outbox: traces,
      },
      log,
      metrics,
    );
    shutdown.add("billing", () => billing.close());
    await billing.warm(new Set([...snapshot.value().keys.values()].map(({ caller }) => caller.orgId)));
    const { inference, listedCatalogue } = await openInference(
      config,
      {
        billing,
        broadcast,
        log,
        metrics,
        rules: () => snapshot.value().rules,
        books: () => snapshot.value().books,
        own: () => snapshot.value().own,
      },
      shutdown,
    );
    // The embedded database serves one process: nobody else counts.
    const limiter = new RateLimiter({ database: config.DATABASE_URL ? database : null, log });
    shutdown.add("rate limiter", async () => limiter.close());
    const outbox = new ResponseOutbox(join(config.dataDir, "responses"), database, log);
    shutdown.add("responses", () => outbox.close());
    const refusedRequests = new RefusedRequests(database, log);
    shutdown.add("refused requests", () => refusedRequests.close());
    const responses: ResponseParts = {
      inference,
      database,
      queue,
      outbox,
      sealer,
      storeByDefault: config.RESPONSES_STORE_DEFAULT,
      retentionMs: config.RESPONSES_KEEP_DAYS * dayMs,
      callerOfKey: recognition.callerOfKey,
      refused: (caller, refused) => refusedRequests.note(caller, refused),
    };
    let draining = false;
    const letters = createLetters({ config, queue, sealer, say });
    const services: Services = {
      version,
      config,
      log,
      metrics,
      database,
      sealer,
      catalogue: inference.catalogue,
      listedCatalogue,
      billing,
      inference,
      responses,
      queue,
      destinations,
      snapshotAgeMs: snapshot.ageMs,
      // The embedded database answers one after the other: of its silence nothing can be told.
      databaseSilentMs: config.DATABASE_URL ? snapshot.silentMs : () => 0,
      refreshSnapshot: snapshot.refresh,
      ...recognition,
      letters,
      idempotency: new Idempotency(database, sealer, log),
      refusedRequests,
      rates: new RateLimits(limiter, config),
      peerAddress: createPeerAddress(config.TRUSTED_PROXIES.map(addressRange)),
      exchangeFailures: new FailureWindow(limits.authorization.failures),
      draining: () => draining,
    };
    const oidc = openOidc(config);
    if (oidc) shutdown.add("sign-in provider", () => oidc.close());
    const reset = (email: string) => askForReset({ queue, sealer }, email);
    const signIn = openSignIn({ config, database, log, oidc, askForReset: reset });
    const sendReset = resetSender(sealer, signIn, letters);
    await startWorker(queue, { services, mailer: openMailer(config), sendReset });
    if (sealer.keyIds.length > 1) await queue.enqueue(null, "change-sealing-key", {}, { key: "now" });
    if (fetchesRates(config)) await queue.enqueue(null, "exchange-rate", {}, { key: "now" });
    // Jobs under way end while what they use is still open.
    shutdown.add("jobs", () => queue.close());
    const pages = await createConsole(config, { dev: config.NODE_ENV === "development" });
    shutdown.add("console", () => pages.close());
    const server = createHttpServer(services, { ...createConsoleLanes(services, signIn), page: pages.page });
    server.on("upgrade", (req, socket, head) => pages.upgrade(req, socket, head));
    const origin = await listenOn(server, config);
    log.info(
      { event: "listening", host: config.HOST, port: Number(new URL(origin).port), version },
      "Portolan serves",
    );
    if (first || !isFurtherWorker()) say(welcome(config.PUBLIC_URL ?? origin, first));
    await first?.finish();
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
    await shutdown.close(log);
    throw error;
  }
}
