import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import { bookRows, type RefusedRows } from "./book-rows.ts";
import type { FinishedGeneration, Outbox } from "./settle-rows.ts";
import type { Spool } from "./spool.ts";
import type { SpooledGeneration } from "./spool-record.ts";

/**
 * Carries finished generations into the database in batches and lets the spool go of them. While the database is
 * away only so many are kept in memory: the others are read from the spool again when it is back.
 */
export class Flusher {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #spool: Spool;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #outbox: Outbox | null;
  readonly #refused: RefusedRows;
  #queue: FinishedGeneration[] = [];
  /** Some are in the spool only. */
  #overflow = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #batch: Promise<void> | undefined;
  #failing = false;
  #paused = false;

  constructor(
    database: Database,
    instanceId: string,
    spool: Spool,
    log: Log,
    metrics: Metrics,
    outbox: Outbox | null,
    refused: RefusedRows,
  ) {
    this.#instanceId = instanceId;
    this.#database = database;
    this.#spool = spool;
    this.#log = log;
    this.#metrics = metrics;
    this.#outbox = outbox;
    this.#refused = refused;
  }

  /** `spooled`: it can be read from the spool again. */
  add(finished: FinishedGeneration, spooled: boolean): void {
    if (spooled && (this.#overflow || this.#queue.length >= limits.spool.queuedRowsMax))
      this.#overflow = true;
    else this.#queue.push(finished);
    this.#schedule(limits.spool.flushEveryMs);
  }

  /** Everything added so far is in the database when this resolves; rejects when the database refuses. */
  async drain(): Promise<void> {
    try {
      while (this.#isWaiting()) await this.#flushBatch();
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

  #isWaiting(): boolean {
    return this.#queue.length > 0 || this.#overflow;
  }

  /** Small batches cost more a row, so rows are gathered for a while; a full batch has nothing to wait for. */
  #delayMs(): number {
    return this.#overflow || this.#queue.length >= limits.spool.flushRowsMax ? 0 : limits.spool.flushEveryMs;
  }

  #schedule(delayMs: number): void {
    if (this.#timer || this.#running || this.#paused || !this.#isWaiting()) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#schedule(this.#failing ? limits.spool.retryAfterMs : this.#delayMs());
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
          { event: "flush", count: this.#spool.pending(), error },
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

  /** Fills the queue from the spool. What is finished meanwhile comes into the queue by itself, or is found. */
  async #refill(): Promise<void> {
    this.#overflow = false;
    try {
      const found = await this.#spool.readFinished(limits.spool.queuedRowsMax);
      const queued = new Set(this.#queue.map(({ row }) => row.id));
      const instanceId = this.#instanceId;
      for (const json of found) {
        const { attached, ...row } = JSON.parse(json) as SpooledGeneration;
        if (queued.has(row.id)) continue;
        this.#queue.push({ instanceId, row, ...(attached && { attached }) });
      }
      this.#overflow ||= found.length >= limits.spool.queuedRowsMax;
    } catch (error) {
      this.#overflow = true;
      throw error;
    }
  }

  async #settleBatch(): Promise<void> {
    if (this.#queue.length === 0 && this.#overflow) await this.#refill();
    const batch = this.#queue.slice(0, limits.spool.flushRowsMax);
    if (batch.length === 0) return;
    await bookRows(this.#database, batch, this.#outbox, this.#refused);
    this.#queue.splice(0, batch.length);
    for (const { row } of batch) this.#spool.release(row.id);
    this.#metrics.spoolPending.set(this.#spool.pending());
  }
}
