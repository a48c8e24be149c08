import type { Budget } from "#server/auth/caller.ts";
import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { decimalFromPico, largest, type Pico, picoFromDecimal, smallest } from "#server/platform/money.ts";
import {
  closeLeases,
  openBudget,
  readBalance,
  renewLease,
  renewLeases,
  returnLease,
  sweepLeases,
  takeLease,
} from "./credit-leases.ts";
import { Pace } from "./pace.ts";

const leaseSize = picoFromDecimal(limits.credit.leaseEur);
const share = BigInt(limits.credit.holdShareOfLent);

/** A request for credit on its way to the database, shared by all who wait for it. */
interface Refill {
  readonly need: Pico;
  /** Asked before anybody needed it: that nothing was lent is no answer to who needs some. */
  readonly ahead: boolean;
  /** What was lent: nothing when less than `need` was left. */
  readonly lent: Promise<Pico>;
}

interface Purse {
  /** Lent to this process and neither spent nor held, in pico-EUR. Below zero when a lost lease was overspent. */
  available: Pico;
  /** The lease surely stands until this monotonic time, which began before the database's; 0 without a lease. */
  leasedUntilMs: number;
  /** Counts the leases that were lost: a hold of a lost one gives nothing back. */
  losses: number;
  /** The limit it was lent under; null for an organisation, whose credit only an entry of the ledger changes. */
  limit: Pico | null;
  refill: Refill | undefined;
  revival: Promise<void> | undefined;
  /** How fast it is spent: with the database away the purse is to last as long as its lease stands. */
  readonly pace: Pace;
  /** With less than this more is leased ahead. */
  low: Pico;
  /** The most one request would have held since the leases were last renewed. */
  wish: Pico;
  /** Too little was left to lease ahead: not asked again before this monotonic time. */
  askAheadAtMs: number;
}

/** Whose money it is: an organisation's credits, or what an API key or a workspace may spend of them. */
export type Owner = "organisation" | Budget["owner"];

/** Whose money is asked for, the limit it has, and what will do where all that is asked for is not at hand. */
interface Bound {
  readonly owner?: Owner;
  readonly limit?: Pico | null;
  readonly least?: Pico;
}

/** Credit reserved for one request. */
export interface Hold {
  readonly amount: Pico;
  /** Gives back what is beyond `amount`, for others to hold. */
  reduce(amount: Pico): void;
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
  readonly #ttlMs: number;
  readonly #booked: () => Promise<void>;
  readonly #purses = new Map<string, Purse>();
  readonly #renewal: NodeJS.Timeout;
  readonly #look: NodeJS.Timeout;

