import { AsyncLocalStorage } from "node:async_hooks";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { Unavailable, unavailableIn } from "#server/platform/unavailable.ts";

const { budgetMs: usualBudgetMs, graceMs } = limits.database.interactive;

interface Options {
  /** The budget is for each wait by itself, not for all: for what is made of many statements. */
  readonly renews?: boolean;
  /** Another budget than the usual one. */
  readonly budgetMs?: number;
  /** It finds out whether the database answers, and is sent however long that has been silent. */
  readonly probes?: boolean;
}

/**
 * How long one request has waited for the database, everything counted together. Once its budget is used up, all
 * it waits for is given up, and what it has begun is undone.
 */
export class Waiting {
  /** Who shares a queue for connections: an organisation, or an address before it is known. */
  holder: string;
  /** The first failure of the database in this request, also where somebody hid it. */
  fault: Unavailable | null = null;
  /** Set once the budget is used up. */
  over: Unavailable | null = null;
  /** The request has its answer: whatever goes on in its name is nobody's to wait for. */
  ended = false;
  readonly probes: boolean;
  readonly #renews: boolean;
  readonly #budgetMs: number;
  #deciding = 0;
  #spentMs = 0;
  #pending = 0;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #givenUp = new Set<(error: Unavailable) => void>();

  constructor(holder: string, { renews = false, probes = false, budgetMs = usualBudgetMs }: Options = {}) {
    this.holder = holder;
    this.#renews = renews;
    this.probes = probes;
    this.#budgetMs = budgetMs;
  }

  /** Calls `listener` when the budget is used up. What is returned takes it back. */
  onOver(listener: (error: Unavailable) => void): () => void {
    this.#givenUp.add(listener);
    return () => void this.#givenUp.delete(listener);
  }

  /** Notes that something is sent that changes the database for good. What is returned notes its answer. */
  decide(): () => void {
    this.#deciding++;
    return () => void this.#deciding--;
  }

  /** Takes note of a failure, before anybody can hide it. */
  met(error: unknown): void {
    this.fault ??= unavailableIn(error);
  }

  /** Waits for something of the database, as long as the budget lasts. `giveUp` is called when it does not. */
  async for<T>(work: Promise<T>, giveUp?: (error: Unavailable) => void): Promise<T> {
    if (this.over) {
      work.catch(() => {});
      giveUp?.(this.over);
      throw this.over;
    }
    const { promise: never, reject } = Promise.withResolvers<never>();
    const forget = this.onOver((error) => {
      giveUp?.(error);
      reject(error);
    });
    this.#begin();
    try {
      return await Promise.race([work, never]);
    } catch (error) {
      this.met(error);
      throw error;
    } finally {
      forget();
      this.#end();
    }
  }

  #begin(): void {
    if (this.#pending++ > 0) return;
    this.#sinceMs = clock.monotonicMs();
    this.#timer = setTimeout(() => this.#expire(), Math.max(0, this.#budgetMs - this.#spentMs));
  }

  #end(): void {
    if (--this.#pending > 0) return;
    clearTimeout(this.#timer);
    this.#spentMs = this.#renews ? 0 : this.#spentMs + clock.monotonicMs() - this.#sinceMs;
  }

  /** A process that was held up itself finds the answer among what has come meanwhile: that is read first. */
  #expire(): void {
    this.#timer = setTimeout(() => {
      this.over = new Unavailable("The database took too long", {
        retryAfterMs: limits.database.retryAfterMs.busy,
        mayBeDone: this.#deciding > 0,
      });
      this.fault ??= this.over;
      for (const giveUp of [...this.#givenUp]) giveUp(this.over);
    }, graceMs);
  }
}

const current = new AsyncLocalStorage<Waiting | undefined>();

/** The request in whose name something is asked of the database; undefined where nobody waits. */
export function currentWaiting(): Waiting | undefined {
  const waiting = current.getStore();
  return waiting?.ended ? undefined : waiting;
}

/** The failure of the database that the present request has met, whether or not somebody hid it. */
export const faultMet = (): Unavailable | null => currentWaiting()?.fault ?? null;

/** A refusal of ours tells its own reason, which is not the database's. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.status < 500;

/**
 * Runs what somebody waits for: statements inside share one budget, and a failure of the database comes out as it was,
 * however it was wrapped. Inside of another call it is part of that one.
 */
export async function asInteractive<T>(
  holder: string,
  work: () => Promise<T>,
  options: Options = {},
): Promise<T> {
  // What has more time than usual has a budget of its own.
  const outer = options.renews ? undefined : currentWaiting();
  const waiting = outer ?? new Waiting(holder, options);
  try {
    // A statement of Prisma begins only when it is waited for: that has to happen in here too.
    return await (outer ? work() : current.run(waiting, async () => await work()));
  } catch (error) {
    if (waiting.fault === null || unavailableIn(error) || isRefusal(error)) throw error;
    throw waiting.fault;
  } finally {
    if (!outer) waiting.ended = true;
  }
}

/** Lets the present request queue with those of `holder` from now on: it is known by now who asks. */
export function queueAs(holder: string): void {
  const waiting = currentWaiting();
  if (waiting) waiting.holder = holder;
}

/** Runs what goes on by itself and others may wait for too: it is no part of the request that happened to begin it. */
export const inBackground = <T>(work: () => Promise<T>): Promise<T> =>
  current.run(undefined, async () => await work());

/** Counts the wait for something shared as a wait for the database. What is there already is given back as it is. */
export function waitFor<T>(work: Promise<T>): Promise<T>;
export function waitFor<T>(work: T | Promise<T>): T | Promise<T>;
export function waitFor<T>(work: T | Promise<T>): T | Promise<T> {
  return work instanceof Promise ? (currentWaiting()?.for(work) ?? work) : work;
}

/** The same where no request has a budget yet: for something shared that is waited for now and then. */
export const waitInTime = <T>(work: Promise<T>): Promise<T> =>
  (currentWaiting() ?? new Waiting("")).for(work);
