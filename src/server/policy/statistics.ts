import { Breaker } from "./breaker.ts";
import { RollingCounts } from "./rolling-counts.ts";
import { RollingPercentiles } from "./rolling-percentiles.ts";
import { type EndpointSignals, noSignals, type Signals } from "./signals.ts";

/** Events at endpoints, reported by their callers. Endpoints are named by their id. */
export interface Statistics {
  /** An attempt begins. */
  trying(endpoint: string): void;
  /** It answered: completely, or with the first content of a stream. */
  succeeded(endpoint: string): void;
  /** It failed by a fault of its own; `retryAfterMs` is the pause it asked for. */
  failed(endpoint: string, retryAfterMs: number | null): void;
  /** The attempt ended without information about the endpoint: a bad request, or a client that disconnected. */
  undecided(endpoint: string): void;
  /** Milliseconds from an attempt's start to the first content of its stream. */
  firstContent(endpoint: string, ms: number): void;
  /** How many tokens it produced in how many milliseconds. */
  produced(endpoint: string, tokens: number, ms: number): void;
  /** The measurements for the ranking. */
  readonly signals: Signals;
}

/** Computing percentiles takes some microseconds, so a result is used for a second. Cooling is always current. */
const readingMs = 1_000;

const failure = 0;
const success = 1;

class Observed {
  readonly breaker = new Breaker();
  readonly outcomes = new RollingCounts(2);
  readonly latency = new RollingPercentiles();
  readonly throughput = new RollingPercentiles();
  #reading: EndpointSignals | null = null;
  #readAtMs = Number.NEGATIVE_INFINITY;

  signals(nowMs: number): EndpointSignals {
    const cooling = this.breaker.cooling(nowMs);
    if (this.#reading?.cooling === cooling && nowMs - this.#readAtMs < readingMs) return this.#reading;
    this.#readAtMs = nowMs;
    this.#reading = {
      cooling,
      ...this.#health(nowMs),
      latency: this.latency.read(nowMs),
      throughput: this.throughput.read(nowMs),
    };
    return this.#reading;
  }

  #health(nowMs: number): Pick<EndpointSignals, "attempts" | "health"> {
    const [failures = 0, successes = 0] = this.outcomes.sums(nowMs) ?? [];
    const attempts = failures + successes;
    return { attempts, health: attempts === 0 ? 1 : successes / attempts };
  }
}

/**
 * Keeps five and thirty minutes of what this process saw of each endpoint: about 12 KiB for each that was ever
 * asked, however many requests. `monotonicMs` is the clock.
 */
export function createStatistics(monotonicMs: () => number): Statistics {
  const observed = new Map<string, Observed>();
  const at = (endpoint: string): Observed => {
    const known = observed.get(endpoint);
    if (known) return known;
    const made = new Observed();
    observed.set(endpoint, made);
    return made;
  };
  return {
    trying: (endpoint) => at(endpoint).breaker.trying(monotonicMs()),
    succeeded(endpoint) {
      const { breaker, outcomes } = at(endpoint);
      breaker.succeeded();
      outcomes.add(success, monotonicMs());
    },
    failed(endpoint, retryAfterMs) {
      const { breaker, outcomes } = at(endpoint);
      const nowMs = monotonicMs();
      breaker.failed(nowMs, retryAfterMs);
      outcomes.add(failure, nowMs);
    },
    undecided: (endpoint) => at(endpoint).breaker.undecided(monotonicMs()),
    firstContent(endpoint, ms) {
      if (ms > 0) at(endpoint).latency.add(ms / 1000, monotonicMs());
    },
    produced(endpoint, tokens, ms) {
      if (tokens > 0 && ms > 0) at(endpoint).throughput.add((tokens * 1000) / ms, monotonicMs());
    },
    signals: (endpoint) => observed.get(endpoint)?.signals(monotonicMs()) ?? noSignals(endpoint),
  };
}