  /** `booked` resolves when everything this process has spent is in the database. */
  constructor(
    database: Database,
    instanceId: string,
    log: Log,
    options: { readonly leaseTtlMs?: number; readonly booked?: () => Promise<void> } = {},
  ) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#log = log;
    this.#ttlMs = options.leaseTtlMs ?? limits.credit.leaseTtlMs;
    this.#booked = options.booked ?? (async () => {});
    this.#renewal = setInterval(() => {
      this.#renew().catch((error: unknown) =>
        log.warn({ event: "credit", error }, "Credit leases could not be renewed"),
      );
    }, this.#ttlMs / 4).unref();
    this.#look = setInterval(() => this.#lookAhead(), limits.credit.paceEveryMs).unref();
  }

  /**
   * Reserves `most` pico-EUR, or less where little is lent to this process, but `least` always. Synchronous in
   * substance while the lease suffices for that; otherwise asks the database for more. Throws INSUFFICIENT_QUOTA
   * when the owner has less than `least` left, SERVICE_UNAVAILABLE when the database has to be asked and cannot
   * be. `id` is the owner's.
   */
  async hold(
    id: string,
    most: Pico,
    { owner = "organisation", limit = null, least = most }: Bound = {},
  ): Promise<Hold> {
    if (most === 0n) return { amount: 0n, reduce: () => {}, settle: () => {} };
    const purse = this.#purse(id, limit);
    if (least < most) purse.wish = largest(purse.wish, most);
    if (purse.limit !== limit) await unavailable(this.#rebind(id, purse, limit));
    for (;;) {
      if (purse.revival || (purse.leasedUntilMs !== 0 && purse.leasedUntilMs <= clock.monotonicMs()))
        await unavailable(this.#alone(purse, () => this.#revive(id, purse)));
      if (purse.available >= least) break;
      const refill = this.#refill(id, purse, least, owner);
      const refused = (await unavailable(refill.lent)) === 0n && !refill.ahead;
      // A refusal counts for those who need as much or more; what was lent may be taken by who waited before us.
      if (refused && purse.available < least && refill.need <= least)
        throw insufficient(least, await unavailable(this.#leftOf(id, purse)), owner);
    }
    // What it may do without must not be kept from the requests after it.
    const amount = largest(least, smallest(most, purse.available / share));
    purse.available -= amount;
    // A key's limit is often small: what one process borrows ahead, the others would be refused.
    if (owner === "organisation" && (purse.available < purse.low || amount < most))
      this.#refillSoon(id, purse);
    const { losses } = purse;
    let held = amount;
    let settled = false;
    const giveBack = (back: Pico) => {
      if (purse.limit === limit || back <= 0n) purse.available += back;
      else this.#return(id, back);
    };
    return {
      amount,
      reduce: (to) => {
        if (settled || to >= held) return;
        if (purse.losses === losses) giveBack(held - to);
        held = to;
      },
      settle: (spent) => {
        if (settled) return;
        settled = true;
        purse.pace.spend(spent);
        giveBack((purse.losses === losses ? held : 0n) - spent);
      },
    };
  }

  /** Asks for this organisation's first lease, so that its first request finds credit here. */
  async warm(orgId: string): Promise<void> {
    const purse = this.#purse(orgId);
    if (purse.available === 0n) await this.#ahead(orgId, purse).lent;
  }

  /** Returns all leases. Everything spent must have been booked before. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    clearInterval(this.#look);
    await Promise.allSettled([...this.#purses.values()].map((purse) => purse.refill?.lent));
    this.#purses.clear();
    await closeLeases(this.#database, this.#instanceId);
  }

  #purse(orgId: string, limit: Pico | null = null): Purse {
    let purse = this.#purses.get(orgId);
    if (!purse) {
      purse = {
        limit,
        available: 0n,
        leasedUntilMs: 0,
        losses: 0,
        refill: undefined,
        revival: undefined,
        pace: new Pace(),
        low: leaseSize / 2n,
        wish: 0n,
        askAheadAtMs: 0,
      };
      this.#purses.set(orgId, purse);
    }
    return purse;
  }

  /** What its owner could be told they have: here, and not lent to anybody. */
  async #leftOf(id: string, purse: Purse): Promise<Pico> {
    const { free } = await readBalance(this.#database, id);
    return largest(0n, purse.available) + largest(0n, free);
  }

  /** Brings the purse to `need` at least. */
  #refill(orgId: string, purse: Purse, need: Pico, owner: Owner): Refill {
    purse.refill ??= { need, ahead: false, lent: this.#lease(orgId, purse, need, owner) };
    return purse.refill;
  }

  #ahead(orgId: string, purse: Purse): Refill {
    purse.refill ??= {
      need: 1n,
      ahead: true,
      lent: this.#take(orgId, purse, 1n).finally(() => {
        purse.refill = undefined;
      }),
    };
    return purse.refill;
  }

  async #lease(orgId: string, purse: Purse, need: Pico, owner: Owner): Promise<Pico> {
    try {
      if (owner !== "organisation") await openBudget(this.#database, orgId);
      const lent = await this.#take(orgId, purse, need - purse.available);
      if (lent > 0n || purse.available <= 0n || purse.available >= need) return lent;
      // Too little here and too little there may be enough together: whoever is refused last, of all processes, gets it.
      const { available } = purse;
      purse.available = 0n;
      await returnLease(this.#database, { instanceId: this.#instanceId, orgId, amount: available });
      return await this.#take(orgId, purse, need);
    } finally {
      purse.refill = undefined;
    }
  }

  async #take(orgId: string, purse: Purse, need: Pico): Promise<Pico> {
    const askedMs = clock.monotonicMs();
    const lease = { instanceId: this.#instanceId, orgId, ttlMs: this.#ttlMs };
    const want = this.#wantOf(purse);
    const has = largest(0n, purse.available);
    const { amount, anew } = await takeLease(this.#database, { ...lease, need, want, has });
    // With less than it wants, for there is no more to be lent, it asks again once half of that is gone.
    purse.low = smallest(want, has + amount) / 2n;
    // Nobody had noticed that the lease before this one was taken back.
    if (anew && purse.leasedUntilMs !== 0) await this.#lose(orgId, purse);
    purse.available += amount;
    if (amount > 0n) purse.leasedUntilMs = askedMs + this.#ttlMs;
    return amount;
  }

  /** What was lent under another limit says nothing about this one: it goes back, and is asked for anew. */
  async #rebind(id: string, purse: Purse, limit: Pico | null): Promise<void> {
    await purse.revival;
    await this.#alone(purse, async () => {
      await purse.refill?.lent;
      const { available } = purse;
      if (available > 0n) {
        purse.available = 0n;
        await returnLease(this.#database, { instanceId: this.#instanceId, orgId: id, amount: available });
      }
      purse.limit = limit;
    });
  }

  /** Gives back what nobody waits for. While that fails it stays lent, so that too much is never spent. */
  #return(id: string, amount: Pico): void {
    returnLease(this.#database, { instanceId: this.#instanceId, orgId: id, amount }).catch((error: unknown) =>
      this.#log.warn({ event: "credit", error }, "Credit could not be given back"),
    );
  }

  /** While it runs nothing is held of the purse; who comes meanwhile waits for it. */
  #alone(purse: Purse, work: () => Promise<void>): Promise<void> {
    purse.revival ??= work().finally(() => {
      purse.revival = undefined;
    });
    return purse.revival;
  }

  /** A process that was paused, or cut off from the database, past its lease asks whether it still has one (F25). */
  async #revive(orgId: string, purse: Purse): Promise<void> {
    await purse.refill?.lent;
    const askedMs = clock.monotonicMs();
    const lease = { instanceId: this.#instanceId, orgId, ttlMs: this.#ttlMs };
    if (await renewLease(this.#database, lease)) purse.leasedUntilMs = askedMs + this.#ttlMs;
    else await this.#lose(orgId, purse);
  }

  /** Others may have been lent what this purse held: nothing of it counts, and all that was spent of it is booked first. */
  async #lose(orgId: string, purse: Purse): Promise<void> {
    purse.losses++;
    purse.available = 0n;
    purse.leasedUntilMs = 0;
    this.#log.warn(
      { event: "credit", reason: orgId },
      "A credit lease was lost: it expired and was taken back",
    );
    await this.#booked();
  }

  /** Renews first, so that a process that was away for long takes no lease of its own for a dead one's. */
  async #renew(): Promise<void> {
    const askedMs = clock.monotonicMs();
    const before = new Map([...this.#purses].map(([id, purse]) => [id, purse.leasedUntilMs]));
    const standing = await renewLeases(this.#database, this.#instanceId, this.#ttlMs);
    for (const [id, leasedUntilMs] of before) {
      const purse = this.#purses.get(id);
      // One that was leased or lost meanwhile has news of its own.
      if (!purse || leasedUntilMs === 0 || purse.leasedUntilMs !== leasedUntilMs) continue;
      if (standing.has(id)) {
        purse.leasedUntilMs = askedMs + this.#ttlMs;
        this.#returnSurplus(id, purse);
      } else await this.#alone(purse, () => this.#lose(id, purse));
    }
    await sweepLeases(this.#database, { instanceId: this.#instanceId });
  }

  /** What is to be lent here: enough for a lease's time, and for several of the largest requests at once. */
  #wantOf({ pace, wish }: Purse): Pico {
    return largest(largest(leaseSize, pace.forecast(this.#ttlMs)), wish * share * 2n);
  }

  /** A rush that began after the last lease is noticed before that is spent: by then the database may be away. */
  #lookAhead(): void {
    for (const [id, purse] of this.#purses) {
      const isOrganisations = purse.limit === null;
      const isShort = purse.available * 8n < purse.pace.forecast(this.#ttlMs) * 7n;
      if (isOrganisations && isShort && purse.leasedUntilMs !== 0) this.#refillSoon(id, purse);
    }
  }

  /** What was lent for a rush goes back when that is over, for others to spend. */
  #returnSurplus(id: string, purse: Purse): void {
    if (purse.refill || purse.revival) return;
    const want = this.#wantOf(purse);
    purse.wish = 0n;
    const surplus = purse.available - want;
    if (surplus <= 0n) return;
    purse.available -= surplus;
    purse.low = want / 2n;
    this.#return(id, surplus);
  }

  #refillSoon(orgId: string, purse: Purse): void {
    if (clock.monotonicMs() < purse.askAheadAtMs) return;
    const wait = () => {
      purse.askAheadAtMs = clock.monotonicMs() + limits.credit.askAheadAfterMs;
    };
    this.#ahead(orgId, purse).lent.then(
      () => {
        if (purse.available < largest(purse.low, purse.wish * share)) wait();
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
  workspace: "what is left of the workspace's limit",
};

/** What the database could not be asked for is no refusal of the owner's. */
const unavailable = <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    throw new AppError("SERVICE_UNAVAILABLE", "Credit cannot be reserved at the moment", {
      headers: { "retry-after": "5" },
      cause: error,
    });
  });

const insufficient = (needed: Pico, available: Pico, owner: Owner): AppError =>
  new AppError(
    "INSUFFICIENT_QUOTA",
    `This request may cost up to EUR ${decimalFromPico(needed, 6)}, more than ${ownersCredit[owner]}`,
    {
      metadata: {
        limit_of: owner,
        needed_eur: decimalFromPico(needed, 10),
        available_eur: decimalFromPico(available, 10),
        missing_eur: decimalFromPico(largest(0n, needed - available), 10),
      },
    },
  );
