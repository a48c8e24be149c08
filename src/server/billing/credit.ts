import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { decimalFromPico, type Pico, picoFromDecimal } from "#server/platform/money.ts";
import { closeLeases, openBudget, renewLeases, takeLease } from "./credit-leases.ts";

const leaseSize = picoFromDecimal(limits.credit.leaseEur);

/** A request for credit on its way to the database, shared by all who wait for it. */
interface Refill {
  readonly need: Pico;
  /** What was lent: nothing when less than `need` was left. */
  readonly lent: Promise<Pico>;
}

interface Purse {
  /** Lent to this process and neither spent nor held, in pico-EUR. */
  available: Pico;
  refill: Refill | undefined;
  /** Nothing was left to lease ahead: not asked again before this monotonic time. */
  askAheadAtMs: number;
}

/** Whose money it is: an organisation's credits, or what an API key may spend of them. */
export type Owner = "organisation" | "key";

/** Credit reserved for one request. */
export interface Hold {
  /** Gives back all but what was really spent. Only the first call counts. */
  settle(spent: Pico): void;
}

/**
 * Holds credit before money is spent, from credit the database lent to this process ahead of time, so that the
 * inference path asks the database nothing. The sum of what all processes may spend never exceeds the balance.
 */
export class Credit {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #log: Log;
  readonly #purses = new Map<string, Purse>();
  readonly #renewal: NodeJS.Timeout;

  constructor(database: Database, instanceId: string, log: Log) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#log = log;
    this.#renewal = setInterval(() => {
      renewLeases(database, instanceId).catch((error: unknown) =>
        log.warn({ event: "credit", error }, "Credit leases could not be renewed"),
      );
    }, limits.credit.leaseTtlMs / 4).unref();
  }

  /**
   * Reserves `amount` pico-EUR. Synchronous in substance while the lease suffices; otherwise asks the database
   * for more. Throws INSUFFICIENT_QUOTA when the owner has less than `amount` left. `id` is the owner's.
   */
  async hold(id: string, amount: Pico, owner: Owner = "organisation"): Promise<Hold> {
    const purse = this.#purse(id);
    while (purse.available < amount) {
      const refill = this.#refill(id, purse, amount - purse.available, owner);
      const refused = (await refill.lent) === 0n;
      // A refusal counts for those who need as much or more; what was lent may be taken by who waited before us.
      if (refused && refill.need <= amount - purse.available)
        throw insufficient(amount, purse.available, owner);
    }
    purse.available -= amount;
    // A key's limit is often small: what one process borrows ahead, the others would be refused.
    if (owner === "organisation" && purse.available < leaseSize / 2n) this.#refillSoon(id, purse);
    let settled = false;
    return {
      settle: (spent) => {
        if (settled) return;
        settled = true;
        purse.available += amount - spent;
      },
    };
  }

  /** Asks for this organisation's first lease, so that its first request finds credit here. */
  async warm(orgId: string): Promise<void> {
    const purse = this.#purse(orgId);
    if (purse.available === 0n) await this.#refill(orgId, purse, 1n).lent;
  }

  /** Returns all leases. Everything spent must have been booked before. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    await Promise.allSettled([...this.#purses.values()].map((purse) => purse.refill?.lent));
    this.#purses.clear();
    await closeLeases(this.#database, this.#instanceId);
  }

  #purse(orgId: string): Purse {
    let purse = this.#purses.get(orgId);
    if (!purse) {
      purse = { available: 0n, refill: undefined, askAheadAtMs: 0 };
      this.#purses.set(orgId, purse);
    }
    return purse;
  }

  #refill(orgId: string, purse: Purse, need: Pico, owner: Owner = "organisation"): Refill {
    purse.refill ??= { need, lent: this.#lease(orgId, purse, need, owner) };
    return purse.refill;
  }

  async #lease(orgId: string, purse: Purse, need: Pico, owner: Owner): Promise<Pico> {
    try {
      if (owner === "key") await openBudget(this.#database, orgId);
      const lent = await takeLease(this.#database, {
        instanceId: this.#instanceId,
        orgId,
        need,
        want: leaseSize,
      });
      purse.available += lent;
      return lent;
    } finally {
      purse.refill = undefined;
    }
  }

  #refillSoon(orgId: string, purse: Purse): void {
    if (clock.monotonicMs() < purse.askAheadAtMs) return;
    const wait = () => {
      purse.askAheadAtMs = clock.monotonicMs() + limits.credit.askAheadAfterMs;
    };
    this.#refill(orgId, purse, 1n).lent.then(
      (lent) => {
        if (lent === 0n) wait();
      },
      (error: unknown) => {
        wait();
        this.#log.warn({ event: "credit", error }, "Credit could not be leased ahead");
      },
    );
  }
}

const ownersCredit: Record<Owner, string> = {
  organisation: "the credit that is left",
  key: "what is left of the API key's limit",
};

const insufficient = (needed: Pico, available: Pico, owner: Owner): AppError =>
  new AppError(
    "INSUFFICIENT_QUOTA",
    `This request may cost up to EUR ${decimalFromPico(needed, 6)}, more than ${ownersCredit[owner]}`,
    {
      metadata: {
        limit_of: owner,
        needed_eur: decimalFromPico(needed, 10),
        available_eur: decimalFromPico(available, 10),
      },
    },
  );
