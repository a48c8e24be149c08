import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { LeasedBudget } from "#server/platform/leased-budget.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { largest, type Pico, smallest } from "#server/platform/money.ts";
import { insufficientQuota, orUnavailable } from "./credit-errors.ts";
import { openBudget, readBalance, renewLease, returnLease, takeLease } from "./credit-leases.ts";
import type { Hold, Owner } from "./hold.ts";
import { LeaseSize } from "./lease-size.ts";
import { LeaseValidity } from "./lease-validity.ts";

const share = BigInt(limits.credit.holdShareOfGranted);

/** What the accounts of one process share. */
export interface Leasing {
  readonly database: Database;
  readonly log: Log;
  readonly instanceId: string;
  readonly ttlMs: number;
  /** A lease that was not confirmed for so long may have been taken back, unless the database is unavailable. */
  readonly confirmAfterMs: number;
  /** Resolves when everything this process has spent is in the database. */
  readonly drain: () => Promise<void>;
  /** Resolves once the database has a heartbeat of this process. */
  readonly ensureHeartbeat: () => Promise<void>;
  /** Other processes took this one for dead: its heartbeat has to be written again. */
  readonly heartbeatLost: () => void;
  readonly isDatabaseUnavailable: () => boolean;
  readonly databaseFailed: () => void;
}

/** One account of which this process has leased credit: an organisation's, or that of a limited key or workspace. */
export class LeasedAccount {
  readonly #id: string;
  readonly #leasing: Leasing;
  readonly #credit = new LeasedBudget();
  readonly #size: LeaseSize;
  readonly #validity: LeaseValidity;
  /** The limit the credit was granted under; null for an organisation, whose credit only the ledger changes. */
  #limit: Pico | null;
  /** Work during which nothing is held. */
  #exclusive: Promise<void> | undefined;
  /** Too little was left to lease ahead: not asked again before this monotonic time. */
  #askAheadAtMs = 0;

  constructor(id: string, limit: Pico | null, leasing: Leasing) {
    this.#id = id;
    this.#limit = limit;
    this.#leasing = leasing;
    this.#size = new LeaseSize(leasing.ttlMs);
    this.#validity = new LeaseValidity(leasing);
  }

