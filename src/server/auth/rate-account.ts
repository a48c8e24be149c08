import { halfOf, LeasedBudget } from "#server/platform/leased-budget.ts";
import { limits } from "#server/platform/limits.ts";
import type { ShareGrant, ShareRequest } from "./rate-window.ts";

const { windowMs, firstShare } = limits.rate;

/** How a subject stands after one more request. */
export interface RateState {
  readonly admitted: boolean;
  /** Requests per window. */
  readonly limit: number;
  /** What is left of this window's budget, as far as this process knows. */
  readonly remaining: number;
  /** When the next window begins, in milliseconds since 1970. */
  readonly resetAtMs: number;
}

type Share = Pick<ShareGrant, "granted" | "taken">;

/** What this process has of one subject's budget, window by window. It knows neither clock nor database. */
export class RateAccount {
  readonly subject: string;
  /** The shares of the current window. */
  readonly shares = new LeasedBudget();
  #limit: number;
  #minute: number;
  #used = 0;
  /** Taken by all processes together, as last reported. */
  #taken = 0;
  /** The share of the window after this one. */
  #next: Share | null = null;
  #lastUsedMs = 0;
  /** Requests that wait for a share. */
  #waiting = 0;

  constructor(subject: string, limit: number, minute: number) {
    this.subject = subject;
    this.#limit = limit;
    this.#minute = minute;
  }

  minute(): number {
    return this.#minute;
  }

  lastUsedMs(): number {
    return this.#lastUsedMs;
  }

  hasNext(): boolean {
    return this.#next !== null;
  }

  setLimit(limit: number): void {
    this.#limit = limit;
  }

  /** Starts the window of this minute, with the share that was taken ahead for it. */
  enter(minute: number): void {
    if (this.#minute === minute) return;
    const next = this.#minute + 1 === minute ? this.#next : null;
    this.#minute = minute;
    this.shares.expire();
    this.shares.grant(BigInt(next?.granted ?? 0));
    this.#taken = next?.taken ?? 0;
    this.#used = 0;
    this.#next = null;
  }

  /** Whether nothing is left of the window's budget, as far as this process knows. */
  isExhausted(): boolean {
    return this.#taken >= this.#limit;
  }

  hasShare(): boolean {
    return this.shares.available() > 0n;
  }

  use(): RateState {
    this.shares.spend(1n);
    this.#used++;
    this.#lastUsedMs = this.#minute * windowMs;
    return this.state(true);
  }

  /** Undoes a `use` in this minute. */
  undoUse(minute: number): void {
    if (this.#used === 0 || this.#minute !== minute) return;
    this.#used--;
    this.shares.unspend(1n);
  }

  state(admitted: boolean): RateState {
    return {
      admitted,
      limit: this.#limit,
      remaining: Number(this.shares.available()) + Math.max(0, this.#limit - this.#taken),
      resetAtMs: (this.#minute + 1) * windowMs,
    };
  }

  isLow(): boolean {
    return !this.isExhausted() && this.shares.isLow(halfOf(BigInt(this.#target())));
  }

  /** Takes all that is left of the budget, as if there were no other process. Returns how much that is. */
  takeRest(): bigint {
    const rest = BigInt(Math.max(0, this.#limit - this.#taken));
    this.shares.grant(rest);
    this.#taken = this.#limit;
    return rest;
  }

  /** One more request waits for a share. */
  startWaiting(): void {
    this.#waiting++;
  }

  stopWaiting(): void {
    this.#waiting--;
  }

  /** What to ask for: of this window also what requests wait for, of the next one only what may be useful. */
  request(minute: number): ShareRequest {
    const minimum = minute === this.#minute ? this.#waiting : 0;
    return { subject: this.subject, minute, budget: this.#limit, minimum, target: this.#target() };
  }

  /** Adds what was granted. Its window may have begun in the meantime, or been asked for twice. */
  add(minute: number, share: Share = { granted: 0, taken: this.#limit }): void {
    if (this.#minute === minute) {
      this.shares.grant(BigInt(share.granted));
      this.#taken = Math.max(this.#taken, share.taken);
    } else if (this.#minute + 1 === minute) {
      const { granted, taken } = this.#next ?? { granted: 0, taken: 0 };
      this.#next = { granted: granted + share.granted, taken: Math.max(taken, share.taken) };
    }
  }

  #target(): number {
    return Math.max(Math.ceil(this.#limit / firstShare), this.#used);
  }
}
