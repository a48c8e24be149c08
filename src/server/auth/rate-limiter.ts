import { LRUCache } from "lru-cache";
import { asInteractive, type Database, inBackground } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { forgetWindows, type Grant, takeShares, type Wish } from "./rate-window.ts";

const {
  windowMs,
  firstShare,
  aheadMs,
  rememberMs,
  tickMs,
  subjectsMax,
  requestsPerStatementMax,
  waitMs,
  standaloneMs,
} = limits.rate;

/** How a subject stands after it asked once more. */
export interface RateState {
  readonly admitted: boolean;
  /** Requests per window. */
  readonly limit: number;
  /** What is left of this window's budget, as far as this process knows. */
  readonly remaining: number;
  /** When the next window begins, in milliseconds since 1970. */
  readonly resetAtMs: number;
}

type Share = Pick<Grant, "granted" | "taken">;

/** What this process holds of one subject's budget. */
interface Account {
  readonly subject: string;
  budget: number;
  minute: number;
  /** Granted to this process and not used. */
  available: number;
  used: number;
  /** Taken by all processes together, as last heard. */
  taken: number;
  /** The share of the window after this one. */
  next: Share | null;
  /** Requests that wait for a share, and the statement they wait for. */
  waiting: number;
  asked: Promise<void> | null;
  usedAtMs: number;
}

interface RateLimiterOptions {
  /** null when no other process serves this installation: then nobody needs to be asked. */
  readonly database: Database | null;
  readonly log: Log;
  readonly nowMs?: () => number;
}

/**
 * Counts requests in windows of a minute, exactly over all processes (ADR 12). A process counts against shares of
 * a window's budget that it took from the database; for who asks regularly they are taken before the window begins.
 */
export class RateLimiter {
  readonly #database: Database | null;
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #accounts = new LRUCache<string, Account>({ max: subjectsMax });
  readonly #timer: NodeJS.Timeout | null = null;
  /** Until then the database is not asked. */
  #aloneUntilMs = 0;
  #forgottenMinute = 0;

  constructor({ database, log, nowMs = () => clock.nowMs() }: RateLimiterOptions) {
    this.#database = database;
    this.#log = log;
    this.#nowMs = nowMs;
    if (database) this.#timer = setInterval(() => void this.tick(), tickMs).unref();
  }

  /** Counts one request of a subject. Answers at once while this process holds a share. */
  take(subject: string, budget: number): RateState | Promise<RateState> {
    const account = this.#account(subject, budget);
    if (account.available > 0) return this.#use(account);
    if (account.taken >= budget) return this.#state(account, false);
    if (this.#isAlone()) {
      this.#grantRest(account);
      return this.#use(account);
    }
    return this.#wait(account);
  }

  /** Takes back what `take` counted: the request was refused by another limit. */
  giveBack(subject: string): void {
    const account = this.#accounts.get(subject);
    if (!account || account.used === 0 || account.minute !== this.#minute()) return;
    account.used--;
    account.available++;
  }

  /** What the timer does: takes shares ahead of the next window and forgets old windows. */
  async tick(): Promise<void> {
    const database = this.#database;
    if (!database || this.#isAlone()) return;
    const nowMs = this.#nowMs();
    const minute = this.#minute();
    try {
      if (this.#forgottenMinute < minute) {
        this.#forgottenMinute = minute;
        await forgetWindows(database, minute - 1);
      }
      if (this.#isNextNear()) await this.#takeAhead(database, minute + 1, nowMs);
    } catch (error) {
      this.#goAlone(error);
    }
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  readonly #minute = (): number => Math.floor(this.#nowMs() / windowMs);

  #isAlone(): boolean {
    return this.#database === null || (this.#aloneUntilMs > 0 && this.#nowMs() < this.#aloneUntilMs);
  }

  #account(subject: string, budget: number): Account {
    const minute = this.#minute();
    let account = this.#accounts.get(subject);
    if (!account) {
      account = {
        subject,
        budget,
        minute,
        available: 0,
        used: 0,
        taken: 0,
        next: null,
        waiting: 0,
        asked: null,
        usedAtMs: 0,
      };
      this.#accounts.set(subject, account);
    }
    account.budget = budget;
    if (account.minute !== minute) this.#turn(account, minute);
    return account;
  }

  #turn(account: Account, minute: number): void {
    const next = account.minute + 1 === minute ? account.next : null;
    account.minute = minute;
    account.available = next?.granted ?? 0;
    account.taken = next?.taken ?? 0;
    account.used = 0;
    account.next = null;
  }

  #use(account: Account): RateState {
    account.available--;
    account.used++;
    account.usedAtMs = account.minute * windowMs;
    if (account.available * 2 < account.used && account.taken < account.budget && !account.asked) {
      if (this.#isAlone()) this.#grantRest(account);
      else account.asked = this.#ask(account);
    }
    return this.#state(account, true);
  }

  #state({ available, taken, budget, minute }: Account, admitted: boolean): RateState {
    return {
      admitted,
      limit: budget,
      remaining: available + Math.max(0, budget - taken),
      resetAtMs: (minute + 1) * windowMs,
    };
  }

