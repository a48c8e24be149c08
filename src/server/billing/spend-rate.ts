import { clock } from "#server/platform/clock.ts";
import type { Pico } from "#server/platform/money.ts";

const [shortestMs, windowMs] = [1_000, 10_000];

/** How fast credit is spent, over the current window and the one before it. */
export class SpendRate {
  #spent: Pico = 0n;
  #sinceMs = clock.monotonicMs();
  #before = { spent: 0n, ms: 0 };

  spend(amount: Pico): void {
    if (amount !== 0n) this.#spent += amount;
  }

  /** The expected spending within `ms` at this rate. */
  forecast(ms: number): Pico {
    const nowMs = clock.monotonicMs();
    const runningMs = nowMs - this.#sinceMs;
    const seenMs = Math.max(shortestMs, runningMs + this.#before.ms);
    const forecast =
      ((this.#spent + this.#before.spent) * BigInt(Math.round(ms))) / BigInt(Math.round(seenMs));
    if (runningMs >= windowMs) {
      this.#before = { spent: this.#spent, ms: runningMs };
      this.#spent = 0n;
      this.#sinceMs = nowMs;
    }
    return forecast;
  }
}
