import { join } from "node:path";
import type { Budget } from "#server/access/caller.ts";
import type { Price } from "#server/catalog/index.ts";
import { type Database, receipted } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { lockDirectory } from "#server/platform/directory-lock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Pico } from "#server/platform/money.ts";
import type { Admission } from "./admission.ts";
import type { BookingExtras } from "./book-generations.ts";
import { Credit } from "./credit.ts";
import { Flusher } from "./flush.ts";
import { bookedRow, type GenerationRow } from "./generation-row.ts";
import { type Hold, together } from "./hold.ts";
import type { Amounts, LeasedCounter } from "./leasing.ts";
import { pricingOf } from "./pricing.ts";
import { replaySpools } from "./replay.ts";
import type { ProgressRow } from "./row-columns.ts";
import { openSetAside } from "./set-aside.ts";
import { Spool } from "./spool.ts";
import type { SpoolOptions } from "./spool-options.ts";
import { StoredBases } from "./stored-bases.ts";

interface HoldOptions {
  /** The smallest sufficient amount; by default `most`. */
  readonly least?: Pico;
  readonly budgets?: readonly Budget[];
}

export interface Billing {
  /**
   * Reserves what a request needs of counters of budgets, in their order, or nothing: `most` of their measures, or at
   * least `least`. Throws the refusal of the first counter that has less. Waits for nothing while the leases suffice.
   */
  holdCounters(
    counters: readonly LeasedCounter[],
    most: Amounts,
    least: Amounts,
  ): readonly Hold[] | Promise<readonly Hold[]>;
  /**
   * Reserves pico-EUR for a request in the organisation's credits and in every limit in `budgets`: `most`, or what is
   * available of that, but at least `least`. Throws INSUFFICIENT_QUOTA when any of them has less than `least`; then
   * nothing is reserved.
   */
  hold(orgId: string, most: Pico, options?: HoldOptions): Promise<Hold>;
  /** Whether records of a decision must contain its basis: the database may not have it. */
  lacksBasis(orgId: string, hash: string): boolean;
  /** Records that a request is about to reach a provider. Resolves once that is durable. */
  admit(admission: Admission): Promise<void>;
  /**
   * Records the progress of a stream with everything needed to bill it if it is interrupted: its price, and the
   * prompt tokens written to a cache for an hour.
   */
  progress(row: GenerationRow, price: Price | null, cacheWriteHour?: number): Promise<void>;
  /**
   * Records progress in a few bytes, before each chunk of a stream is delivered; null if `progress` has to be called
   * instead.
   */
  mark(id: string, completionTokens: number): Promise<void> | null;
  /**
   * Records the end of a generation; resolves once that survives the process: in the spool or, if the disk is full,
   * in the database. It is booked later, with its attachments in the same transaction. Rejects if neither can store
   * it: then it is not booked.
   */
  finish(row: GenerationRow, attached?: readonly object[]): Promise<void>;
  /** Leases credit for organisations before their first request. */
  warm(orgIds: Iterable<string>): Promise<void>;
  /** Number of generations that are not in the database yet. */
  pending(): number;
  /** Resolves when everything finished so far is in the database. */
  drain(): Promise<void>;
  /** Resolves when everything finished so far can be read, after a second at the latest. Never rejects. */
  caughtUp(): Promise<void>;
  pauseFlushing(): () => void;
  close(): Promise<void>;
}

/** Reserves the same amount in every limit and in the credits, or nothing. */
async function holdAll(
  credit: Credit,
  orgId: string,
  most: Pico,
  { least = most, budgets = [] }: HoldOptions,
): Promise<Hold> {
  const holds: Hold[] = [];
  let amount = most;
  try {
    for (const { id, ...bound } of [...budgets, { id: orgId }]) {
      const hold = await credit.hold(id, amount, { ...bound, least });
      holds.push(hold);
      amount = hold.amount;
    }
  } catch (error) {
    for (const hold of holds) hold.release(0n);
    throw error;
  }
  for (const hold of holds) hold.reduce(amount);
  return together(holds, amount);
}

/** Counters are many, and waiting for what is there already would cost more than holding it. */
function holdCounters(
  credit: Credit,
  counters: readonly LeasedCounter[],
  most: Amounts,
  least: Amounts,
): readonly Hold[] | Promise<readonly Hold[]> {
  const nowMs = clock.monotonicMs();
  const holds: Hold[] = [];
  for (const counter of counters) {
    const { measure } = counter;
    const hold = credit.holdCounterNow(counter, most[measure], least[measure], nowMs);
    if (hold === null) return holdOthers(credit, counters, most, least, holds);
    holds.push(hold);
  }
  return holds;
}

