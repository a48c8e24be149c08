import type { BudgetMeasure } from "#contract/budget.ts";
import type { Caller } from "#server/access/caller.ts";
import { type CounterRequest, countedBy, type Hold } from "#server/billing/index.ts";
import type { BudgetCounter, CounterState } from "#server/budgets/index.ts";
import { clock } from "#server/platform/clock.ts";
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
  /** The counters of budgets that count the request, and what each had left. */
  readonly counters: readonly CounterState[];
}

/** What a request needs, by measure. What no counter counts is not computed. */
type Bounds = Readonly<Record<BudgetMeasure, bigint>>;

function mostTokens(candidates: readonly Target[], estimate: RequestEstimate): bigint {
  let most = 0;
  for (const target of candidates) {
    const { promptTokens, completionTokens } = tokenBounds(estimate, target);
    most = Math.max(most, promptTokens + completionTokens);
  }
  return BigInt(most);
}

const none: readonly BudgetCounter[] = [];
const noHolds: readonly Hold[] = [];

/** The counters of budgets that count a request of this key at these endpoints. `recorded` are its recorded tags. */
export function countersFor(
  budgets: InferenceDeps["budgets"],
  { orgId, workspaceId, keyId, userId }: KeyCaller,
  request: Pick<InferenceRequest, "user" | "safety_identifier" | "metadata">,
  candidates: readonly Target[],
  recorded: Readonly<Record<string, string>> | undefined,
): readonly BudgetCounter[] {
  const index = budgets();
  if (index.isEmpty(orgId)) return none;
  const models = [...new Set(candidates.map(({ endpoint }) => endpoint.model.id))];
  const endUser = endUserOf(request);
  const tags = tagValuesOf(
    index.tagNames(orgId),
    { endUser, app: null, metadata: request.metadata },
    recorded,
  );
  return index.match({ orgId, workspaceId, keyId, userId, endUser, tags, models }, clock.nowMs());
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
  counters: readonly BudgetCounter[],
): Promise<Reservation> {
  const counts = (measure: BudgetMeasure) => counters.some(({ budget }) => budget.measure === measure);
  const [countsTokens, countsUsd] = [counts("tokens"), counts("usd")];
  const wanted = countsTokens ? { ...estimateOf, openTokensForAll: true } : estimateOf;
  /** What the credit and each counter must hold for an estimate. */
  const boundsOf = (estimate: RequestEstimate): Bounds => {
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
    if (counters.length > 0) held = await billing.holdCounters(requestsOf(counters, least, most));
  } catch (error) {
    money.release(0n);
    throw error;
  }
  const boundOf = (bounds: Bounds, at: number) => bounds[(counters[at] as BudgetCounter).measure];
  const suffices = (bounds: Bounds): boolean =>
    money.amount >= bounds.eur && held.every(({ amount }, at) => amount >= boundOf(bounds, at));
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
    held.forEach((hold, at) => {
      hold.reduce(boundOf(reduced, at));
    });
  }
  return { estimate, hold: holdOf(money, held, counters), counters: statesOf(held, counters) };
}

const requestsOf = (
  counters: readonly BudgetCounter[],
  least: Bounds,
  most: Bounds,
): readonly CounterRequest[] =>
  counters.map((counter) => ({
    owner: "budget",
    counter,
    limit: counter.budget.limit,
    accountId: counter.accountId,
    least: least[counter.measure],
    most: most[counter.measure],
  }));

const statesOf = (held: readonly Hold[], counters: readonly BudgetCounter[]): readonly CounterState[] =>
  held.map(({ left }, at) => ({ counter: counters[at] as BudgetCounter, left }));

function holdOf(money: Hold, held: readonly Hold[], counters: readonly BudgetCounter[]): RequestHold {
  return {
    release(row) {
      money.release(row === null ? 0n : BigInt(row.cost_pico_eur));
      for (let at = 0; at < held.length; at++)
        held[at]?.release(row === null ? 0n : countedBy(counters[at] as BudgetCounter, row));
    },
    undo() {
      money.undo();
      for (const hold of held) hold.undo();
    },
  };
}
