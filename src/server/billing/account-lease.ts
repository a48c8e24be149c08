import type { Database } from "#server/db/index.ts";
import {
  type GrantedLease,
  type LeaseRequest,
  readBalance,
  renewLease,
  returnLease,
  takeLease,
} from "./credit-leases.ts";
import { answerRecall, closeLease, takeRecalled } from "./credit-recall.ts";

interface LeaseOf {
  readonly database: Database;
  readonly instanceId: string;
  readonly ttlMs: number;
  readonly recallWaitMs: number;
}

/** The lease of one process on one account in the database. */
export class AccountLease {
  readonly #database: Database;
  readonly #recallWaitMs: number;
  readonly #lease: { readonly instanceId: string; readonly accountId: string; readonly ttlMs: number };
  /** Statements that move a part of the lease. */
  #moving: Promise<unknown> = Promise.resolve();

  constructor(accountId: string, { database, instanceId, ttlMs, recallWaitMs }: LeaseOf) {
    this.#database = database;
    this.#recallWaitMs = recallWaitMs;
    this.#lease = { instanceId, accountId, ttlMs };
  }

  /** Like `takeLease`. */
  take(request: LeaseRequest): Promise<GrantedLease> {
    return takeLease(this.#database, { ...this.#lease, ...request });
  }

  /** Like `takeRecalled`. */
  takeRecalled(needed: bigint, take: () => Promise<bigint>): Promise<bigint> {
    return takeRecalled(this.#database, { ...this.#lease, needed, waitMs: this.#recallWaitMs }, take);
  }

  /** Returns a part of it that is neither held nor spent. */
  giveBack(amount: bigint): Promise<void> {
    return this.moving(returnLease(this.#database, { ...this.#lease, amount }));
  }

  /** False if it was taken back after it had expired. */
  renew(): Promise<boolean> {
    return renewLease(this.#database, this.#lease);
  }

  /** What no process has leased of the account. */
  async free(): Promise<bigint> {
    return (await readBalance(this.#database, this.#lease.accountId)).free;
  }

  answer(recalledAt: string): Promise<void> {
    return answerRecall(this.#database, { ...this.#lease, recalledAt });
  }

  /** Deletes it if nothing is left of it. */
  close(): Promise<void> {
    return closeLease(this.#database, this.#lease);
  }

  /** Remembers a statement that moves a part of it until that has ended. */
  moving<T>(statement: Promise<T>): Promise<T> {
    this.#moving = Promise.allSettled([this.#moving, statement]).then(() => {});
    return statement;
  }

  /** Resolves when no part of it is moving. */
  moved(): Promise<unknown> {
    return this.#moving;
  }
}
