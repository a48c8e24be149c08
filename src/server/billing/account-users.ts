import { clock } from "#server/platform/clock.ts";

/** Counts the requests that wait for a hold of one account or have one, so that an idle account can be returned. */
export class AccountUsers {
  #requests = 0;
  #lastUsedMs = 0;

  enter(): void {
    this.#requests++;
    this.#lastUsedMs = clock.monotonicMs();
  }

  leave(): void {
    this.#requests--;
  }

  /** Nobody uses it, and nobody began to for this long. */
  isIdle(forMs: number): boolean {
    return this.#requests === 0 && clock.monotonicMs() - this.#lastUsedMs >= forMs;
  }
}
