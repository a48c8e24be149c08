import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import { type FinishedGeneration, settleRows } from "./settle-rows.ts";
import type { Spool } from "./spool.ts";

/** Carries finished generations from memory into the database in batches and lets the spool go of them. */
export class Flusher {
  readonly #database: Database;
  readonly #spool: Spool;
  readonly #log: Log;
  readonly #metrics: Metrics;
  #queue: FinishedGeneration[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #batch: Promise<void> | undefined;
  #failing = false;
  #paused = false;

  constructor(database: Database, spool: Spool, log: Log, metrics: Metrics) {
    this.#database = database;
    this.#spool = spool;
    this.#log = log;
    this.#metrics = metrics;
  }

  add(finished: FinishedGeneration): void {
    this.#queue.push(finished);
    this.#schedule(limits.spool.flushEveryMs);
  }

  /** Everything added so far is in the database when this resolves; rejects when the database refuses. */
  async drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) await this.#flushBatch();
    } finally {
      this.#schedule(limits.spool.retryAfterMs);
    }
  }

  /** Holds flushing until the returned function is called. */
  pause(): () => void {
    this.#paused = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return () => {
      this.#paused = false;
      this.#schedule(0);
    };
  }

  #schedule(delayMs: number): void {
    if (this.#timer || this.#running || this.#paused || this.#queue.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#schedule(this.#failing ? limits.spool.retryAfterMs : limits.spool.flushEveryMs);
      });
    }, delayMs);
  }

  async #run(): Promise<void> {
    try {
      await this.#flushBatch();
      if (this.#failing) this.#log.info({ event: "flush" }, "Generations reach the database again");
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) {
        this.#log.error(
          { event: "flush", count: this.#queue.length, error },
          "Generations wait in the spool",
        );
      }
      this.#failing = true;
    }
  }

  /** One batch at a time: who asks while one is under way waits for that one. */
  #flushBatch(): Promise<void> {
    this.#batch ??= this.#settleBatch().finally(() => {
      this.#batch = undefined;
    });
    return this.#batch;
  }

  async #settleBatch(): Promise<void> {
    const batch = this.#queue.slice(0, limits.spool.flushRowsMax);
    if (batch.length === 0) return;
    await settleRows(this.#database, batch);
    this.#queue.splice(0, batch.length);
    for (const { row } of batch) this.#spool.release(row.id);
    this.#metrics.spoolPending.set(this.#spool.pending);
  }
}
