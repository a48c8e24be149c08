import type { BudgetMeasure } from "#contract/budget.ts";
import type { Database } from "#server/db/index.ts";
import type { Log } from "#server/platform/log.ts";
import type { Pico } from "#server/platform/money.ts";
import type { Counter, Owner } from "./hold.ts";

/** The shared state of the accounts of one process. */
export interface Leasing {
  readonly database: Database;
  readonly log: Log;
  readonly instanceId: string;
  readonly ttlMs: number;
  /** How long a request waits for what other processes return. */
  readonly recallWaitMs: number;
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

/** Whose account it is, the limit known to this process, and the counter if it belongs to a budget. */
export interface Holder {
  readonly owner: Owner;
  readonly limit: Pico | null;
  readonly counter?: Counter | undefined;
}

/** A counter of a budget as requests hold from it. It is made once, because every request has several. */
export interface LeasedCounter {
  readonly accountId: string;
  readonly measure: BudgetMeasure;
  readonly holder: Holder & { readonly owner: "budget"; readonly counter: Counter };
}

/** An amount of each measure, in its unit. */
export type Amounts = Readonly<Record<BudgetMeasure, bigint>>;