  #grantRest(account: Account): void {
    account.available += Math.max(0, account.budget - account.taken);
    account.taken = account.budget;
  }

  async #wait(account: Account): Promise<RateState> {
    account.waiting++;
    try {
      while (account.available < 1 && account.taken < account.budget) {
        account.asked ??= this.#ask(account);
        await account.asked;
        if (account.minute !== this.#minute()) this.#turn(account, this.#minute());
      }
    } finally {
      account.waiting--;
    }
    return account.available > 0 ? this.#use(account) : this.#state(account, false);
  }

  #wish(account: Account, minute: number, need: number): Wish {
    const { subject, budget, used } = account;
    return { subject, minute, budget, need, want: Math.max(Math.ceil(budget / firstShare), used) };
  }

  /** Puts down what a statement granted. The window may have begun while it was under way, or been asked for twice. */
  #put(account: Account, minute: number, share: Share = { granted: 0, taken: account.budget }): void {
    if (account.minute === minute) {
      account.available += share.granted;
      account.taken = Math.max(account.taken, share.taken);
    } else if (account.minute + 1 === minute) {
      const { granted, taken } = account.next ?? { granted: 0, taken: 0 };
      account.next = { granted: granted + share.granted, taken: Math.max(taken, share.taken) };
    }
  }

  /** Whether the next window is so near that shares of it are taken. */
  #isNextNear(): boolean {
    return windowMs - (this.#nowMs() % windowMs) <= aheadMs;
  }

  async #ask(account: Account): Promise<void> {
    const { minute } = account;
    const wishes = [this.#wish(account, minute, account.waiting)];
    // Between two looks ahead somebody may ask for the first time, who finds the next window as well prepared.
    if (account.next === null && this.#isNextNear()) wishes.push(this.#wish(account, minute + 1, 0));
    try {
      const grants = this.#database ? await this.#takeInTime(this.#database, wishes) : [];
      const ofMinute = new Map(grants.map((grant) => [grant.minute, grant]));
      for (const wish of wishes) this.#put(account, wish.minute, ofMinute.get(wish.minute));
    } catch (error) {
      this.#goAlone(error);
      if (account.minute === minute) this.#grantRest(account);
    } finally {
      account.asked = null;
    }
  }

  /** Many may wait for it, so it is part of none of their requests; who waits is soon admitted without the others. */
  #takeInTime(database: Database, wishes: readonly Wish[]): Promise<Grant[]> {
    const take = () => takeShares(database, wishes);
    return inBackground(() => asInteractive("rates", take, { budgetMs: waitMs }));
  }

  /** A database that is away must not stop anybody who has credit and a key: each process counts alone. */
  #goAlone(error: unknown): void {
    this.#aloneUntilMs = this.#nowMs() + standaloneMs;
    this.#log.warn({ event: "rate_limit", error }, "Rates cannot be shared; each process counts for itself");
  }

  async #takeAhead(database: Database, minute: number, nowMs: number): Promise<void> {
    const accounts: Account[] = [];
    for (const account of this.#accounts.values()) {
      if (account.next !== null || nowMs - account.usedAtMs > rememberMs) continue;
      // Nobody has asked in this window: what was taken ahead for it is over.
      if (account.minute !== minute - 1) this.#turn(account, minute - 1);
      accounts.push(account);
    }
    for (let at = 0; at < accounts.length; at += requestsPerStatementMax) {
      const some = accounts.slice(at, at + requestsPerStatementMax);
      const wishes = some.map((account) => this.#wish(account, minute, 0));
      const grants = new Map((await takeShares(database, wishes)).map((grant) => [grant.subject, grant]));
      for (const account of some) this.#put(account, minute, grants.get(account.subject));
    }
  }
}
