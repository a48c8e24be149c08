import { LRUCache } from "lru-cache";
import { clock } from "./clock.ts";

interface Options {
  readonly failuresMax: number;
  readonly windowMs: number;
  readonly nowMs?: () => number;
}

interface Window {
  failures: number;
  readonly endsMs: number;
}

/** Refuses subjects with too many recent failures. Success costs nothing, so a busy proxy is not shut out. */
export class FailureWindow {
  readonly #windows: LRUCache<string, Window>;
  readonly #options: Required<Options>;

  constructor(options: Options) {
    this.#options = { nowMs: clock.monotonicMs, ...options };
    this.#windows = new LRUCache({ max: 20_000 });
  }

  /** Milliseconds to wait; 0 when another attempt may be made. */
  waitMs(who: string): number {
    const window = this.#windows.get(who);
    const leftMs = window ? window.endsMs - this.#options.nowMs() : 0;
    return window && leftMs > 0 && window.failures >= this.#options.failuresMax ? leftMs : 0;
  }

  failed(who: string): void {
    const nowMs = this.#options.nowMs();
    const window = this.#windows.get(who);
    if (window && window.endsMs > nowMs) window.failures += 1;
    else this.#windows.set(who, { failures: 1, endsMs: nowMs + this.#options.windowMs });
  }

  /** For what counts whether it fails or not: takes one place. Returns 0, or the milliseconds to wait for one. */
  take(who: string): number {
    const waitMs = this.waitMs(who);
    if (waitMs === 0) this.failed(who);
    return waitMs;
  }
}
