import type { Strategy } from "./rank.ts";

const failedLast = "; endpoints that failed recently come last.";
const ofOthers = " of those that did not fail recently";

interface StrategyWords {
  /** How endpoints are ordered. */
  readonly order: string;
  /** Why an admitted endpoint is tried first; null if that is unknown. */
  readonly because: string | null;
}

const words: Readonly<Record<Strategy, StrategyWords>> = {
  "lowest-cost": {
    order: `The lowest price first${failedLast}`,
    because: `it has the lowest price${ofOthers}`,
  },
  "lowest-latency": {
    order: `The lowest latency first${failedLast}`,
    because: `it has the lowest latency${ofOthers}`,
  },
  "highest-throughput": {
    order: `The highest throughput first${failedLast}`,
    because: `it has the highest throughput${ofOthers}`,
  },
  "explicit-order": {
    order: "First those that the preferences name, in their order, then the others.",
    because: "it is the first one that the preferences name",
  },
  "single-provider": {
    order: "One endpoint only, because fallbacks are off.",
    because: "fallbacks are off, and it is the best one",
  },
  balanced: {
    order: "At random, the lower the price and the fewer the recent errors, the more likely first.",
    because: "low prices and few recent errors make an endpoint more likely to be chosen",
  },
};

/** What a strategy does, in words. Records may name one of another version. */
export const strategyWords = (strategy: string): StrategyWords =>
  new Map<string, StrategyWords>(Object.entries(words)).get(strategy) ?? {
    order: `By ${strategy}.`,
    because: null,
  };
