import type { Caller } from "#server/access/caller.ts";
import { type Amounts, countedBy, type Hold } from "#server/billing/index.ts";
import { type CounterSet, noCounters } from "#server/budgets/index.ts";
import { type ExchangeRate, usdFromEur } from "#server/platform/money.ts";
import { tagValuesOf } from "#server/tags/index.ts";
import type { Target } from "./own-credentials.ts";
import { costBound } from "./plan.ts";
import { endUserOf, type InferenceRequest, type RequestEstimate } from "./request.ts";
import type { InferenceDeps } from "./request-context.ts";
import type { RequestHold } from "./request-hold.ts";
import { shortenings, shortest, tokenBounds } from "./token-limits.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

export interface Reservation {
  readonly estimate: RequestEstimate;
  readonly hold: RequestHold;
  /** What each counter of budgets had left. */
  readonly held: readonly Pick<Hold, "left">[];
}

function mostTokens(candidates: readonly Target[], estimate: RequestEstimate): bigint {
  let most = 0;
  for (const target of candidates) {
    const { promptTokens, completionTokens } = tokenBounds(estimate, target);
    most = Math.max(most, promptTokens + completionTokens);
  }
  return BigInt(most);
}

/** The models of candidates, each once. */
function modelsOf(candidates: readonly Target[]): readonly string[] {
  const models: string[] = [];
  for (const { endpoint } of candidates)
    if (!models.includes(endpoint.model.id)) models.push(endpoint.model.id);
  return models;
}

const noHolds: readonly Hold[] = [];

/** The counters of budgets that count a request of this key at these endpoints. `recorded` are its recorded tags. */
export function countersFor(
  budgets: InferenceDeps["budgets"],
  { orgId, workspaceId, keyId, userId }: KeyCaller,
  request: Pick<InferenceRequest, "user" | "safety_identifier" | "metadata">,
  candidates: readonly Target[],
  recorded: Readonly<Record<string, string>> | undefined,
  atMs: number,
): CounterSet {
  const index = budgets();
  if (index.isEmpty(orgId)) return noCounters;
  const models = modelsOf(candidates);
  const endUser = endUserOf(request);
  const tags = tagValuesOf(
    index.tagNames(orgId),
    { endUser, app: null, metadata: request.metadata },
    recorded,
  );
  return index.match({ orgId, workspaceId, keyId, userId, endUser, tags, models }, atMs);
}

/**
 * Holds the maximum of a request. If the client does not limit the answer, that is for the longest one the model can
 * give; with less credit, or fewer tokens of a budget, for half of it, a quarter and so on.
 */
export async function reserve(
  billing: InferenceDeps["billing"],
  exchangeRate: ExchangeRate,
  { orgId, budgets }: KeyCaller,
  candidates: readonly Target[],
  estimateOf: RequestEstimate,
  set: CounterSet,
): Promise<Reservation> {
  const { counters, countsTokens, countsUsd } = set;
  const wanted = countsTokens ? { ...estimateOf, openTokensForAll: true } : estimateOf;
  /** What the credit and each counter must hold for an estimate. What no counter counts is not computed. */
  const boundsOf = (estimate: RequestEstimate): Amounts => {
    const eur = costBound({ candidates }, estimate, exchangeRate);
    return {
      eur,
      // Rounded up: the cost in USD is not rounded from the one in EUR.
      usd: countsUsd ? usdFromEur(eur, exchangeRate) + 1n : 0n,
      tokens: countsTokens ? mostTokens(candidates, estimate) : 0n,
      requests: 1n,
      concurrency: 1n,
    };
  };
  const short = shortest(wanted);
  const least = boundsOf(short);
  const most = short === wanted ? least : boundsOf(wanted);
  const money = await billing.hold(orgId, most.eur, { least: least.eur, budgets });
  let held = noHolds;
  try {
    if (counters.length > 0) {
      const holding = billing.holdCounters(counters, most, least);
      held = holding instanceof Promise ? await holding : holding;
    }
  } catch (error) {
    money.release(0n);
    throw error;
  }
  const suffices = (bounds: Amounts): boolean =>
    money.amount >= bounds.eur && counters.every(({ measure }, at) => isHeld(held[at], bounds[measure]));
  let estimate = wanted;
  if (!suffices(most)) {
    let reduced = least;
    estimate = short;
    for (const shorter of shortenings(wanted, candidates)) {
      const bounds = boundsOf(shorter);
      if (!suffices(bounds)) continue;
      [estimate, reduced] = [shorter, bounds];
      break;
    }
    money.reduce(reduced.eur);
    counters.forEach(({ measure }, at) => {
      held[at]?.reduce(reduced[measure]);
    });
  }
  return { estimate, hold: holdOf(money, held, counters), held };
}

const isHeld = (hold: Hold | undefined, bound: bigint): boolean => hold === undefined || hold.amount >= bound;

function holdOf(money: Hold, held: readonly Hold[], counters: CounterSet["counters"]): RequestHold {
  return {
    release(row) {
      money.release(row === null ? 0n : BigInt(row.cost_pico_eur));
      let at = 0;
      const rows = row && ([row] as const);
      for (const hold of held) {
        const counter = counters[at++];
        hold.release(rows === null || !counter ? 0n : countedBy(counter, rows));
      }
    },
    undo() {
      money.undo();
      for (const hold of held) hold.undo();
    },
  };
}
