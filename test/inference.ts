import type { Billing, GenerationRow } from "#server/billing/index.ts";
import { BudgetIndex } from "#server/budgets/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { CredentialVault } from "#server/credentials/index.ts";
import { createRefusedFields } from "#server/inference/parameters/refused-fields.ts";
import type { KeyCaller } from "#server/inference/pipeline/admit.ts";
import type { InferenceDeps } from "#server/inference/pipeline/request-context.ts";
import { clock } from "#server/platform/clock.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import { createSessions, createStatistics } from "#server/policy/index.ts";
import { routerOver, subject } from "./arbitrary-policies.ts";
import { catalogueOf } from "./catalogues.ts";

/** A key that may do everything. */
export const keyCaller: KeyCaller = {
  ...subject,
  kind: "key",
  keyName: "Test key",
  isApp: false,
  hasBounds: false,
  permissions: new Set(["routing:read"]),
  budgets: [],
  requestsPerMinute: 600,
  allowedModels: null,
};

const noVault: CredentialVault = {
  has: () => false,
  providersOf: () => new Set(),
  broughtBy: () => new Set(),
  unreadable: () => new Set(),
  skipsInstallation: () => false,
  shared: () => undefined,
  of: () => [],
};

/** Shared, because making one takes longer than a request. A test that reads metrics has its own. */
const metrics = createMetrics();

/** Inference over these endpoints without a database, and what billing learned of it. `own` replaces other parts. */
export function inferenceOver(
  endpoints: readonly Endpoint[],
  upstreams: InferenceDeps["upstreams"],
  outbound: Outbound,
  own: Partial<Pick<InferenceDeps, "sessions">> = {},
) {
  const learned = {
    held: 0n,
    spent: 0n,
    cacheWriteHour: 0,
    marks: [] as number[],
    progress: [] as GenerationRow[],
    final: [] as GenerationRow[],
  };
  const billing: Billing = {
    async hold(_orgId, amount) {
      learned.held = amount;
      return {
        amount,
        left: 0n,
        reduce() {},
        release(spent) {
          learned.spent = spent;
        },
        undo() {},
      };
    },
    holdCounters: async () => [],
    lacksBasis: () => true,
    admit: async () => {},
    async progress(row, _price, cacheWriteHour = 0) {
      learned.progress.push(row);
      learned.cacheWriteHour = cacheWriteHour;
    },
    mark: async (_id, tokens) => void learned.marks.push(tokens),
    finish: async (row) => void learned.final.push(row),
    warm: async () => {},
    pending: () => 0,
    drain: async () => {},
    caughtUp: async () => {},
    pauseFlushing: () => () => {},
    close: async () => {},
  };
  const catalogue = catalogueOf(endpoints);
  const router = routerOver(endpoints, []);
  const deps: InferenceDeps = {
    billing,
    budgets: () => new BudgetIndex([]),
    tags: () => new Map(),
    broadcast: { wants: () => false, plan: () => ({ recipients: [], traces: [] }) },
    catalogue: () => catalogue,
    router: () => router,
    statistics: createStatistics(clock.monotonicMs),
    sessions: own.sessions ?? createSessions(clock.monotonicMs),
    refusedFields: createRefusedFields(clock.monotonicMs),
    upstreams,
    credentials: { own: () => noVault, installation: new Set<string>() },
    outbound,
    ownOutbound: outbound,
    log: silentLog,
    metrics,
  };
  return { deps, learned };
}
