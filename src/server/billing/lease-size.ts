import { limits } from "#server/platform/limits.ts";
import { largest, type Pico, picoFromDecimal } from "#server/platform/money.ts";
import { SpendRate } from "./spend-rate.ts";

const smallestLease = picoFromDecimal(limits.credit.leaseEur);
const share = BigInt(limits.credit.holdShareOfGranted);

/** How much credit of one account this process leases ahead. */
export class LeaseSize {
  readonly #ttlMs: number;
  readonly #spendRate = new SpendRate();
  /** The most that one request would have held since the leases were last renewed. */
  #largestRequest: Pico = 0n;
  #target = smallestLease;

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  requested(amount: Pico): void {
    this.#largestRequest = largest(this.#largestRequest, amount);
  }

  spent(amount: Pico): void {
    this.#spendRate.spend(amount);
  }

  /** What will be spent while a lease stands: without the database it has to last as long. */
  forecast(): Pico {
    return this.#spendRate.forecast(this.#ttlMs);
  }

  /** What one request needs to be held in full, with room for others beside it. */
  roomForLargest(): Pico {
    return this.#largestRequest * share;
  }

  /** The target as last worked out. */
  target(): Pico {
    return this.#target;
  }

  /** Works the target out again: enough for the time of a lease, and for several of the largest requests at once. */
  updateTarget(): Pico {
    this.#target = largest(largest(smallestLease, this.forecast()), this.roomForLargest() * 2n);
    return this.#target;
  }

  /** The leases were renewed: only requests from now on count as the largest. */
  renewed(): void {
    this.#largestRequest = 0n;
  }
}
