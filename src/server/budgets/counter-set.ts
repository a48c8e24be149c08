import { countersText } from "#server/billing/index.ts";
import type { BudgetCounter } from "./budget-counter.ts";

/** The counters that count a request, with what all requests that have the same ones need of them. */
export class CounterSet {
  readonly counters: readonly BudgetCounter[];
  /** What records of generations contain: those counters to which booking adds something. Made once. */
  readonly text: string | undefined;
  readonly countsTokens: boolean;
  readonly countsUsd: boolean;

  constructor(counters: readonly BudgetCounter[]) {
    const booked = counters.filter(({ measure }) => measure !== "concurrency");
    this.counters = counters;
    this.text = booked.length === 0 ? undefined : countersText(booked);
    this.countsTokens = counters.some(({ measure }) => measure === "tokens");
    this.countsUsd = counters.some(({ measure }) => measure === "usd");
  }

  has(counters: readonly BudgetCounter[]): boolean {
    if (counters.length !== this.counters.length) return false;
    for (let at = 0; at < counters.length; at++) if (counters[at] !== this.counters[at]) return false;
    return true;
  }
}

export const noCounters = new CounterSet([]);

/** The last set of each caller, because most requests have the same one as the caller's previous request. */
export class CounterSets {
  readonly #max: number;
  readonly #last = new Map<string, CounterSet>();

  constructor(callersMax: number) {
    this.#max = callersMax;
  }

  of(caller: string, counters: readonly BudgetCounter[]): CounterSet {
    if (counters.length === 0) return noCounters;
    const last = this.#last.get(caller);
    if (last?.has(counters)) return last;
    if (this.#last.size >= this.#max) this.#last.clear();
    const made = new CounterSet(counters);
    this.#last.set(caller, made);
    return made;
  }
}
