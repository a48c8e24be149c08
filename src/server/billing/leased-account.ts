import { setImmediate as nextTurn } from "node:timers/promises";
import { clock } from "#server/platform/clock.ts";
import { LeasedBudget } from "#server/platform/leased-budget.ts";
import { limits } from "#server/platform/limits.ts";
import { largest, type Pico, smallest } from "#server/platform/money.ts";
import { AccountHold } from "./account-hold.ts";
import { AccountLease } from "./account-lease.ts";
import { AccountUsers } from "./account-users.ts";
import { orUnavailable, refusal } from "./credit-errors.ts";
import { openAccount } from "./credit-leases.ts";
import { type Counter, type Hold, nothingHeld } from "./hold.ts";
import { LeaseSize } from "./lease-size.ts";
import { LeaseValidity } from "./lease-validity.ts";
import type { Holder, Leasing } from "./leasing.ts";

const share = BigInt(limits.credit.holdShareOfGranted);

/** One account of which this process has leased credit: of an organisation, a limited key, a workspace or a counter. */
export class LeasedAccount {
  readonly #id: string;
  readonly #leasing: Leasing;
  readonly #lease: AccountLease;
  readonly #credit = new LeasedBudget();
  readonly size: LeaseSize;
  readonly #validity: LeaseValidity;
  /** The limit the credit was granted under; null for an organisation, whose credit only the ledger changes. */
  #limit: Pico | null;
  /** Running work during which nothing may be held. */
  #exclusive: Promise<void> | undefined;
  /** Too little was left to lease ahead: not asked again before this monotonic time. */
  #askAheadAtMs = 0;
  /** What no process had leased, after the last grant. */
  #free: Pico = 0n;
  /** Of a counter, when it was last opened. */
  #counterState: Awaited<ReturnType<Counter["open"]>> = "open";
  readonly users = new AccountUsers();

  constructor(id: string, limit: Pico | null, leasing: Leasing) {
    this.#id = id;
    this.#limit = limit;
    this.#leasing = leasing;
    this.#lease = new AccountLease(id, leasing);
    this.size = new LeaseSize(leasing.ttlMs);
    this.#validity = new LeaseValidity(leasing);
  }

