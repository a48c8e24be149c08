const firstCoolDownMs = 30_000;
const longestCoolDownMs = 120_000;
/** A probe that says nothing for this long is taken for lost, and the next request may be one. */
const probeMs = 60_000;

/**
 * Leaves an endpoint alone after a fault of its own: 30 s, doubling to 120 s while probes fail, longer when the
 * provider says so. After that one request at a time may find out whether it is well again.
 */
export class Breaker {
  #failures = 0;
  #untilMs = Number.NEGATIVE_INFINITY;
  #probing = false;

  cooling(nowMs: number): boolean {
    return nowMs < this.#untilMs;
  }

  /** An attempt begins. The first one after a cool-down is the probe; until it ends, others go elsewhere. */
  trying(nowMs: number): void {
    if (this.#failures === 0 || this.cooling(nowMs)) return;
    this.#probing = true;
    this.#untilMs = nowMs + probeMs;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#probing = false;
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }

  /** Failures of requests that were under way together count once; `retryAfterMs` is what the provider asks for. */
  failed(nowMs: number, retryAfterMs: number | null): void {
    const known = this.cooling(nowMs) && !this.#probing;
    if (!known) this.#failures++;
    this.#probing = false;
    const ownMs = Math.min(firstCoolDownMs * 2 ** (this.#failures - 1), longestCoolDownMs);
    const untilMs = nowMs + Math.max(known ? 0 : ownMs, retryAfterMs ?? 0);
    this.#untilMs = known ? Math.max(this.#untilMs, untilMs) : untilMs;
  }

  /** An attempt ended without telling anything about the endpoint, as when the client left. */
  undecided(nowMs: number): void {
    if (!this.#probing) return;
    this.#probing = false;
    this.#untilMs = nowMs;
  }
}
