const firstCoolDownMs = 30_000;
const longestCoolDownMs = 120_000;
/** A probe without a result for this long counts as lost, and the next request may be one. */
const probeMs = 60_000;

/**
 * Stops using an endpoint after a fault of its own: for 30 s, doubling to 120 s while probes fail, longer if the
 * provider asks for it. After that, one request at a time is a probe.
 */
export class Breaker {
  #failures = 0;
  #untilMs = Number.NEGATIVE_INFINITY;
  #probing = false;

  cooling(nowMs: number): boolean {
    return nowMs < this.#untilMs;
  }

  /**
   * An attempt begins. The first one after a cool-down is the probe; until it ends, other requests use other
   * endpoints.
   */
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

  /** Failures of concurrent requests count once; `retryAfterMs` is what the provider asks for. */
  failed(nowMs: number, retryAfterMs: number | null): void {
    const known = this.cooling(nowMs) && !this.#probing;
    if (!known) this.#failures++;
    this.#probing = false;
    const ownMs = Math.min(firstCoolDownMs * 2 ** (this.#failures - 1), longestCoolDownMs);
    const untilMs = nowMs + Math.max(known ? 0 : ownMs, retryAfterMs ?? 0);
    this.#untilMs = known ? Math.max(this.#untilMs, untilMs) : untilMs;
  }

  /** An attempt ended without information about the endpoint, for example because the client disconnected. */
  undecided(nowMs: number): void {
    if (!this.#probing) return;
    this.#probing = false;
    this.#untilMs = nowMs;
  }
}