  /** As `Credit.hold`. */
  async hold(most: Pico, least: Pico, owner: Owner, limit: Pico | null): Promise<Hold> {
    if (least < most) this.#size.requested(most);
    if (this.#limit !== limit) await orUnavailable(this.#changeLimit(limit));
    for (;;) {
      if (this.#exclusive || this.#validity.mustConfirm(this.#leasing.isDatabaseUnavailable))
        await orUnavailable(this.#exclusively(() => this.#confirm()));
      if (this.#credit.available() >= least) break;
      if (!(await orUnavailable(this.#credit.refill(least, () => this.#lease(least, owner)))))
        throw insufficientQuota(least, await orUnavailable(this.#left()), owner);
    }
    // What a request can do without is left to the requests after it.
    const amount = largest(least, smallest(most, this.#credit.available() / share));
    const held = this.#credit.hold(amount);
    // A key's limit is often small: what one process leases ahead, the others would be refused.
    if (owner === "organisation" && (this.#credit.isLow(this.#size.target()) || amount < most))
      this.refillSoon();
    /** What was granted under another limit than today's goes back once it is free. */
    const freed = (amount: Pico) => {
      if (this.#limit !== limit && amount > 0n) this.#giveBackSoon(amount);
    };
    return {
      amount,
      reduce: (to) => freed(held.reduce(to)),
      release: (spent) => {
        this.#size.spent(spent);
        freed(held.release(spent));
      },
      undo: () => held.undo(),
    };
  }

  /** `cost` was booked, and `covered` of it was taken off the lease. */
  booked(cost: Pico, covered: Pico): void {
    this.#credit.book(cost, covered);
  }

  /** Leases credit ahead of the first request. */
  async warm(): Promise<void> {
    if (this.#credit.available() === 0n) await this.#credit.refillAhead(() => this.#take(1n));
  }

  /** Resolves when nothing is asked of the database any more. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.#credit.refilling()]);
  }

  confirmedAtMs(): number {
    return this.#validity.confirmedAtMs();
  }

  /**
   * A heartbeat sent at `sentMs` found the lease in place, or not. `before` is what `confirmedAtMs` was then: a lease
   * that was taken or lost in the meantime has newer information.
   */
  async renewed(inPlace: boolean, sentMs: number, before: number): Promise<void> {
    if (!this.#validity.exists() || this.#validity.confirmedAtMs() !== before) return;
    if (!inPlace) await this.#exclusively(async () => this.#lose());
    else {
      this.#validity.confirm(sentMs);
      this.#returnSurplus();
    }
  }

  /** Leases more when a burst began after the last lease: once that is spent the database may be unavailable. */
  lookAhead(): void {
    const isShort = this.#credit.available() * 8n < this.#size.forecast() * 7n;
    if (this.#limit === null && isShort && this.#validity.exists()) this.refillSoon();
  }

  refillSoon(): void {
    if (clock.monotonicMs() < this.#askAheadAtMs) return;
    const wait = () => {
      this.#askAheadAtMs = clock.monotonicMs() + limits.credit.askAheadAfterMs;
    };
    this.#credit
      .refillAhead(() => this.#take(1n))
      .then(
        () => {
          const isShort = this.#credit.available() < this.#size.roomForLargest();
          if (isShort || this.#credit.isLow(this.#size.target())) wait();
        },
        (error: unknown) => {
          wait();
          this.#leasing.log.warn({ event: "credit", error }, "Credit could not be leased ahead");
        },
      );
  }

  /** What the owner can be told they have: leased by this process, or by none. */
  async #left(): Promise<Pico> {
    const { free } = await readBalance(this.#leasing.database, this.#id);
    return largest(0n, this.#credit.available() + largest(0n, free));
  }

  /** Brings what is available to `minimum`, if so much is left anywhere. */
  async #lease(minimum: Pico, owner: Owner): Promise<Pico> {
    const credit = this.#credit;
    if (owner !== "organisation") await openBudget(this.#leasing.database, this.#id);
    const granted = await this.#take(minimum - credit.available());
    if (granted > 0n) return granted;
    const unbooked = credit.unbooked() > 0n;
    // What is being booked may be off the balance already and not off this process's count.
    if (unbooked) await this.#leasing.drain();
    const available = credit.available();
    if (available >= minimum) return 0n;
    // Too little here and too little there may be enough together: the process that is refused last gets all of it.
    if (available > 0n) await this.#giveBack(available);
    return unbooked || available > 0n ? this.#take(minimum - credit.available()) : 0n;
  }

  async #take(minimum: Pico): Promise<Pico> {
    const { database, instanceId, ttlMs, ensureHeartbeat } = this.#leasing;
    // Without a heartbeat nobody could tell that a process with leases died.
    await ensureHeartbeat();
    const sentMs = clock.monotonicMs();
    const target = this.#size.updateTarget();
    const has = largest(0n, this.#credit.available());
    const lease = { instanceId, accountId: this.#id, ttlMs, minimum, target, has };
    const { amount, isNew } = await takeLease(database, lease);
    // The lease before this one was taken back, and nobody had noticed.
    if (isNew && this.#validity.exists()) {
      this.#lose();
      await ensureHeartbeat();
    }
    this.#credit.grant(amount);
    if (amount > 0n) this.#validity.confirm(sentMs);
    return amount;
  }

  /** What was granted under another limit says nothing about this one: it goes back, and is asked for again. */
  async #changeLimit(limit: Pico | null): Promise<void> {
    await this.#exclusive;
    await this.#exclusively(async () => {
      await this.#credit.refilling();
      const available = this.#credit.available();
      if (available > 0n) await this.#giveBack(available);
      this.#limit = limit;
    });
  }

  #giveBack(amount: Pico): Promise<void> {
    const { database, instanceId } = this.#leasing;
    this.#credit.giveBack(amount);
    return returnLease(database, { instanceId, accountId: this.#id, amount });
  }

  /** Gives back what nobody waits for. If that fails it stays leased, so that too much is never spent. */
  #giveBackSoon(amount: Pico): void {
    this.#giveBack(amount).catch((error: unknown) =>
      this.#leasing.log.warn({ event: "credit", error }, "Credit could not be given back"),
    );
  }

  #exclusively(work: () => Promise<void>): Promise<void> {
    this.#exclusive ??= work().finally(() => {
      this.#exclusive = undefined;
    });
    return this.#exclusive;
  }

  /** A process that was paused, or cut off from the database, asks whether it still has its lease. */
  async #confirm(): Promise<void> {
    await this.#credit.refilling();
    const { database, instanceId, ttlMs, databaseFailed } = this.#leasing;
    const sentMs = clock.monotonicMs();
    try {
      if (await renewLease(database, { instanceId, accountId: this.#id, ttlMs }))
        this.#validity.confirm(sentMs);
      else this.#lose();
    } catch (error) {
      if (this.#validity.isOverAt(sentMs)) throw error;
      databaseFailed();
    }
  }

  /** The lease was taken back, and its credit may be granted to others: nothing of it counts any more. */
  #lose(): void {
    this.#leasing.heartbeatLost();
    this.#credit.expire();
    this.#validity.end();
    this.#leasing.log.warn(
      { event: "credit", reason: this.#id },
      "A credit lease was lost: it was taken back",
    );
  }

  /** What was leased for a burst goes back when that is over, for others to spend. */
  #returnSurplus(): void {
    if (this.#credit.refilling() || this.#exclusive) return;
    const target = this.#size.updateTarget();
    this.#size.renewed();
    const surplus = this.#credit.available() - target;
    if (surplus > 0n) this.#giveBackSoon(surplus);
  }
}
