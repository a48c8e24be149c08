import { halfOf } from "#server/platform/leased-budget.ts";
import { limits } from "#server/platform/limits.ts";
import { largest, type Pico, picoFromDecimal } from "#server/platform/money.ts";
import { SpendRate } from "./spend-rate.ts";

const smallestLease = picoFromDecimal(limits.credit.leaseEur);
const share = BigInt(limits.credit.holdShareOfGranted);

/** Computes how much credit of one account this process leases ahead. */
export class LeaseSize {
  readonly #ttlMs: number;
  readonly #spendRate = new SpendRate();
  /** The largest hold of a single request since the leases were last renewed. */
  #largestRequest: Pico = 0n;
  #halfOfTarget = halfOf(smallestLease);

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  requested(amount: Pico): void {
    this.#largestRequest = largest(this.#largestRequest, amount);
  }

  spent(amount: Pico): void {
    this.#spendRate.spend(amount);
  }

  /** The expected spending during a lease's lifetime, because without the database it must last that long. */
  forecast(): Pico {
    return this.#spendRate.forecast(this.#ttlMs);
  }

  /** Enough to hold one request in full, with room for concurrent ones. */
  roomForLargest(): Pico {
    return this.#largestRequest * share;
  }

  /** Half of the last computed target, rounded up. */
  halfOfTarget(): Pico {
    return this.#halfOfTarget;
  }

  /**
   * Computes the target again: enough for the lifetime of a lease, and for several of the largest requests at once.
   */
  updateTarget(): Pico {
    const target = largest(largest(smallestLease, this.forecast()), this.roomForLargest() * 2n);
    this.#halfOfTarget = halfOf(target);
    return target;
  }

  /** The leases were renewed: the largest request is measured again from now on. */
  renewed(): void {
    this.#largestRequest = 0n;
  }
}
