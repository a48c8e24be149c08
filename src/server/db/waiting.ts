import { AsyncLocalStorage } from "node:async_hooks";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { Unavailable, unavailableIn } from "#server/platform/unavailable.ts";

const { budgetMs: usualBudgetMs, graceMs } = limits.database.interactive;

interface Options {
  /** The budget is for each wait, not for all together. For work with many statements. */
  readonly renews?: boolean;
  /** Another budget than the usual one. */
  readonly budgetMs?: number;
  /** It checks whether the database answers, so it is sent even while the database is unavailable. */
  readonly probes?: boolean;
}

/**
 * How long one request has waited for the database in total. When its budget is used up, all its waits are aborted
 * and its transactions rolled back.
 */
export class Waiting {
  /** Requests of one holder share a queue for connections: an organisation, or an address before it is known. */
  holder: string;
  /** The first failure of the database in this request, even if the code caught it. */
  fault: Unavailable | null = null;
  /** Set once the budget is used up. */
  over: Unavailable | null = null;
  /** The request is answered. Nothing waits for work that still runs for it. */
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

  /** Calls `listener` when the budget is used up. The returned function unsubscribes. */
  onOver(listener: (error: Unavailable) => void): () => void {
    this.#givenUp.add(listener);
    return () => void this.#givenUp.delete(listener);
  }

  /** Records that a statement with a permanent effect was sent. The returned function records its answer. */
  decide(): () => void {
    this.#deciding++;
    return () => void this.#deciding--;
  }

  /** Records a failure, before any code can catch it. */
  met(error: unknown): void {
    this.fault ??= unavailableIn(error);
  }

  /** Waits for the database, as long as the budget lasts. Calls `giveUp` when it is used up. */
  async for<T>(work: Promise<T>, giveUp?: (error: Unavailable) => void): Promise<T> {
    if (this.over) {
      work.catch(() => {});
      giveUp?.(this.over);
      throw this.over;
    }
    const { promise: never, reject } = Promise.withResolvers<never>();
    const unsubscribe = this.onOver((error) => {
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
      unsubscribe();
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

  /** If this process itself was blocked, the answer may have arrived already. It is read first. */
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

/** The request the current work belongs to. Undefined for background work. */
export function currentWaiting(): Waiting | undefined {
  const waiting = current.getStore();
  return waiting?.ended ? undefined : waiting;
}

/** The first failure of the database in the current request, even if the code caught it. */
export const faultMet = (): Unavailable | null => currentWaiting()?.fault ?? null;

/** Our own refusal has its own reason, which is not the database. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.status < 500;

/**
 * Runs work a client waits for. Its statements share one budget, and a failure of the database is thrown unwrapped.
 * Inside another call it is part of that call.
 */
export async function asInteractive<T>(
  holder: string,
  work: () => Promise<T>,
  options: Options = {},
): Promise<T> {
  // Work with more time than usual has its own budget.
  const outer = options.renews ? undefined : currentWaiting();
  const waiting = outer ?? new Waiting(holder, options);
  try {
    // A Prisma statement starts when it is awaited, so that must happen inside this context.
    return await (outer ? work() : current.run(waiting, async () => await work()));
  } catch (error) {
    if (waiting.fault === null || unavailableIn(error) || isRefusal(error)) throw error;
    throw waiting.fault;
  } finally {
    if (!outer) waiting.ended = true;
  }
}

/** Moves the current request to the queue of `holder`, once the caller is known. */
export function queueAs(holder: string): void {
  const waiting = currentWaiting();
  if (waiting) waiting.holder = holder;
}

/** Runs shared work that others may wait for too. It is not part of the request that started it. */
export const inBackground = <T>(work: () => Promise<T>): Promise<T> =>
  current.run(undefined, async () => await work());

/** Counts the wait for shared work as a wait for the database. A value that is already there is returned unchanged. */
export function waitFor<T>(work: Promise<T>): Promise<T>;
export function waitFor<T>(work: T | Promise<T>): T | Promise<T>;
export function waitFor<T>(work: T | Promise<T>): T | Promise<T> {
  return work instanceof Promise ? (currentWaiting()?.for(work) ?? work) : work;
}

/** The same outside a request, with a budget of its own. */
export const waitInTime = <T>(work: Promise<T>): Promise<T> =>
  (currentWaiting() ?? new Waiting("")).for(work);
