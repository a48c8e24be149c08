import { join } from "node:path";
import type { Database } from "#server/db/index.ts";
import { lockDirectory } from "#server/platform/directory-lock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Pico } from "#server/platform/money.ts";
import { Credit, type Hold } from "./credit.ts";
import { Flusher } from "./flush.ts";
import type { GenerationRow } from "./generation-row.ts";
import { replaySpools } from "./replay.ts";
import { Spool, type SpoolSync } from "./spool.ts";

export interface Billing {
  /**
   * Reserves pico-EUR for a request, of the organisation's credits and of every limit in `budgets` (ids of limited
   * keys). Throws INSUFFICIENT_QUOTA when any of them has too little; then nothing is reserved.
   */
  hold(orgId: string, amount: Pico, budgets?: readonly string[]): Promise<Hold>;
  /** Records that a request is about to reach a provider. Resolves when that is safe. */
  admit(row: GenerationRow): Promise<void>;
  /** Records how far a stream has come. */
  progress(row: GenerationRow): Promise<void>;
  /** Records the end of a generation; resolves when that survives the process. Booking in the database follows. */
  finish(row: GenerationRow): Promise<void>;
  /** Leases credit for organisations ahead of their first request. */
  warm(orgIds: Iterable<string>): Promise<void>;
  readonly pending: number;
  /** Resolves when everything finished so far is in the database. */
  drain(): Promise<void>;
  pauseFlushing(): () => void;
  close(): Promise<void>;
}

/** Reserves the same amount in every limit and in the credits: all of it or nothing. */
async function holdAll(
  credit: Credit,
  orgId: string,
  amount: Pico,
  budgets: readonly string[],
): Promise<Hold> {
  const holds: Hold[] = [];
  const settle = (spent: Pico) => {
    for (const hold of holds) hold.settle(spent);
  };
  try {
    for (const keyId of budgets) holds.push(await credit.hold(keyId, amount, "key"));
    holds.push(await credit.hold(orgId, amount));
  } catch (error) {
    settle(0n);
    throw error;
  }
  return { settle };
}

/** Opens spool, flush and credit of this process, after booking what earlier processes left behind. */
export async function openBilling(
  database: Database,
  options: { readonly spoolDirectory: string; readonly sync: SpoolSync },
  log: Log,
  metrics: Metrics,
): Promise<Billing> {
  await replaySpools(database, options.spoolDirectory, log);
  const instanceId = uuidv7();
  const directory = join(options.spoolDirectory, instanceId);
  const lock = lockDirectory(directory);
  const spool = new Spool(directory, options.sync, log);
  const flusher = new Flusher(database, spool, log, metrics);
  const credit = new Credit(database, instanceId, log);
  return {
    hold: (orgId, amount, budgets = []) =>
      budgets.length === 0 ? credit.hold(orgId, amount) : holdAll(credit, orgId, amount, budgets),
    async admit(row) {
      try {
        await spool.append("ADMIT", row.id, JSON.stringify(row));
      } catch (error) {
        // The request is refused: nothing of it will ever be booked.
        spool.release(row.id);
        throw error;
      }
    },
    progress: (row) => spool.append("PROGRESS", row.id, JSON.stringify(row)),
    async finish(row) {
      try {
        await spool.append("FINAL", row.id, JSON.stringify(row));
      } finally {
        // Booked even when the disk refuses: memory and database still hold it.
        flusher.add({ instanceId, row });
      }
    },
    async warm(orgIds) {
      await Promise.all([...orgIds].map((orgId) => credit.warm(orgId)));
    },
    get pending() {
      return spool.pending;
    },
    drain: () => flusher.drain(),
    pauseFlushing: () => flusher.pause(),
    async close() {
      flusher.pause();
      try {
        await flusher.drain();
        await credit.close();
      } finally {
        // What could not be booked stays in the spool for the next process, which then returns the leases.
        lock?.release();
        await spool.close();
      }
    },
  };
}
