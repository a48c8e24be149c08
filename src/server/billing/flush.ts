import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Booking, BookingExtras, FinishedGeneration } from "./book-generations.ts";
import { bookOrSetAside } from "./book-or-set-aside.ts";
import type { SetAside } from "./set-aside.ts";
import type { Spool } from "./spool.ts";
import type { SpooledGeneration } from "./spool-record.ts";

/**
 * Writes finished generations to the database in batches and releases them from the spool. While the database is
 * unavailable only a bounded number is held in memory: the others are read from the spool later.
 */
export class Flusher {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #spool: Spool;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #extras: BookingExtras;
  readonly #setAside: SetAside;
  /** Called with what was booked, immediately after it. */
  readonly #tell: (bookings: readonly Booking[]) => void;
  #queue: FinishedGeneration[] = [];
  /** Some generations are in the spool only. */
  #overflow = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #batch: Promise<void> | undefined;
  #failing = false;
  #paused = false;
  /** Counts of generations that were added, and of those that were booked. */
  #added = 0;
  #booked = 0;

  constructor(
    database: Database,
    instanceId: string,
    spool: Spool,
    log: Log,
    metrics: Metrics,
    extras: BookingExtras,
    setAside: SetAside,
    tell: (bookings: readonly Booking[]) => void,
  ) {
    this.#tell = tell;
    this.#instanceId = instanceId;
    this.#database = database;
    this.#spool = spool;
    this.#log = log;
    this.#metrics = metrics;
    this.#extras = extras;
    this.#setAside = setAside;
  }

  /** Books a generation that is in no spool, alone. Rejects if the database refuses it. */
  async bookNow(finished: FinishedGeneration): Promise<void> {
    await this.#book([finished]);
    this.#spool.release(finished.row.id);
  }

  /** Adds a generation that is in the spool. */
  add(finished: FinishedGeneration): void {
    if (this.#overflow || this.#queue.length >= limits.spool.queuedRowsMax) this.#overflow = true;
    else this.#queue.push(finished);
    this.#added++;
    this.#schedule(limits.spool.flushEveryMs);
  }

  /** Resolves when everything added so far is in the database; rejects if the database refuses. */
  async drain(): Promise<void> {
    try {
      while (this.#isWaiting()) await this.#flushBatch();
    } finally {
      this.#schedule(limits.spool.retryAfterMs);
    }
  }

  /**
   * Resolves when everything added so far is in the database, at the latest after `limits.spool.caughtUpWithinMs`, so
   * that reports read afterwards include it.
   */
  async caughtUp(): Promise<void> {
    if (!this.#isWaiting()) return;
    const target = this.#added;
    const endMs = clock.monotonicMs() + limits.spool.caughtUpWithinMs;
    const work = async () => {
      while (this.#booked < target && this.#isWaiting() && clock.monotonicMs() < endMs)
        await this.#flushBatch();
    };
    // The next reader gets the error of the database itself.
    const inTime = work().catch(() => {});
    await Promise.race([inTime, wait(limits.spool.caughtUpWithinMs, undefined, { ref: false })]);
    this.#schedule(limits.spool.flushEveryMs);
  }

  /** Pauses flushing until the returned function is called. */
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

  /** Small batches cost more per row, so rows are gathered for a while; a full batch is written immediately. */
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
      if (this.#failing) this.#log.info({ event: "flush" }, "Generations are written to the database again");
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) {
        this.#log.error(
          { event: "flush", count: this.#spool.pending(), error },
          "Generations wait in the spool until the database can store them",
        );
      }
      this.#failing = true;
    }
  }

  /** One batch at a time: concurrent callers wait for the running one. */
  #flushBatch(): Promise<void> {
    this.#batch ??= this.#bookBatch().finally(() => {
      this.#batch = undefined;
    });
    return this.#batch;
  }

  /** Fills the queue from the spool. Generations that finish in the meantime are queued directly, or found here. */
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

  async #book(finished: readonly FinishedGeneration[]): Promise<void> {
    this.#tell(await bookOrSetAside(this.#database, finished, this.#extras, this.#setAside));
  }

  async #bookBatch(): Promise<void> {
    if (this.#queue.length === 0 && this.#overflow) await this.#refill();
    const batch = this.#queue.slice(0, limits.spool.flushRowsMax);
    if (batch.length === 0) return;
    await this.#book(batch);
    this.#queue.splice(0, batch.length);
    this.#booked += batch.length;
    for (const { row } of batch) this.#spool.release(row.id);
    this.#metrics.spoolPending.set(this.#spool.pending());
  }
}