  /** Like `Credit.hold`. */
  async hold(most: Pico, least: Pico, holder: Holder): Promise<Hold> {
    if (least < most) this.size.requested(most);
    this.users.enter();
    let isProvided = false;
    try {
      // Nothing is awaited between the last look and the hold: other requests would take what was seen.
      while (!this.#has(least, holder.limit)) if (!(await this.#provide(least, holder))) return nothingHeld;
      isProvided = true;
    } finally {
      if (!isProvided) this.users.leave();
    }
    return this.#held(most, least, holder);
  }

  /** Like `hold` if nothing has to be waited for, else null. */
  holdNow(most: Pico, least: Pico, holder: Holder, nowMs: number): Hold | null {
    if (!this.#has(least, holder.limit, nowMs)) return null;
    if (least < most) this.size.requested(most);
    this.users.enter();
    return this.#held(most, least, holder);
  }

  /** Holds what is available. The request was counted as a user. */
  #held(most: Pico, least: Pico, { owner, limit, counter }: Holder): Hold {
    // What a request does not need is left to later requests.
    const amount = least < most ? largest(least, smallest(most, this.#credit.available() / share)) : least;
    const held = new AccountHold(this, this.#credit, amount, limit, this.#free);
    // A key's limit is often small: what one process leases ahead is missing in the others. Counters are recalled.
    const isAhead = owner === "organisation" || (counter !== undefined && this.#free > 0n);
    if (isAhead && (this.#credit.isLow(this.size.halfOfTarget()) || amount < most)) this.refillSoon();
    return held;
  }

  /** Credit granted under an earlier limit is returned once it is free. */
  freed(amount: Pico, limit: Pico | null): void {
    if (this.#limit !== limit && amount > 0n) this.#giveBackSoon(amount);
  }

  /** Whether this much can be held now, under this limit. */
  #has(least: Pico, limit: Pico | null, nowMs?: number): boolean {
    const isUsable = this.#limit === limit && !this.#exclusive && !this.#mustConfirm(nowMs);
    return isUsable && this.#credit.available() >= least;
  }

  #mustConfirm(nowMs?: number): boolean {
    return this.#validity.mustConfirm(this.#leasing.isDatabaseUnavailable, nowMs);
  }

  /** Asks the database for what is missing. False if nothing limits the request. Throws if too little is left. */
  async #provide(least: Pico, holder: Holder): Promise<boolean> {
    if (this.#limit !== holder.limit) await orUnavailable(this.#changeLimit(holder.limit));
    if (this.#exclusive || this.#mustConfirm()) await orUnavailable(this.#exclusively(() => this.#confirm()));
    if (this.#credit.available() >= least) return true;
    const isLeft = await orUnavailable(this.#credit.refill(least, () => this.#leaseMore(least, holder)));
    if (this.#counterState === "gone") return false;
    if (isLeft && this.#counterState === "open") return true;
    if (this.#counterState === "full") throw refusal(least, null, holder);
    const free = await orUnavailable(this.#lease.free());
    throw refusal(least, largest(0n, this.#credit.available() + largest(0n, free)), holder);
  }

  /** `cost` was booked, and `covered` of it was subtracted from the lease. */
  booked(cost: Pico, covered: Pico): void {
    this.#credit.book(cost, covered);
  }

  /** Leases credit ahead of the first request. */
  async warm(): Promise<void> {
    if (this.#credit.available() === 0n) await this.#credit.refillAhead(() => this.#take(1n));
  }

  /** No request needs it, all its spending is booked, and it was not used for this long. */
  isIdle(forMs: number): boolean {
    return this.#credit.unbooked() === 0n && this.users.isIdle(forMs);
  }

  /** Returns the lease of an idle account. Requests that arrive meanwhile wait. */
  retire(): Promise<void> {
    return this.#exclusively(async () => {
      await this.#credit.refilling();
      const available = this.#credit.available();
      if (available > 0n) await this.#giveBack(available);
      await this.#lease.close();
      this.#credit.expire();
      this.#validity.end();
    });
  }

  /** Returns what no request holds, because another process needs it. */
  async answer(recalledAt: string): Promise<void> {
    // It waits for no refill of its own: that may wait for the answer of the process that asks.
    await this.#exclusive;
    await this.#lease.moved();
    // Requests that waited for what was granted come first.
    await nextTurn();
    const available = this.#credit.available();
    if (available > 0n) await this.#giveBack(available);
    await this.#lease.answer(recalledAt);
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
    const isShort = this.#credit.available() * 8n < this.size.forecast() * 7n;
    if (this.#limit === null && isShort && this.#validity.exists()) this.refillSoon();
  }

  refillSoon(): void {
    if (clock.monotonicMs() < this.#askAheadAtMs) return;
    const wait = () => {
      this.#askAheadAtMs = clock.monotonicMs() + limits.credit.askAheadAfterMs;
    };
    this.#credit
      .refillAhead(() => this.#take(1n, true))
      .then(
        () => {
          const isShort = this.#credit.available() < this.size.roomForLargest();
          if (isShort || this.#credit.isLow(this.size.halfOfTarget())) wait();
        },
        (error: unknown) => {
          wait();
          this.#leasing.log.warn({ event: "credit", error }, "Credit could not be leased ahead");
        },
      );
  }

  /** Leases until `minimum` is available, if that much is left anywhere. */
  async #leaseMore(minimum: Pico, holder: Holder): Promise<Pico> {
    const credit = this.#credit;
    this.#counterState = await openAccount(this.#leasing.database, this.#id, holder);
    if (this.#counterState !== "open") return 0n;
    const granted = await this.#take(minimum - credit.available());
    if (granted > 0n) return granted;
    const unbooked = credit.unbooked() > 0n;
    // A booking in progress may be in the balance already, but not in this process's count.
    if (unbooked) await this.#leasing.drain();
    const available = credit.available();
    if (available >= minimum) return 0n;
    // Small remainders in several processes may suffice together: the last process to be refused gets all of them.
    if (available > 0n) await this.#giveBack(available);
    const again = unbooked || available > 0n ? await this.#take(minimum - credit.available()) : 0n;
    if (again > 0n || holder.owner === "organisation") return again;
    const missing = minimum - credit.available();
    return this.#lease.takeRecalled(missing, () => this.#take(missing));
  }

  #take(minimum: Pico, isAhead = false): Promise<Pico> {
    return this.#lease.moving(this.#takeNow(minimum, isAhead));
  }

  async #takeNow(minimum: Pico, isAhead: boolean): Promise<Pico> {
    const { ensureHeartbeat } = this.#leasing;
    // Without a heartbeat nobody could detect that a process with leases died.
    await ensureHeartbeat();
    const sentMs = clock.monotonicMs();
    const target = this.size.updateTarget();
    const has = largest(0n, this.#credit.available());
    const { amount, isNew, free } = await this.#lease.take({ minimum, target, has, isAhead });
    this.#free = free;
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
    this.#credit.giveBack(amount);
    return this.#lease.giveBack(amount);
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
    const sentMs = clock.monotonicMs();
    try {
      if (await this.#lease.renew()) this.#validity.confirm(sentMs);
      else this.#lose();
    } catch (error) {
      if (this.#validity.isOverAt(sentMs)) throw error;
      this.#leasing.databaseFailed();
    }
  }

  /** The lease was taken back, and its credit may be granted to others, so nothing of it counts. */
  #lose(): void {
    this.#leasing.heartbeatLost();
    this.#credit.expire();
    this.#validity.end();
    this.#leasing.log.warn({ event: "credit", reason: this.#id }, "A lease of credit was taken back");
  }

  /** Credit leased for a burst is returned after it, for others to spend. */
  #returnSurplus(): void {
    if (this.#credit.refilling() || this.#exclusive) return;
    const target = this.size.updateTarget();
    this.size.renewed();
    const surplus = this.#credit.available() - target;
    if (surplus > 0n) this.#giveBackSoon(surplus);
  }
}