/** Holds from the counters after the first `holds`, or nothing. */
async function holdOthers(
  credit: Credit,
  counters: readonly LeasedCounter[],
  most: Amounts,
  least: Amounts,
  holds: Hold[],
): Promise<readonly Hold[]> {
  try {
    for (const { accountId, measure, holder } of counters.slice(holds.length))
      holds.push(await credit.hold(accountId, most[measure], { ...holder, least: least[measure] }));
  } catch (error) {
    for (const hold of holds) hold.release(0n);
    throw error;
  }
  return holds;
}

export interface BillingOptions extends SpoolOptions, BookingExtras {
  /** No other process uses the database. */
  readonly isAlone?: boolean;
  readonly spoolDirectory: string;
  readonly leaseTtlMs?: number;
}

const nothing: readonly object[] = [];

/** The JSON of a row with its attachments, as in `SpooledGeneration`. */
const jsonWith = (json: string, attached: readonly object[]): string =>
  `${json.slice(0, -1)},"attached":${JSON.stringify(attached)}}`;

/** Opens spool, flush and credit of this process, after booking what earlier processes left. */
export async function openBilling(
  database: Database,
  options: BillingOptions,
  log: Log,
  metrics: Metrics,
): Promise<Billing> {
  const setAside = openSetAside(options.spoolDirectory, log, metrics);
  await replaySpools(database, options.spoolDirectory, log, options, setAside);
  const instanceId = uuidv7();
  const bases = new StoredBases();
  const directory = join(options.spoolDirectory, instanceId);
  const lock = lockDirectory(directory);
  const spool = new Spool(directory, options, log);
  const extras = { ...options, bases };
  const flusher = new Flusher(database, instanceId, spool, log, metrics, extras, setAside, (bookings) =>
    credit.booked(bookings),
  );
  const credit = new Credit(database, instanceId, log, {
    ...(options.leaseTtlMs !== undefined && { leaseTtlMs: options.leaseTtlMs }),
    ...(options.isAlone && { isAlone: true }),
    drain: () => flusher.drain(),
  });
  return {
    hold: (orgId, most, options = {}) =>
      options.budgets?.length ? holdAll(credit, orgId, most, options) : credit.hold(orgId, most, options),
    holdCounters: (counters, most, least) => holdCounters(credit, counters, most, least),
    lacksBasis: (orgId, hash) => bases.lacks(orgId, hash),
    async admit(admission) {
      try {
        await spool.append("ADMIT", admission.id, JSON.stringify(admission));
      } catch (error) {
        // The request is refused, so it must not be booked later.
        spool.release(admission.id);
        throw error;
      }
    },
    progress(row, price, cacheWriteHour = 0) {
      const record: ProgressRow = {
        ...row,
        pricing: price && pricingOf(price),
        cache_write_1h_tokens: cacheWriteHour,
      };
      return spool.append("PROGRESS", row.id, JSON.stringify(record));
    },
    mark: (id, completionTokens) => spool.mark(id, completionTokens),
    async finish(row, attached = nothing) {
      const { json, receiptHash } = receipted(row);
      const bare = { instanceId, row: bookedRow(row), json, receiptHash };
      const finished = attached.length === 0 ? bare : { ...bare, attached };
      try {
        await spool.append("FINAL", row.id, attached.length === 0 ? json : jsonWith(json, attached));
      } catch (error) {
        log.error({ event: "spool", generation_id: row.id, error }, "The spool refuses a record");
        await flusher.bookNow(finished);
        return;
      }
      flusher.add(finished);
    },
    async warm(orgIds) {
      await Promise.all([...orgIds].map((orgId) => credit.warm(orgId)));
    },
    pending: () => spool.pending(),
    drain: () => flusher.drain(),
    caughtUp: () => flusher.caughtUp(),
    pauseFlushing: () => flusher.pause(),
    async close() {
      flusher.pause();
      try {
        await flusher.drain();
        await credit.close();
      } finally {
        // What could not be booked remains in the spool for the next process, which then returns the leases.
        lock?.release();
        await spool.close();
      }
    },
  };
}
