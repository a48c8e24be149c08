import type { Api } from "#contract/inference-operations.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { Random } from "#server/platform/ids.ts";
import { type ExchangeRate, eurFromUsd } from "#server/platform/money.ts";
import { names } from "./fields.ts";
import { supportOf } from "./needs.ts";
import { perPrice } from "./per-price.ts";
import type { RoutedEndpoint } from "./routed-endpoint.ts";
import type { Percentiles, Signals } from "./signals.ts";

export type Strategy =
  | "balanced"
  | "lowest-cost"
  | "lowest-latency"
  | "highest-throughput"
  | "explicit-order"
  | "single-provider";

export interface RankContext {
  readonly rate: ExchangeRate;
  readonly signals: Signals;
  readonly random: Random;
  /** The endpoint that served this session before. */
  readonly sessionEndpoint?: string | undefined;
  /** Names of the parameters the request uses. */
  readonly parameters?: readonly string[] | undefined;
  /** The recorded order of endpoints, by ID, instead of measurements and chance. */
  readonly order?: ReadonlyMap<string, number> | undefined;
  /** Operations of endpoints that can carry the request, best first. */
  readonly apis: readonly Api[];
}

export interface Ranking {
  readonly ranked: readonly Endpoint[];
  readonly strategy: Strategy;
}

const picoPerEur = 1e12;
const smallestPrice = 1e-9;

const inEur = perPrice((price, rate) => {
  const own = price.input + price.output + price.request + (price.searchUnit ?? 0n);
  return Number(price.currency === "EUR" ? own : eurFromUsd(own, rate)) / picoPerEur;
});

/** Prompt plus completion price of one token (plus fixed parts) in EUR: the measure of all price ranking. */
const priceMeasure = ({ price }: RoutedEndpoint, rate: ExchangeRate): number =>
  price ? inEur(price, rate) : 0;

const byId = (a: Endpoint, b: Endpoint): number => (a.id < b.id ? -1 : 1);

/** Smallest measure first; unmeasured endpoints last; equal ones by id. */
function ascending(
  endpoints: readonly Endpoint[],
  measure: (endpoint: Endpoint) => number | undefined,
): Endpoint[] {
  const measured = endpoints.map((endpoint) => ({
    endpoint,
    value: measure(endpoint) ?? Number.POSITIVE_INFINITY,
  }));
  return measured
    .sort((a, b) => (a.value === b.value ? byId(a.endpoint, b.endpoint) : a.value - b.value))
    .map(({ endpoint }) => endpoint);
}

const sorts = {
  price: {
    strategy: "lowest-cost",
    measure: (endpoint: RoutedEndpoint, { rate }: RankContext) => priceMeasure(endpoint, rate),
  },
  latency: {
    strategy: "lowest-latency",
    measure: ({ measuredAs }: Endpoint, { signals }: RankContext) => signals(measuredAs).latency?.p50,
  },
  throughput: {
    strategy: "highest-throughput",
    measure: ({ measuredAs }: Endpoint, { signals }: RankContext) => {
      const tokensPerSecond = signals(measuredAs).throughput?.p50;
      return tokensPerSecond === undefined ? undefined : -tokensPerSecond;
    },
  },
} as const;

/**
 * Shuffled so that the chance to be first is proportional to health / price². Each endpoint draws u^(1/weight); the
 * largest draw comes first (Efraimidis and Spirakis, weighted sampling without replacement).
 */
function balanced(endpoints: readonly Endpoint[], { rate, signals, random }: RankContext): Endpoint[] {
  if (endpoints.length < 2) return [...endpoints];
  return ascending(endpoints, (endpoint) => {
    const price = Math.max(priceMeasure(endpoint, rate), smallestPrice);
    const weight = signals(endpoint.measuredAs).health / price ** 2;
    return -Math.log(1 - random()) / Math.max(weight, Number.MIN_VALUE);
  });
}

type Wanted = ProviderPreferences["preferred_max_latency"];

