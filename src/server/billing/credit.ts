import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Pico } from "#server/platform/money.ts";
import type { Booking } from "./book-generations.ts";
import { beat, closeLeases, sweepDead, sweepLeases } from "./credit-leases.ts";
import { answerRecall, openRecalls } from "./credit-recall.ts";
import { type Counter, type Hold, nothingHeld, type Owner } from "./hold.ts";
import { InstanceWatch } from "./instance-watch.ts";
import { LeasedAccount } from "./leased-account.ts";
import type { LeasedCounter, Leasing } from "./leasing.ts";

/** Whose credit is held, its limit, and the smallest sufficient amount. */
interface Bound {
  readonly owner?: Owner;
  readonly limit?: Pico | null;
  readonly least?: Pico;
  readonly counter?: Counter;
}

interface CreditOptions {
  /** No other process uses the database, so nobody recalls leases. */
  readonly isAlone?: boolean;
  readonly recallEveryMs?: number;
  readonly leaseTtlMs?: number;
  readonly heartbeatMs?: number;
  readonly deadAfterMs?: number;
  /** Resolves when everything this process has spent is in the database. */
  readonly drain?: () => Promise<void>;
}

/**
 * Holds credit before money is spent, from credit that this process leased ahead of time, so that the inference path
 * does not query the database. All processes together never hold more than the balance, except that a process cut off
 * from the database goes on spending while others consider it dead.
 */
export class Credit {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #log: Log;
  readonly #leasing: Leasing;
  readonly #accounts = new Map<string, LeasedAccount>();
  readonly #watch: InstanceWatch;
  readonly #timers: readonly NodeJS.Timeout[];
  /** Accounts of counters. They are many, so those that nobody uses are returned. */
  readonly #counters = new Set<string>();
  /** Accounts that other processes may recall: all but those of organisations. */
  readonly #recallable = new Set<string>();
  #answering: Promise<void> | undefined;
  #firstBeat: Promise<void> | undefined;
  /** The last heartbeat failed: leased credit is spent without asking, until the leases expire. */
  #databaseUnavailable = false;

  constructor(database: Database, instanceId: string, log: Log, options: CreditOptions = {}) {
    const { leaseTtlMs: ttlMs = limits.credit.leaseTtlMs, deadAfterMs = limits.credit.deadAfterMs } = options;
    const heartbeatMs = options.heartbeatMs ?? Math.min(limits.credit.heartbeatMs, ttlMs / 4);
    this.#database = database;
    this.#instanceId = instanceId;
    this.#log = log;
    this.#watch = new InstanceWatch({ deadAfterMs, gapMaxMs: 2.5 * heartbeatMs });
    this.#leasing = {
      database,
      log,
      instanceId,
      ttlMs,
      recallWaitMs: limits.credit.recallWaitMs,
      confirmAfterMs: Math.min(limits.credit.confirmAfterMs, (deadAfterMs * 2) / 3),
      drain: options.drain ?? (async () => {}),
      ensureHeartbeat: () => this.#ensureHeartbeat(),
      heartbeatLost: () => {
        this.#firstBeat = undefined;
      },
      isDatabaseUnavailable: () => this.#databaseUnavailable,
      databaseFailed: () => {
        this.#databaseUnavailable = true;
      },
    };
    const lookAhead = () => {
      for (const account of this.#accounts.values()) account.lookAhead();
    };
    this.#timers = [
      setInterval(() => void this.#beat(), heartbeatMs).unref(),
      setInterval(lookAhead, limits.credit.spendRateEveryMs).unref(),
      ...(options.isAlone
        ? []
        : [
            setInterval(
              () => this.#lookForRecalls(),
              options.recallEveryMs ?? limits.credit.recallEveryMs,
            ).unref(),
          ]),
    ];
  }

  /**
   * Reserves `most` pico-EUR, or less if this process has leased little, but never less than `least`. Waits for
   * nothing while the lease suffices; otherwise asks the database for more. Throws INSUFFICIENT_QUOTA if the owner
   * has less than `least` left, SERVICE_UNAVAILABLE if the database is needed and unavailable. `id` is the owner's.
   */
  async hold(
    id: string,
    most: Pico,
    { owner = "organisation", limit = null, least = most, counter }: Bound = {},
  ): Promise<Hold> {
    if (most === 0n) return nothingHeld;
    if (owner !== "organisation") this.#recallable.add(id);
    if (counter) this.#counters.add(id);
    return this.#account(id, limit).hold(most, least, { owner, limit, counter });
  }

