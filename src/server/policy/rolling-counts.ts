/** The window used for ranking, and the longer one used when the first is empty. */
const windows = [
  { slotMs: 60_000, slots: 5 },
  { slotMs: 300_000, slots: 6 },
] as const;
type Window = (typeof windows)[number];

/** A ring of time slots with `width` counters each. */
class Ring {
  readonly #window: Window;
  readonly #width: number;
  readonly #counts: Uint32Array;
  readonly #periods: Float64Array;

  constructor(window: Window, width: number) {
    this.#window = window;
    this.#width = width;
    this.#counts = new Uint32Array(window.slots * width);
    this.#periods = new Float64Array(window.slots).fill(Number.NEGATIVE_INFINITY);
  }

  add(counter: number, nowMs: number): void {
    const period = Math.floor(nowMs / this.#window.slotMs);
    const slot = period % this.#window.slots;
    const start = slot * this.#width;
    if (this.#periods[slot] !== period) {
      this.#counts.fill(0, start, start + this.#width);
      this.#periods[slot] = period;
    }
    this.#counts[start + counter] = (this.#counts[start + counter] ?? 0) + 1;
  }

  sums(nowMs: number): Float64Array | null {
    const oldest = Math.floor(nowMs / this.#window.slotMs) - this.#window.slots;
    let sums: Float64Array | null = null;
    for (const [slot, period] of this.#periods.entries()) {
      if (period <= oldest) continue;
      sums ??= new Float64Array(this.#width);
      for (let counter = 0; counter < this.#width; counter++) {
        sums[counter] = (sums[counter] ?? 0) + (this.#counts[slot * this.#width + counter] ?? 0);
      }
    }
    return sums;
  }
}

/** `width` counters over five and over thirty minutes. Memory is fixed, however much is counted. */
export class RollingCounts {
  readonly #rings: readonly Ring[];

  constructor(width: number) {
    this.#rings = windows.map((window) => new Ring(window, width));
  }

  add(counter: number, nowMs: number): void {
    for (const ring of this.#rings) ring.add(counter, nowMs);
  }

  /** The counts of five minutes, else of thirty; null if both are empty. */
  sums(nowMs: number): Float64Array | null {
    for (const ring of this.#rings) {
      const sums = ring.sums(nowMs);
      if (sums) return sums;
    }
    return null;
  }
}
