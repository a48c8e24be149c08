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

/** The shared state of the accounts of one process. */
export interface Leasing {
  readonly database: Database;
  readonly log: Log;
  readonly instanceId: string;
  readonly ttlMs: number;
  /** A lease that was not confirmed for this long may have been taken back, unless the database is unavailable. */
  readonly confirmAfterMs: number;
  /** Resolves when everything this process has spent is in the database. */
  readonly drain: () => Promise<void>;
  /** Resolves once the database has a heartbeat of this process. */
  readonly ensureHeartbeat: () => Promise<void>;
  /** Other processes considered this one dead: it must write its heartbeat again. */
  readonly heartbeatLost: () => void;
  readonly isDatabaseUnavailable: () => boolean;
  readonly databaseFailed: () => void;
}

/** One account of which this process has leased credit: of an organisation, a limited key or a workspace. */
export class LeasedAccount {
  readonly #id: string;
  readonly #leasing: Leasing;
  readonly #credit = new LeasedBudget();
  readonly #size: LeaseSize;
  readonly #validity: LeaseValidity;
  /** The limit the credit was granted under; null for an organisation, whose credit only the ledger changes. */
  #limit: Pico | null;
  /** Running work during which nothing may be held. */
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

  /** Like `Credit.hold`. */
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
    // What a request does not need is left to later requests.
    const amount = largest(least, smallest(most, this.#credit.available() / share));
    const held = this.#credit.hold(amount);
    // A key's limit is often small: what one process leases ahead is missing in the others.
    if (owner === "organisation" && (this.#credit.isLow(this.#size.target()) || amount < most))
      this.refillSoon();
    /** Credit granted under an earlier limit is returned once it is free. */
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

  /** `cost` was booked, and `covered` of it was subtracted from the lease. */
  booked(cost: Pico, covered: Pico): void {
    this.#credit.book(cost, covered);
  }

  /** Leases credit ahead of the first request. */
  async warm(): Promise<void> {
    if (this.#credit.available() === 0n) await this.#credit.refillAhead(() => this.#take(1n));
  }

  /** Resolves when no request to the database is running any more. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.#credit.refilling()]);
  }

  confirmedAtMs(): number {
    return this.#validity.confirmedAtMs();
  }

  /**
   * Processes a heartbeat sent at `sentMs` that found the lease, or not. `before` is the earlier `confirmedAtMs`: a
   * lease that was taken or lost since then has newer information.
   */
  async renewed(inPlace: boolean, sentMs: number, before: number): Promise<void> {
    if (!this.#validity.exists() || this.#validity.confirmedAtMs() !== before) return;
    if (!inPlace) await this.#exclusively(async () => this.#lose());
    else {
      this.#validity.confirm(sentMs);
      this.#returnSurplus();
    }
  }

  /** Leases more during a burst, because the database may be unavailable once the lease is spent. */
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

  /** The remaining credit to report to the owner: leased by this process, or by none. */
  async #left(): Promise<Pico> {
    const { free } = await readBalance(this.#leasing.database, this.#id);
    return largest(0n, this.#credit.available() + largest(0n, free));
  }

  /** Leases until `minimum` is available, if that much is left anywhere. */
  async #lease(minimum: Pico, owner: Owner): Promise<Pico> {
    const credit = this.#credit;
    if (owner !== "organisation") await openBudget(this.#leasing.database, this.#id);
    const granted = await this.#take(minimum - credit.available());
    if (granted > 0n) return granted;
    const unbooked = credit.unbooked() > 0n;
    // A booking in progress may be in the balance already, but not in this process's count.
    if (unbooked) await this.#leasing.drain();
    const available = credit.available();
    if (available >= minimum) return 0n;
    // Small remainders in several processes may suffice together: the last process to be refused gets all of them.
    if (available > 0n) await this.#giveBack(available);
    return unbooked || available > 0n ? this.#take(minimum - credit.available()) : 0n;
  }

  async #take(minimum: Pico): Promise<Pico> {
    const { database, instanceId, ttlMs, ensureHeartbeat } = this.#leasing;
    // Without a heartbeat nobody could detect that a process with leases died.
    await ensureHeartbeat();
    const sentMs = clock.monotonicMs();
    const target = this.#size.updateTarget();
    const has = largest(0n, this.#credit.available());
    const lease = { instanceId, accountId: this.#id, ttlMs, minimum, target, has };
    const { amount, isNew } = await takeLease(database, lease);
    // The previous lease was taken back unnoticed.
    if (isNew && this.#validity.exists()) {
      this.#lose();
      await ensureHeartbeat();
    }
    this.#credit.grant(amount);
    if (amount > 0n) this.#validity.confirm(sentMs);
    return amount;
  }

  /** Credit granted under another limit does not apply to this one: it is returned and requested again. */
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

  /** Returns credit that no request waits for. If that fails it stays leased, so that too much is never spent. */
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

  /** A process that was paused, or cut off from the database, checks whether it still has its lease. */
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

  /** The lease was taken back, and its credit may be granted to others, so nothing of it counts. */
  #lose(): void {
    this.#leasing.heartbeatLost();
    this.#credit.expire();
    this.#validity.end();
    this.#leasing.log.warn(
      { event: "credit", reason: this.#id },
      "A credit lease was lost: it was taken back",
    );
  }

  /** Credit leased for a burst is returned after it, for others to spend. */
  #returnSurplus(): void {
    if (this.#credit.refilling() || this.#exclusive) return;
    const target = this.#size.updateTarget();
    this.#size.renewed();
    const surplus = this.#credit.available() - target;
    if (surplus > 0n) this.#giveBackSoon(surplus);
  }
}
