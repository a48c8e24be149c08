import { clock } from "#server/platform/clock.ts";

/** How long a lease can be relied on, by the monotonic clock of this process. */
export class LeaseValidity {
  readonly #ttlMs: number;
  readonly #confirmAfterMs: number;
  /** The expiry: counted from when the statement was sent, so earlier than in the database. 0 without a lease. */
  #untilMs = 0;
  #confirmedAtMs = 0;

  /** A lease that was not confirmed for `confirmAfterMs` may have been taken back. */
  constructor({ ttlMs, confirmAfterMs }: { readonly ttlMs: number; readonly confirmAfterMs: number }) {
    this.#ttlMs = ttlMs;
    this.#confirmAfterMs = confirmAfterMs;
  }

  exists(): boolean {
    return this.#untilMs !== 0;
  }

  /** When the last confirming statement was sent. */
  confirmedAtMs(): number {
    return this.#confirmedAtMs;
  }

  /** The database confirmed the lease by a statement sent at `sentMs`. */
  confirm(sentMs: number): void {
    this.#untilMs = sentMs + this.#ttlMs;
    this.#confirmedAtMs = sentMs;
  }

  /** The lease was taken back. */
  end(): void {
    this.#untilMs = 0;
  }

  isOverAt(nowMs: number): boolean {
    return this.#untilMs <= nowMs;
  }

  /** Whether the lease may have been taken back: it has expired, or there was no heartbeat for too long. */
  mustConfirm(isDatabaseUnavailable: () => boolean, nowMs = clock.monotonicMs()): boolean {
    if (!this.exists()) return false;
    const isSilent = nowMs - this.#confirmedAtMs > this.#confirmAfterMs;
    return this.isOverAt(nowMs) || (isSilent && !isDatabaseUnavailable());
  }
}
