import type { Pico } from "#server/platform/money.ts";

/** Credit reserved for one request. */
export interface LocalHold {
  /** What it still reserves. */
  amount(): Pico;
  /** Releases what is beyond `to`. Returns by how much more is available for it. */
  reduce(to: Pico): Pico;
  /**
   * Ends it with what was really spent, which is booked later. Returns by how much more is available for it, below
   * zero when more was spent than held. Only the first call counts.
   */
  settle(spent: Pico): Pico;
  /** Takes a `settle` back whose spending will never be booked: nothing was recorded of it. */
  undo(): void;
}

/**
 * What one process may spend of one account, counted in pico-EUR without a clock or a database:
 * `available = leased - held - unbooked`. `leased` follows what the database says is left of the lease; whatever is
 * booked there is subtracted here once it is reported. Below zero when more was spent than was held.
 */
export class LocalCredit {
  #leased: Pico = 0n;
  #held: Pico = 0n;
  #unbooked: Pico = 0n;
  /** Counts the leases that were lost: nothing is reserved any more for the holds of a lost one. */
  #losses = 0;

  available(): Pico {
    return this.#leased - this.#held - this.#unbooked;
  }

  unbooked(): Pico {
    return this.#unbooked;
  }

  /** The database lent so much more. */
  lend(amount: Pico): void {
    this.#leased += amount;
  }

  /** So much of the lease goes back to the database. */
  giveBack(amount: Pico): void {
    this.#leased -= amount;
  }

  /** The lease was taken back: what was spent of it is booked off later leases. */
  lose(): void {
    this.#losses++;
    this.#leased = 0n;
    this.#held = 0n;
  }

  /** `cost` is in the database now, and `covered` of it came off the lease. */
  book(cost: Pico, covered: Pico): void {
    this.#unbooked -= cost;
    this.#leased -= covered;
  }

  hold(amount: Pico): LocalHold {
    const losses = this.#losses;
    let held = amount;
    let settled: Pico | null = null;
    this.#held += amount;
    const release = (amount: Pico): Pico => {
      if (this.#losses !== losses) return 0n;
      this.#held -= amount;
      return amount;
    };
    return {
      amount: () => held,
      reduce: (to) => {
        if (settled !== null || to >= held) return 0n;
        const released = release(held - to);
        held = to;
        return released;
      },
      settle: (spent) => {
        if (settled !== null) return 0n;
        settled = spent;
        const released = release(held);
        held = 0n;
        this.#unbooked += spent;
        return released - spent;
      },
      undo: () => {
        if (settled === null) return;
        this.#unbooked -= settled;
        settled = null;
      },
    };
  }
}
