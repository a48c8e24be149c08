import { LRUCache } from "lru-cache";
import { asInteractive, type Database, inBackground } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { RateAccount, type RateState } from "./rate-account.ts";
import { deleteWindows, type ShareGrant, type ShareRequest, takeShares } from "./rate-window.ts";

const { windowMs, aheadMs, rememberMs, tickMs, subjectsMax, requestsPerStatementMax, waitMs, standaloneMs } =
  limits.rate;

interface RateLimiterOptions {
  /** null when no other process serves this installation: then nobody needs to be asked. */
  readonly database: Database | null;
  readonly log: Log;
  readonly nowMs?: () => number;
}

/**
 * Counts requests in windows of a minute, exactly over all processes (ADR 12). A process counts against shares of
 * a window's budget that it took from the database. Regular subjects get theirs before the window begins.
 */
export class RateLimiter {
  readonly #database: Database | null;
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #accounts = new LRUCache<string, RateAccount>({ max: subjectsMax });
  readonly #timer: NodeJS.Timeout | null = null;
  /** The database is not asked before this time. */
  #standaloneUntilMs = 0;
  #deletedBefore = 0;

  constructor({ database, log, nowMs = () => clock.nowMs() }: RateLimiterOptions) {
    this.#database = database;
    this.#log = log;
    this.#nowMs = nowMs;
    if (database) this.#timer = setInterval(() => void this.tick(), tickMs).unref();
  }

  /** Counts one request of a subject. Answers at once while this process has a share. */
  take(subject: string, limit: number): RateState | Promise<RateState> {
    const account = this.#account(subject, limit);
    if (account.hasShare()) return this.#use(account);
    if (account.isExhausted()) return account.state(false);
    if (!this.#isStandalone()) return this.#wait(account);
    account.takeRest();
    return this.#use(account);
  }

  /** Undoes a `take`: the request was refused by another limit. */
  giveBack(subject: string): void {
    this.#accounts.get(subject)?.undoUse(this.#minute());
  }

  /** What the timer does: takes shares of the next window ahead and deletes old windows. */
  async tick(): Promise<void> {
    const database = this.#database;
    if (!database || this.#isStandalone()) return;
    const nowMs = this.#nowMs();
    const minute = this.#minute();
    try {
      if (this.#deletedBefore < minute) {
        this.#deletedBefore = minute;
        await deleteWindows(database, minute - 1);
      }
      if (this.#isNextNear()) await this.#takeAhead(database, minute + 1, nowMs);
    } catch (error) {
      this.#goStandalone(error);
    }
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #minute(): number {
    return Math.floor(this.#nowMs() / windowMs);
  }

  #isStandalone(): boolean {
    return (
      this.#database === null || (this.#standaloneUntilMs > 0 && this.#nowMs() < this.#standaloneUntilMs)
    );
  }

  #account(subject: string, limit: number): RateAccount {
    const minute = this.#minute();
    let account = this.#accounts.get(subject);
    if (!account) {
      account = new RateAccount(subject, limit, minute);
      this.#accounts.set(subject, account);
    }
    account.setLimit(limit);
    account.enter(minute);
    return account;
  }

  #use(account: RateAccount): RateState {
    const state = account.use();
    if (!account.isLow() || account.shares.refilling()) return state;
    if (!this.#isStandalone()) {
      void account.shares.refillAhead(() => this.#refill(account));
      return state;
    }
    account.takeRest();
    return state;
  }

  async #wait(account: RateAccount): Promise<RateState> {
    account.startWaiting();
    try {
      while (!account.hasShare() && !account.isExhausted()) {
        await account.shares.refill(1n, () => this.#refill(account));
        account.enter(this.#minute());
      }
    } finally {
      account.stopWaiting();
    }
    return account.hasShare() ? this.#use(account) : account.state(false);
  }

  /** Whether the next window is so near that shares of it are taken. */
  #isNextNear(): boolean {
    return windowMs - (this.#nowMs() % windowMs) <= aheadMs;
  }

  /** Asks for a share of the current window. Never rejects: without the database this process takes the rest. */
  async #refill(account: RateAccount): Promise<bigint> {
    const minute = account.minute();
    const requests = [account.request(minute)];
    // Between two ticks a new subject may come, whose next window is then prepared as well.
    if (!account.hasNext() && this.#isNextNear()) requests.push(account.request(minute + 1));
    try {
      const grants = this.#database ? await this.#takeInTime(this.#database, requests) : [];
      const ofMinute = new Map(grants.map((grant) => [grant.minute, grant]));
      for (const request of requests) account.add(request.minute, ofMinute.get(request.minute));
      return BigInt(ofMinute.get(minute)?.granted ?? 0);
    } catch (error) {
      this.#goStandalone(error);
      return account.minute() === minute ? account.takeRest() : 0n;
    }
  }

  /** Many may wait for it, so it belongs to no single request. It fails soon enough to admit those without it. */
  #takeInTime(database: Database, requests: readonly ShareRequest[]): Promise<ShareGrant[]> {
    const take = () => takeShares(database, requests);
    return inBackground(() => asInteractive("rates", take, { budgetMs: waitMs }));
  }

  /** An unavailable database must not stop anybody who has credit and a key: each process counts alone. */
  #goStandalone(error: unknown): void {
    this.#standaloneUntilMs = this.#nowMs() + standaloneMs;
    this.#log.warn({ event: "rate_limit", error }, "Rates cannot be shared; each process counts for itself");
  }

  async #takeAhead(database: Database, minute: number, nowMs: number): Promise<void> {
    const accounts: RateAccount[] = [];
    for (const account of this.#accounts.values()) {
      if (account.hasNext() || nowMs - account.lastUsedMs() > rememberMs) continue;
      // Nobody asked in this window: what was taken ahead for it is over.
      account.enter(minute - 1);
      accounts.push(account);
    }
    for (let at = 0; at < accounts.length; at += requestsPerStatementMax) {
      const some = accounts.slice(at, at + requestsPerStatementMax);
      const requests = some.map((account) => account.request(minute));
      const grants = new Map((await takeShares(database, requests)).map((grant) => [grant.subject, grant]));
      for (const account of some) account.add(minute, grants.get(account.subject));
    }
  }
}
