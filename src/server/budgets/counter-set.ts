import { countersText } from "#server/billing/index.ts";
import type { BudgetCounter } from "./budget-counter.ts";

/** The counters that count a request, with what all requests that have the same ones need of them. */
export class CounterSet {
  readonly counters: readonly BudgetCounter[];
  /** What records of generations contain: those counters to which booking adds something. Made once. */
  readonly text: string | undefined;
  readonly countsTokens: boolean;
  readonly countsUsd: boolean;
  /** The time in which each of the counters is that of the current period. */
  readonly #fromMs: number;
  readonly #untilMs: number;

  constructor(counters: readonly BudgetCounter[]) {
    const booked = counters.filter(({ measure }) => measure !== "concurrency");
    this.counters = counters;
    this.text = booked.length === 0 ? undefined : countersText(booked);
    this.countsTokens = counters.some(({ measure }) => measure === "tokens");
    this.countsUsd = counters.some(({ measure }) => measure === "usd");
    this.#fromMs = Math.max(...counters.map(({ span }) => span.startMs ?? Number.NEGATIVE_INFINITY));
    this.#untilMs = Math.min(...counters.map(({ span }) => span.endsAtMs ?? Number.POSITIVE_INFINITY));
  }

  /** Whether none of the counters is of another period. */
  isAt(nowMs: number): boolean {
    return this.#fromMs <= nowMs && nowMs < this.#untilMs;
  }

  has(counters: readonly BudgetCounter[]): boolean {
    if (counters.length !== this.counters.length) return false;
    for (let at = 0; at < counters.length; at++) if (counters[at] !== this.counters[at]) return false;
    return true;
  }
}

export const noCounters = new CounterSet([]);