/** Whether measured percentiles are within the requested ones; a single number means the median. */
function keeps(
  wanted: Wanted,
  seen: Percentiles | null,
  within: (seen: number, wanted: number) => boolean,
): boolean {
  if (wanted == null || seen === null) return true;
  const limits = typeof wanted === "number" ? { p50: wanted } : wanted;
  return (["p50", "p75", "p90", "p99"] as const).every((name) => {
    const limit = limits[name];
    return limit === undefined || within(seen[name], limit);
  });
}

/** Stable partition: those that match first. Each is tested once, because its result may change in the meantime. */
function first(
  endpoints: readonly Endpoint[],
  satisfies: (endpoint: Endpoint) => boolean,
): readonly Endpoint[] {
  const wanted: Endpoint[] = [];
  const rest: Endpoint[] = [];
  for (const endpoint of endpoints) (satisfies(endpoint) ? wanted : rest).push(endpoint);
  return rest.length === 0 ? endpoints : [...wanted, ...rest];
}

/** Whether an endpoint gets all parameters of a request. What it may not support is sent as well. */
const takes = (endpoint: RoutedEndpoint, parameters: readonly string[], apis: readonly Api[]): boolean =>
  parameters.every((name) => supportOf(endpoint, apis, name) !== "unsupported");

const sortOf = ({ sort }: ProviderPreferences) => (typeof sort === "string" ? sort : sort?.by);

function byPreference(
  eligible: readonly Endpoint[],
  preferences: ProviderPreferences,
  context: RankContext,
): Ranking {
  const sort = sortOf(preferences);
  const { order } = context;
  if (order) {
    const strategy = sort ? sorts[sort].strategy : "balanced";
    return { strategy, ranked: ascending(eligible, ({ id }) => order.get(id)) };
  }
  if (sort) {
    const { strategy, measure } = sorts[sort];
    return { strategy, ranked: ascending(eligible, (endpoint) => measure(endpoint, context)) };
  }
  const { preferred_max_latency: latency, preferred_min_throughput: throughput } = preferences;
  const { signals, sessionEndpoint, parameters, apis } = context;
  let ranked: readonly Endpoint[] = balanced(eligible, context);
  if (latency != null)
    ranked = first(ranked, ({ measuredAs }) =>
      keeps(latency, signals(measuredAs).latency, (seen, most) => seen <= most),
    );
  if (throughput != null) {
    ranked = first(ranked, ({ measuredAs }) =>
      keeps(throughput, signals(measuredAs).throughput, (seen, least) => seen >= least),
    );
  }
  if (sessionEndpoint !== undefined) ranked = first(ranked, ({ id }) => id === sessionEndpoint);
  if (parameters?.length) ranked = first(ranked, (endpoint) => takes(endpoint, parameters, apis));
  return { strategy: "balanced", ranked };
}

/**
 * Puts eligible endpoints in the order in which they are tried. `order` names the first ones and switches balancing
 * off; endpoints that are cooling down come last but never fall out. `allow_fallbacks: false` leaves the listed
 * ones, or without a list the best one.
 */
export function rank(
  eligible: readonly Endpoint[],
  preferences: ProviderPreferences,
  context: RankContext,
): Ranking {
  const { order, allow_fallbacks: allowFallbacks } = preferences;
  const usual = byPreference(eligible, preferences, context);
  const ready = first(usual.ranked, ({ measuredAs }) => !context.signals(measuredAs).cooling);
  if (order && order.length > 0) {
    const listed = [...new Set(order.flatMap((slug) => ready.filter((endpoint) => names(slug, endpoint))))];
    const rest = allowFallbacks === false ? [] : ready.filter((endpoint) => !listed.includes(endpoint));
    return { strategy: "explicit-order", ranked: [...listed, ...rest] };
  }
  if (allowFallbacks === false) return { strategy: "single-provider", ranked: ready.slice(0, 1) };
  return { strategy: usual.strategy, ranked: ready };
}
