import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { largest, type Pico, picoFromDecimal, smallest } from "#server/platform/money.ts";
import { insufficientQuota, orUnavailable } from "./credit-errors.ts";
import { openBudget, readBalance, renewLease, returnLease, takeLease } from "./credit-leases.ts";
import type { Hold, Owner } from "./hold.ts";
import { LocalCredit } from "./local-credit.ts";
import { Pace } from "./spend-rate.ts";

const leaseSize = picoFromDecimal(limits.credit.leaseEur);
const share = BigInt(limits.credit.holdShareOfGranted);

/** A request for credit on its way to the database, shared by all who wait for it. */
interface Refill {
  readonly minimum: Pico;
  /** Asked before anybody needed it: that nothing was lent is no answer to who needs some. */
  readonly ahead: boolean;
  /** What was lent: nothing when less than `minimum` was left. */
  readonly lent: Promise<Pico>;
}

/** What the accounts of one process share. */
export interface Leasing {
  readonly database: Database;
  readonly log: Log;
  readonly instanceId: string;
  readonly ttlMs: number;
  /** A lease that was not confirmed for so long may have been taken back, unless the database is away. */
  readonly confirmAfterMs: number;
  /** Resolves when everything this process has spent is in the database. */
  readonly drain: () => Promise<void>;
  /** Resolves once other processes can tell that this one lives. */
  readonly known: () => Promise<void>;
  /** Others took this process for dead: they have to hear of it again. */
  readonly unknown: () => void;
  readonly databaseAway: () => boolean;
  readonly setDatabaseAway: (away: boolean) => void;
}

/** One account of which this process was lent credit: an organisation's, or that of a limited key or workspace. */
export class LeasedAccount {
  readonly #id: string;
  readonly #leasing: Leasing;
  readonly #credit = new LocalCredit();
  /** How fast it is spent: without the database the lease is to last as long as it stands. */
  readonly #pace = new Pace();
  /** The limit it was lent under; null for an organisation, whose credit only an entry of the ledger changes. */
  #limit: Pico | null;
  /** The lease surely stands until this monotonic time, which began before the database's; 0 without a lease. */
  #leasedUntilMs = 0;
  /** When the database last said that the lease stands, by the monotonic clock. */
  #confirmedAtMs = 0;
  #refilling: Refill | undefined;
  /** Work during which nothing is held. */
  #exclusive: Promise<void> | undefined;
  /** With less than this more is leased ahead. */
  #low = leaseSize / 2n;
  /** The most one request would have held since the leases were last renewed. */
  #largestAsked: Pico = 0n;
  /** Too little was left to lease ahead: not asked again before this monotonic time. */
  #askAheadAtMs = 0;

  constructor(id: string, limit: Pico | null, leasing: Leasing) {
    this.#id = id;
    this.#limit = limit;
    this.#leasing = leasing;
  }

