import { RollingCounts } from "./rolling-counts.ts";
import type { Percentiles } from "./signals.ts";

/** Each bucket is 15 % wider than the previous one, so percentiles are exact to about 7 %. */
const growth = 1.15;
const smallest = 0.001;
const buckets = 128;

/** Values from 0.001 to about 50,000 have their own bucket; others count in the first or last. */
const bucketOf = (value: number): number =>
  Math.min(buckets - 1, Math.max(0, Math.round(Math.log(value / smallest) / Math.log(growth))));

/** Percentiles of one measure over the last five minutes, else the last thirty. */
export class RollingPercentiles {
  readonly #counts = new RollingCounts(buckets);

  /** `value` is positive and finite. */
  add(value: number, nowMs: number): void {
    this.#counts.add(bucketOf(value), nowMs);
  }

  read(nowMs: number): Percentiles | null {
    const counts = this.#counts.sums(nowMs);
    if (!counts) return null;
    const total = counts.reduce((sum, count) => sum + count, 0);
    const at = (share: number): number => {
      let seen = 0;
      const bucket = counts.findIndex((count) => {
        seen += count;
        return seen >= share * total;
      });
      return smallest * growth ** bucket;
    };
    return { p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) };
  }
}