  /** Like `hold` of a counter if nothing has to be waited for, else null. */
  holdCounterNow(
    { accountId, holder }: LeasedCounter,
    most: bigint,
    least: bigint,
    nowMs: number,
  ): Hold | null {
    // An account that exists is already among the counters.
    return this.#accounts.get(accountId)?.holdNow(most, least, holder, nowMs) ?? null;
  }

  /** Subtracts what was booked from what this process has spent. */
  booked(bookings: readonly Booking[]): void {
    for (const { instanceId, accountId, cost, covered } of bookings)
      if (instanceId === this.#instanceId) this.#accounts.get(accountId)?.booked(cost, covered);
  }

  /** Takes this organisation's first lease, so that its first request finds credit here. */
  warm(orgId: string): Promise<void> {
    return this.#account(orgId).warm();
  }

  /** Returns all leases. All spending must have been booked before. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#answering;
    await Promise.all([...this.#accounts.values()].map((account) => account.idle()));
    this.#accounts.clear();
    await closeLeases(this.#database, this.#instanceId);
  }

  #account(id: string, limit: Pico | null = null): LeasedAccount {
    let account = this.#accounts.get(id);
    if (!account) {
      account = new LeasedAccount(id, limit, this.#leasing);
      this.#accounts.set(id, account);
    }
    return account;
  }

  #ensureHeartbeat(): Promise<void> {
    this.#firstBeat ??= beat(this.#database, this.#instanceId, this.#leasing.ttlMs).then(
      () => {},
      (error: unknown) => {
        this.#firstBeat = undefined;
        throw error;
      },
    );
    return this.#firstBeat;
  }

  /** Returns what other processes need and this one does not. */
  #lookForRecalls(): void {
    if (this.#answering || this.#databaseUnavailable || this.#recallable.size === 0) return;
    this.#answering = this.#answerRecalls()
      .catch((error: unknown) =>
        this.#log.warn({ event: "credit", error }, "Recalls of leased credit could not be answered"),
      )
      .finally(() => {
        this.#answering = undefined;
      });
  }

  async #answerRecalls(): Promise<void> {
    for (const recall of await openRecalls(this.#database, this.#instanceId)) {
      const account = this.#accounts.get(recall.accountId);
      if (account) await account.answer(recall.recalledAt);
      else await answerRecall(this.#database, recall);
    }
  }

  /** Returns the leases of counters that nobody uses, such as those of a period that is over. */
  async #retireIdle(): Promise<void> {
    for (const id of this.#counters) {
      const account = this.#accounts.get(id);
      if (!account?.isIdle(limits.credit.idleCounterMs)) continue;
      await account.retire();
      // A request may have come in the meantime.
      if (!account.isIdle(limits.credit.idleCounterMs)) continue;
      this.#accounts.delete(id);
      this.#counters.delete(id);
      this.#recallable.delete(id);
    }
  }

  /** Writes a heartbeat, renews the leases, and takes back those of dead processes. */
  async #beat(): Promise<void> {
    try {
      const sentMs = clock.monotonicMs();
      const before = [...this.#accounts].map(
        ([id, account]) => [id, account, account.confirmedAtMs()] as const,
      );
      const { inPlace, others } = await beat(this.#database, this.#instanceId, this.#leasing.ttlMs);
      this.#databaseUnavailable = false;
      for (const [id, account, confirmedAtMs] of before)
        await account.renewed(inPlace.has(id), sentMs, confirmedAtMs);
      for (const dead of this.#watch.look(others, clock.monotonicMs()))
        if (await sweepDead(this.#database, dead))
          this.#log.warn(
            { event: "credit", reason: dead.instanceId },
            "Another process is dead: its leased credit is free again",
          );
      await sweepLeases(this.#database, { instanceId: this.#instanceId });
      await this.#retireIdle();
    } catch (error) {
      this.#databaseUnavailable = true;
      this.#log.warn({ event: "credit", error }, "Credit leases could not be renewed");
    }
  }
}