  /** As `Credit.hold`. */
  async hold(most: Pico, least: Pico, owner: Owner, limit: Pico | null): Promise<Hold> {
    if (least < most) this.#largestAsked = largest(this.#largestAsked, most);
    if (this.#limit !== limit) await orUnavailable(this.#rebind(limit));
    for (;;) {
      if (this.#exclusive || this.#mustConfirm())
        await orUnavailable(this.#exclusively(() => this.#confirm()));
      if (this.#credit.available() >= least) break;
      const refill = this.#refill(least, owner);
      const refused = (await orUnavailable(refill.lent)) === 0n && !refill.ahead;
      // A refusal counts for those who need as much or more; what was lent may be taken by who waited before us.
      if (refused && this.#credit.available() < least && refill.minimum <= least)
        throw insufficientQuota(least, await orUnavailable(this.#left()), owner);
    }
    // What it may do without must not be kept from the requests after it.
    const amount = largest(least, smallest(most, this.#credit.available() / share));
    const held = this.#credit.hold(amount);
    // A key's limit is often small: what one process borrows ahead, the others would be refused.
    if (owner === "organisation" && (this.#credit.available() < this.#low || amount < most))
      this.refillSoon();
    /** What was lent under another limit than today's goes back once it is free. */
    const freed = (amount: Pico) => {
      if (this.#limit !== limit && amount > 0n) this.#giveBackSoon(amount);
    };
    return {
      amount,
      reduce: (to) => freed(held.reduce(to)),
      settle: (spent) => {
        this.#pace.spend(spent);
        freed(held.settle(spent));
      },
      undo: () => held.undo(),
    };
  }

  /** Takes note that `cost` was booked, and `covered` of it off the lease. */
  booked(cost: Pico, covered: Pico): void {
    this.#credit.book(cost, covered);
  }

  /** Asks for the first lease ahead of the first request. */
  async warm(): Promise<void> {
    if (this.#credit.available() === 0n) await this.#ahead().lent;
  }

  /** Resolves when nothing is asked of the database any more. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#refilling?.lent]);
  }

  confirmedAtMs(): number {
    return this.#confirmedAtMs;
  }

  /**
   * Takes in whether a heartbeat that was sent at `askedMs` found the lease standing. `before` is what
   * `confirmedAtMs` said then: who was leased or lost meanwhile has news of its own.
   */
  async renewed(standing: boolean, askedMs: number, before: number): Promise<void> {
    if (this.#leasedUntilMs === 0 || this.#confirmedAtMs !== before) return;
    if (!standing) await this.#exclusively(async () => this.#lose());
    else {
      this.#confirmed(askedMs);
      this.#returnSurplus();
    }
  }

  /** A burst that began after the last lease is noticed before that is spent: by then the database may be away. */
  lookAhead(): void {
    const isShort = this.#credit.available() * 8n < this.#pace.forecast(this.#leasing.ttlMs) * 7n;
    if (this.#limit === null && isShort && this.#leasedUntilMs !== 0) this.refillSoon();
  }

  refillSoon(): void {
    if (clock.monotonicMs() < this.#askAheadAtMs) return;
    const wait = () => {
      this.#askAheadAtMs = clock.monotonicMs() + limits.credit.askAheadAfterMs;
    };
    this.#ahead().lent.then(
      () => {
        if (this.#credit.available() < largest(this.#low, this.#largestAsked * share)) wait();
      },
      (error: unknown) => {
        wait();
        this.#leasing.log.warn({ event: "credit", error }, "Credit could not be leased ahead");
      },
    );
  }

  /** What its owner could be told they have: here, and not lent to anybody. */
  async #left(): Promise<Pico> {
    const { free } = await readBalance(this.#leasing.database, this.#id);
    return largest(0n, this.#credit.available() + largest(0n, free));
  }

  /** Brings the account to `minimum` at least. */
  #refill(minimum: Pico, owner: Owner): Refill {
    this.#refilling ??= { minimum, ahead: false, lent: this.#asked(() => this.#lease(minimum, owner)) };
    return this.#refilling;
  }

  #ahead(): Refill {
    this.#refilling ??= { minimum: 1n, ahead: true, lent: this.#asked(() => this.#take(1n)) };
    return this.#refilling;
  }

  async #asked(work: () => Promise<Pico>): Promise<Pico> {
    try {
      return await work();
    } finally {
      this.#refilling = undefined;
    }
  }

  async #lease(minimum: Pico, owner: Owner): Promise<Pico> {
    const credit = this.#credit;
    if (owner !== "organisation") await openBudget(this.#leasing.database, this.#id);
    const lent = await this.#take(minimum - credit.available());
    if (lent > 0n) return lent;
    const unbooked = credit.unbooked() > 0n;
    // What is being booked may be off the balance already and not off this process's count.
    if (unbooked) await this.#leasing.drain();
    const available = credit.available();
    if (available >= minimum) return 0n;
    // Too little here and too little there may be enough together: whoever is refused last, of all processes, gets it.
    if (available > 0n) await this.#giveBack(available);
    return unbooked || available > 0n ? this.#take(minimum - credit.available()) : 0n;
  }

  async #take(minimum: Pico): Promise<Pico> {
    const { database, instanceId, ttlMs, known } = this.#leasing;
    // Who has leases is known to live: else nobody could tell that it died.
    await known();
    const askedMs = clock.monotonicMs();
    const target = this.#target();
    const has = largest(0n, this.#credit.available());
    const lease = { instanceId, orgId: this.#id, ttlMs, minimum, target, has };
    const { amount, anew } = await takeLease(database, lease);
    // With less than it wants, for there is no more to be lent, it asks again once half of that is gone.
    this.#low = smallest(target, has + amount) / 2n;
    // Nobody had noticed that the lease before this one was taken back.
    if (anew && this.#leasedUntilMs !== 0) {
      this.#lose();
      await known();
    }
    this.#credit.lend(amount);
    if (amount > 0n) this.#confirmed(askedMs);
    return amount;
  }

  #confirmed(askedMs: number): void {
    this.#leasedUntilMs = askedMs + this.#leasing.ttlMs;
    this.#confirmedAtMs = askedMs;
  }

  /** What was lent under another limit says nothing about this one: it goes back, and is asked for anew. */
  async #rebind(limit: Pico | null): Promise<void> {
    await this.#exclusive;
    await this.#exclusively(async () => {
      await this.#refilling?.lent;
      const available = this.#credit.available();
      if (available > 0n) await this.#giveBack(available);
      this.#limit = limit;
    });
  }

  #giveBack(amount: Pico): Promise<void> {
    const { database, instanceId } = this.#leasing;
    this.#credit.giveBack(amount);
    return returnLease(database, { instanceId, orgId: this.#id, amount });
  }

  /** Gives back what nobody waits for. While that fails it stays lent, so that too much is never spent. */
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

  /** Whether the lease may have been taken back: it is past its end, or nobody can know that this process lives. */
  #mustConfirm(): boolean {
    if (this.#leasedUntilMs === 0) return false;
    const nowMs = clock.monotonicMs();
    const isSilent = nowMs - this.#confirmedAtMs > this.#leasing.confirmAfterMs;
    return this.#leasedUntilMs <= nowMs || (isSilent && !this.#leasing.databaseAway());
  }

  /** A process that was paused, or cut off from the database, asks whether it still has its lease. */
  async #confirm(): Promise<void> {
    await this.#refilling?.lent;
    const { database, instanceId, ttlMs, setDatabaseAway } = this.#leasing;
    const askedMs = clock.monotonicMs();
    try {
      if (await renewLease(database, { instanceId, orgId: this.#id, ttlMs })) this.#confirmed(askedMs);
      else this.#lose();
    } catch (error) {
      if (this.#leasedUntilMs <= askedMs) throw error;
      setDatabaseAway(true);
    }
  }

  /** Others may have been lent what this lease held: nothing of it counts any more. */
  #lose(): void {
    this.#leasing.unknown();
    this.#credit.lose();
    this.#leasedUntilMs = 0;
    this.#leasing.log.warn(
      { event: "credit", reason: this.#id },
      "A credit lease was lost: it was taken back",
    );
  }

  /** What is to be lent here: enough for a lease's time, and for several of the largest requests at once. */
  #target(): Pico {
    const forecast = this.#pace.forecast(this.#leasing.ttlMs);
    return largest(largest(leaseSize, forecast), this.#largestAsked * share * 2n);
  }

  /** What was lent for a burst goes back when that is over, for others to spend. */
  #returnSurplus(): void {
    if (this.#refilling || this.#exclusive) return;
    const target = this.#target();
    this.#largestAsked = 0n;
    const surplus = this.#credit.available() - target;
    if (surplus <= 0n) return;
    this.#low = target / 2n;
    this.#giveBackSoon(surplus);
  }
}
