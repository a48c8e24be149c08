/**
 * A part of a budget that is reserved for one request. A class, because every request has several, and closures for
 * each of them take several times as long.
 */
export class BudgetHold {
  readonly #budget: LeasedBudget;
  readonly #expiries: number;
  #held: bigint;
  #spent: bigint | null = null;

  constructor(budget: LeasedBudget, amount: bigint) {
    this.#budget = budget;
    this.#expiries = budget.reserve(amount);
    this.#held = amount;
  }

  /** What is still reserved. */
  reserved(): bigint {
    return this.#held;
  }

  isReleased(): boolean {
    return this.#spent !== null;
  }

  /** Releases what is beyond `to`. Returns by how much more became available. */
  reduce(to: bigint): bigint {
    if (this.#spent !== null || to >= this.#held) return 0n;
    const freed = this.#budget.free(this.#held - to, this.#expiries);
    this.#held = to;
    return freed;
  }

  /**
   * Releases all of it but what was spent, which is booked later. Returns by how much more became available, below
   * zero when more was spent than held. Only the first call counts.
   */
  release(spent: bigint): bigint {
    if (this.#spent !== null) return 0n;
    this.#spent = spent;
    const freed = this.#budget.finish(this.#held, spent, this.#expiries);
    this.#held = 0n;
    return freed;
  }

  /** Undoes a `release` whose spending will never be booked because nothing was recorded. */
  undo(): void {
    if (this.#spent === null) return;
    this.#budget.spendUnbooked(-this.#spent);
    this.#spent = null;
  }
}

/** A request for more of the budget, shared by all who wait for it. */
interface Refill {
  readonly minimum: bigint;
  /** Asked before anybody needed it: no grant is then no refusal. */
  readonly isAhead: boolean;
  readonly granted: Promise<bigint>;
}

/** Asks for more and counts what was granted. Resolves with that: 0n when less than the minimum was left. */
type Ask = () => Promise<bigint>;

/** Half of an amount, rounded up: less than it is less than half. */
export const halfOf = (amount: bigint): bigint => (amount + 1n) >> 1n;

/**
 * What this process may spend of a budget that other processes spend from too. Shares are granted ahead of need and
 * spent here without a clock or a database: `available = granted - held - spent and not booked`.
 */
export class LeasedBudget {
  /** Below zero when more was spent than was held. */
  #available = 0n;
  #unbooked = 0n;
  /** Half of what was available after the last grant, rounded up. */
  #halfOfFull = 0n;
  /** Counts how often all shares expired: a hold from before has nothing to release. */
  #expiries = 0;
  #refill: Refill | undefined;

  available(): bigint {
    return this.#available;
  }

  /** Spent, and not booked yet. */
  unbooked(): bigint {
    return this.#unbooked;
  }

  grant(amount: bigint): void {
    this.#halfOfFull = halfOf((this.#available > 0n ? this.#available : 0n) + amount);
    this.#available += amount;
  }

  /** Returns a part of the shares to where they came from. */
  giveBack(amount: bigint): void {
    this.#available -= amount;
    this.#halfOfFull = halfOf(this.#available);
  }

  /** All shares are void, and what they still held may be granted to others. What was spent has yet to be booked. */
  expire(): void {
    this.#expiries++;
    this.#available = -this.#unbooked;
  }

  /** Spends what needs no booking. */
  spend(amount: bigint): void {
    this.#available -= amount;
  }

  /** Undoes a `spend`. */
  unspend(amount: bigint): void {
    this.#available += amount;
  }

  hold(amount: bigint): BudgetHold {
    return new BudgetHold(this, amount);
  }

  /** For holds: reserves this much. Returns how often all shares had expired. */
  reserve(amount: bigint): number {
    this.#available -= amount;
    return this.#expiries;
  }

  /** For holds: this much is not reserved any more. A hold from before an expiry has nothing to release. */
  free(amount: bigint, expiries: number): bigint {
    if (this.#expiries !== expiries) return 0n;
    this.#available += amount;
    return amount;
  }

  /**
   * For holds: of what one held, `spent` will be booked and the rest is free again. Returns by how much more became
   * available. Every amount that is not computed saves an allocation: requests have several holds.
   */
  finish(held: bigint, spent: bigint, expiries: number): bigint {
    const freed = this.#expiries === expiries ? held : 0n;
    if (spent !== 0n) this.#unbooked += spent;
    if (freed === spent) return 0n;
    const more = freed - spent;
    this.#available += more;
    return more;
  }

  /** For holds: spends what will be booked. */
  spendUnbooked(amount: bigint): void {
    this.#unbooked += amount;
    this.#available -= amount;
  }

  /** `cost` was booked, and `covered` of it was taken off the shares. */
  book(cost: bigint, covered: bigint): void {
    this.#unbooked -= cost;
    this.#available += cost - covered;
  }

  /**
   * Whether less than half is left: of the target, or of what there was after the last grant if that was less.
   * `halfOfTarget` is rounded up. Compares only, because every hold of a request asks.
   */
  isLow(halfOfTarget: bigint): boolean {
    return this.#available < halfOfTarget && this.#available < this.#halfOfFull;
  }

  /** Asks for more before anybody needs it, unless a refill is under way. */
  refillAhead(ask: Ask): Promise<bigint> {
    return this.#request(1n, true, ask).granted;
  }

  /**
   * Waits for the refill that is under way, or asks for one. Resolves with false when so much was refused; with true
   * the caller looks again, because others who waited may have taken what was granted.
   */
  async refill(minimum: bigint, ask: Ask): Promise<boolean> {
    const refill = this.#request(minimum, false, ask);
    const refused = (await refill.granted) === 0n && !refill.isAhead && refill.minimum <= minimum;
    return !refused || this.#available >= minimum;
  }

  /** The refill that is under way. */
  refilling(): Promise<bigint> | undefined {
    return this.#refill?.granted;
  }

  #request(minimum: bigint, isAhead: boolean, ask: Ask): Refill {
    this.#refill ??= { minimum, isAhead, granted: this.#once(ask) };
    return this.#refill;
  }

  async #once(ask: Ask): Promise<bigint> {
    try {
      return await ask();
    } finally {
      this.#refill = undefined;
    }
  }
}
