import type { SimulationRequest, SimulationResult } from "#contract/simulation.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { ownRows } from "#server/access/scope.ts";
import type { Catalogue, Endpoint, Price } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import { clock, dayMs, isoDay, isoTime } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import type { ExchangeRate, Pico } from "#server/platform/money.ts";
import { draftRule } from "./draft.ts";
import { type RecordedGeneration, recordedGenerations, requestAgain } from "./recorded-generations.ts";
import type { Router } from "./router.ts";
import { type Rule, RuleIndex } from "./rule-index.ts";
import { ruleColumns, toRules } from "./rule-rows.ts";
import { type Outcome, Tally } from "./simulation-tally.ts";

interface RecordedUsage {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly completion: number;
  readonly reasoning: number;
  readonly searchUnits: number;
  readonly estimated: boolean;
}

export interface SimulationDeps {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly router: Router;
  /** The cost of a usage at a price, in EUR, computed as for billing. */
  readonly costEur: (usage: RecordedUsage, price: Price, rate: ExchangeRate) => Pico;
}

const generationsMax = 50_000;

const usageOf = (row: RecordedGeneration): RecordedUsage => ({
  uncached: row.prompt_tokens - row.cached_tokens - row.cache_write_tokens,
  cacheRead: row.cached_tokens,
  cacheWrite: row.cache_write_tokens,
  completion: row.completion_tokens,
  reasoning: row.reasoning_tokens,
  searchUnits: row.search_units,
  estimated: false,
});

/** Ranks as for a live request. With balancing, the endpoint that served comes first if it is admitted. */
function createRanker(caller: Caller, workspaces: ReadonlyMap<string, string | null>) {
  const today = isoDay(clock.nowMs());
  return (router: Router, row: RecordedGeneration): readonly Endpoint[] => {
    const place = { orgId: caller.orgId, workspaceId: workspaces.get(row.api_key_id) ?? null };
    const { ask, context } = requestAgain(row, place, today);
    try {
      return router.route(ask, context).candidates.map(({ endpoint }) => endpoint);
    } catch (error) {
      // A rule it named was deleted, or no rule provides its model any more: a live request would be refused.
      if (error instanceof AppError) return [];
      throw error;
    }
  };
}

/**
 * Where a generation ran and where it would run. The endpoint that served keeps it while it is admitted and the
 * draft changes nothing about who comes first: why it was chosen, such as by speed, is not recorded.
 */
function compare(today: readonly Endpoint[], tomorrow: readonly Endpoint[], served: string | null) {
  const servedIn = (ranked: readonly Endpoint[]) => ranked.find(({ id }) => id === served);
  const sameFirst = today[0]?.id === tomorrow[0]?.id;
  return {
    before: servedIn(today) ?? today[0],
    after: (sameFirst ? servedIn(tomorrow) : undefined) ?? tomorrow[0],
  };
}

/** The rules of an organisation, and the workspaces of its keys. */
export interface RoutingState {
  readonly rules: Iterable<Rule>;
  readonly workspaces: ReadonlyMap<string, string | null>;
  /** Absent for the catalogue of today. */
  readonly catalogue?: Catalogue;
}

/** The routing of today, in an organisation or in the workspace of the caller's key. */
export async function routingState({ prisma }: Database, caller: Caller): Promise<RoutingState> {
  const [rules, keys] = await Promise.all([
    prisma.routing_rule.findMany({ where: { org_id: caller.orgId }, select: ruleColumns }),
    prisma.api_key.findMany({ where: ownRows(caller), select: { id: true, workspace_id: true } }),
  ]);
  return {
    rules: toRules(rules),
    workspaces: new Map(keys.map((key) => [key.id, key.workspace_id])),
  };
}

interface Replay {
  readonly sinceMs: number;
  readonly generationsMax: number;
  readonly today: RoutingState;
  /** What routing would be, by a name of the caller's choice. */
  readonly states: ReadonlyMap<string, RoutingState>;
}

/**
 * What other rules, workspaces of keys or catalogues would have made of the recorded generations of the caller's
 * organisation, for several such states at once. The engine that routes live requests decides; no provider is
 * contacted, nothing is charged or stored.
 */
export async function simulateStates(
  { database, catalogue, router, costEur }: SimulationDeps,
  caller: Authorized<"routing:read">,
  { sinceMs, generationsMax, today, states }: Replay,
): Promise<ReadonlyMap<string, SimulationResult>> {
  const rankerOf = ({ rules, workspaces, catalogue: other }: RoutingState) => {
    const rank = createRanker(caller, workspaces);
    const engine = (other ? router.over(other) : router).under(new RuleIndex(rules));
    return (row: RecordedGeneration) => rank(engine, row);
  };
  const rankToday = rankerOf(today);
  const ranked = [...states].map(([name, state]) => ({ name, rank: rankerOf(state), tally: new Tally() }));

  const isPricedAsToday = ({ id, price }: Endpoint) =>
    price?.version === catalogue.endpoints.get(id)?.price?.version;
  /**
   * At the endpoint that served, the charged cost, unless its price changes; elsewhere the cost of the same tokens there.
   * An organisation's own provider costs no credit.
   */
  const at = (endpoint: Endpoint | undefined, row: RecordedGeneration): Outcome["before"] => {
    if (!endpoint) return null;
    if (endpoint.id === row.endpoint && isPricedAsToday(endpoint))
      return { endpoint, cost: BigInt(row.cost_pico_eur.toFixed(0)) };
    const { price, origin } = endpoint;
    if (origin.orgId !== null) return { endpoint, cost: 0n };
    return { endpoint, cost: price ? costEur(usageOf(row), price, catalogue.exchangeRate) : 0n };
  };

  let looked = 0;
  let truncated = false;
  for await (const batch of recordedGenerations(database, caller, sinceMs)) {
    truncated = looked + batch.length > generationsMax;
    for (const row of batch.slice(0, generationsMax - looked)) {
      const now = rankToday(row);
      for (const { rank, tally } of ranked) {
        const { before, after } = compare(now, rank(row), row.endpoint);
        tally.add({
          model: row.model ?? row.model_requested,
          before: at(before, row),
          after: at(after, row),
        });
      }
    }
    looked += batch.length;
    if (truncated) break;
  }
  return new Map(ranked.map(({ name, tally }) => [name, tally.toWire(isoTime(sinceMs), truncated)]));
}

const draftState = "draft";

/** The effect of a draft rule on the recorded generations of the caller's organisation. */
export async function simulate(
  deps: SimulationDeps,
  caller: Authorized<"routing:read">,
  request: SimulationRequest,
): Promise<SimulationResult> {
  const draft = await draftRule(deps.database, deps.catalogue, caller, request);
  const today = await routingState(deps.database, caller);
  const others = [...today.rules].filter(({ id }) => id !== request.rule_id);
  const results = await simulateStates(deps, caller, {
    sinceMs: clock.nowMs() - request.days * dayMs,
    generationsMax,
    today,
    states: new Map([[draftState, { ...today, rules: [...others, draft] }]]),
  });
  const result = results.get(draftState);
  if (!result) throw new Error("The simulated state is missing");
  return result;
}
