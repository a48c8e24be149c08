import { join } from "node:path";
import { RefusedRequests } from "#server/activity/index.ts";
import { type Catalogue, type Catalogues, createCatalogues } from "#server/catalog/index.ts";
import {
  CompletionSpool,
  createRefusedFields,
  createUpstreams,
  type InferenceDeps,
  openFollowers,
  type ResponseDeps,
  ResponseSpool,
} from "#server/inference/index.ts";
import { clock, dayMs } from "#server/platform/clock.ts";
import { systemRandom } from "#server/platform/ids.ts";
import { createRouter, createSessions, createStatistics, type Router } from "#server/policy/index.ts";
import type { Accounts } from "./accounts.ts";
import type { Money } from "./money.ts";
import type { Opening } from "./opening.ts";
import type { Prepared } from "./prepare.ts";
import type { Storage } from "./storage.ts";

/** Creates one router per catalogue, so organisations without own entries share one. */
function routers(
  { config }: Opening,
  { snapshot }: Accounts,
  catalogues: Catalogues,
  signals: ReturnType<typeof createStatistics>["signals"],
): InferenceDeps["router"] {
  const routerOver = (over: Catalogue) =>
    createRouter({
      catalogue: over,
      // Credentials in the database change while the process runs, so the router reads them each time, below.
      credentials: new Set(config.providerCredentials.keys()),
      ownProviders: ({ orgId, keyId }, model) => snapshot.value().own.providersOf({ orgId, keyId, model }),
      unreadableOwn: ({ orgId, keyId }, model) => snapshot.value().own.unreadable({ orgId, keyId, model }),
      defaultResidency: config.DEFAULT_DATA_RESIDENCY ?? null,
      adequacyExclude: new Set(config.EU_ADEQUACY_EXCLUDE),
      rules: () => snapshot.value().rules,
      signals,
      random: systemRandom,
    });
  const known = new WeakMap<Catalogue, Router>();
  return (orgId) => {
    const catalogue = catalogues.of(orgId);
    const router = known.get(catalogue) ?? routerOver(catalogue);
    known.set(catalogue, router);
    return router;
  };
}

/** The catalogues of the files with what the database adds to them now. */
export const openCatalogues = ({ config }: Opening, { snapshot }: Accounts): Catalogues =>
  createCatalogues(snapshot.value, config.EUR_USD_RATE !== undefined);

/** Opens what routes requests and calls providers. */
export function openInference(
  opening: Opening,
  { outboundToProviders, outboundToOwnProviders }: Prepared,
  accounts: Accounts,
  { billing, destinations }: Money,
  catalogues: Catalogues,
): InferenceDeps {
  const { config, log, metrics } = opening;
  const { snapshot } = accounts;
  const own = () => snapshot.value().own;
  const statistics = createStatistics(clock.monotonicMs);
  return {
    statistics,
    sessions: createSessions(clock.monotonicMs),
    refusedFields: createRefusedFields(clock.monotonicMs),
    billing,
    budgets: () => snapshot.value().budgets,
    tags: () => snapshot.value().tags,
    broadcast: destinations.broadcast,
    catalogue: catalogues.of,
    router: routers(opening, accounts, catalogues, statistics.signals),
    outbound: outboundToProviders,
    ownOutbound: outboundToOwnProviders,
    log,
    metrics,
    upstreams: createUpstreams(config.providerCredentials),
    credentials: {
      own,
      installation: {
        has: (slug) => config.providerCredentials.has(slug) || own().shared(slug) !== undefined,
      },
    },
  };
}

export interface Responses {
  readonly responses: ResponseDeps;
  readonly refusedRequests: RefusedRequests;
}

/** Opens what stores responses and records refused requests. */
export function openResponses(
  { config, log, shutdown }: Opening,
  { database, queue }: Storage,
  { sealer }: Prepared,
  { authentication }: Accounts,
  inference: InferenceDeps,
): Responses {
  const responseSpool = new ResponseSpool(join(config.dataDir, "responses"), database, log);
  shutdown.add("responses", () => responseSpool.close());
  const completionSpool = new CompletionSpool(join(config.dataDir, "completions"), database, log);
  shutdown.add("stored completions", () => completionSpool.close());
  const refusedRequests = new RefusedRequests(database, log);
  shutdown.add("refused requests", () => refusedRequests.close());
  const responses: ResponseDeps = {
    inference,
    database,
    queue,
    responseSpool,
    completionSpool,
    followers: openFollowers({ database, sealer }),
    sealer,
    storeByDefault: config.RESPONSES_STORE_DEFAULT,
    retentionMs: config.RESPONSES_RETENTION_DAYS * dayMs,
    callerOfKey: authentication.callerOfKey,
    refused: (caller, refused) => refusedRequests.note(caller, refused),
  };
  return { responses, refusedRequests };
}
