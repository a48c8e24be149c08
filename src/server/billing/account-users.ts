import { clock } from "#server/platform/clock.ts";

/** Counts the requests that wait for a hold of one account or have one, so that an idle account can be returned. */
export class AccountUsers {
  #requests = 0;
  #lastUsedMs = 0;
  /** A request began since the last look. Looks read the clock, because requests are many. */
  #isUsed = false;

  enter(): void {
    this.#requests++;
    this.#isUsed = true;
  }

  leave(): void {
    this.#requests--;
  }

  /** Nobody uses it, and for this long no look found that somebody had begun to. */
  isIdle(forMs: number): boolean {
    const nowMs = clock.monotonicMs();
    if (this.#isUsed) this.#lastUsedMs = nowMs;
    this.#isUsed = false;
    return this.#requests === 0 && nowMs - this.#lastUsedMs >= forMs;
  }
}
