import { LRUCache } from "lru-cache";
import type { FilterRules } from "#contract/destination-filter.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { FilterValues } from "./evaluate.ts";
import { FilterThread } from "./filter-thread.ts";

const { filtersWaitingMax, filtersWaitingBytesMax, filtersCloseMs } = limits.destinations;
const { filterOutcomesMs, filterOutcomesBytesMax } = limits.destinations;

interface Search {
  readonly destinationId: string;
  readonly rules: FilterRules;
}

/** A generation that filters must search before its destinations are known. */
export interface FilterTask<Trace> {
  readonly generationId: string;
  readonly orgId: string;
  readonly searches: readonly Search[];
  readonly values: FilterValues;
  /** Approximate memory used until the filters have finished. */
  readonly bytes: number;
  /** What the matching destinations get. */
  readonly tracesFor: (destinationIds: ReadonlySet<string>) => readonly Trace[];
}

/** Why a destination gets nothing although its filter did not decide. */
export interface FilterFailure {
  readonly destination_id: string;
  readonly reason: string;
}

export interface FilterOutcome<Trace> {
  readonly traces: readonly Trace[];
  readonly failures: readonly FilterFailure[];
}

export const filterReasons = {
  late: "The filter took too long: nothing was sent",
  crowded: "Too many generations waited for filters: nothing was sent",
  lost: "The process ended, or could not store, before the filter was done: nothing was sent",
} as const;

/** The result, now or later. */
export interface AwaitedOutcome<Trace> {
  outcome: FilterOutcome<Trace> | null;
  readonly final: Promise<FilterOutcome<Trace>>;
}

interface Waiting<Trace> {
  readonly task: FilterTask<Trace>;
  readonly passed: Set<string>;
  readonly failures: FilterFailure[];
  readonly finish: (outcome: FilterOutcome<Trace>) => void;
  searched: number;
}

/** The waiting searches of one organisation, and the time its searches took. */
interface Line<Trace> {
  readonly waiting: Waiting<Trace>[];
  bytes: number;
  usedMs: number;
  isCrowded: boolean;
}

const failed = (searches: readonly Search[], reason: string): FilterFailure[] =>
  searches.map(({ destinationId }) => ({ destination_id: destinationId, reason }));

/**
 * Filters that search texts, on a thread of their own, so that no request waits for them. One search runs at a time,
 * of the organisation whose searches took the least time, so that slow filters delay only their own organisation.
 * Without a result in time nothing is sent.
 */
export class Filters<Trace> {
  readonly #log: Log;
  readonly #thread: Pick<FilterThread, "ask" | "close">;
  readonly #nowMs: () => number;
  readonly #lines = new Map<string, Line<Trace>>();
  readonly #outcomes = new LRUCache<string, AwaitedOutcome<Trace>>({
    max: 2 * filtersWaitingMax,
    maxSize: filterOutcomesBytesMax,
    ttl: filterOutcomesMs,
  });
  #count = 0;
  #bytes = 0;
  /** The start value of an organisation without waiting searches: it gets no credit for its absence. */
  #startMs = 0;
  #isOver = false;
  #running: Promise<void> | null = null;

  constructor(
    log: Log,
    thread: Pick<FilterThread, "ask" | "close"> = new FilterThread(),
    nowMs: () => number = clock.monotonicMs,
  ) {
    this.#log = log;
    this.#thread = thread;
    this.#nowMs = nowMs;
  }

  /** Searches a generation. `outcomeOf` has the result. */
  search(task: FilterTask<Trace>): void {
    const { promise, resolve } = Promise.withResolvers<FilterOutcome<Trace>>();
    const awaited: AwaitedOutcome<Trace> = { outcome: null, final: promise };
    this.#outcomes.set(task.generationId, awaited, { size: task.bytes });
    const finish = (outcome: FilterOutcome<Trace>) => {
      awaited.outcome = outcome;
      // Without a match, only that is stored.
      const size = outcome.traces.length === 0 ? 1 : task.bytes;
      this.#outcomes.set(task.generationId, awaited, { size });
      resolve(outcome);
    };
    const line = this.#lineOf(task.orgId);
    if (this.#isCrowded(line, task)) {
      finish({ traces: [], failures: failed(task.searches, filterReasons.crowded) });
      return;
    }
    this.#count++;
    this.#bytes += task.bytes;
    line.bytes += task.bytes;
    line.waiting.push({ task, passed: new Set<string>(), failures: [], finish, searched: 0 });
    this.#lines.set(task.orgId, line);
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** The result of a search, or its promise; undefined if there was no search here. */
  outcomeOf(generationId: string): AwaitedOutcome<Trace> | undefined {
    return this.#outcomes.get(generationId);
  }

  /** Resolves when all searches have finished or were given up, and the thread has ended. */
  async close(): Promise<void> {
    const patience = setTimeout(() => {
      this.#isOver = true;
      void this.#thread.close();
    }, filtersCloseMs);
    await this.#running;
    clearTimeout(patience);
    this.#isOver = true;
    await this.#thread.close();
  }

  #lineOf(orgId: string): Line<Trace> {
    const known = this.#lines.get(orgId);
    return known ?? { waiting: [], bytes: 0, usedMs: this.#startMs, isCrowded: false };
  }

  /** An organisation may use as much of the queue as it leaves for others, so that there is always space. */
  #isCrowded(line: Line<Trace>, { bytes }: FilterTask<Trace>): boolean {
    const before = line.isCrowded;
    line.isCrowded =
      line.waiting.length >= filtersWaitingMax - this.#count ||
      line.bytes + bytes > filtersWaitingBytesMax - this.#bytes;
    if (line.isCrowded && !before) this.#log.warn({ event: "destination" }, filterReasons.crowded);
    return line.isCrowded;
  }

  async #run(): Promise<void> {
    while (this.#lines.size > 0) {
      const [orgId, line] = [...this.#lines].reduce((a, b) => (b[1].usedMs < a[1].usedMs ? b : a));
      this.#startMs = line.usedMs;
      const [waiting] = line.waiting;
      const begunMs = this.#nowMs();
      if (waiting) await this.#searchOnce(waiting);
      line.usedMs += this.#nowMs() - begunMs;
      if (waiting && waiting.searched >= waiting.task.searches.length) {
        line.waiting.shift();
        line.bytes -= waiting.task.bytes;
        this.#end(waiting);
      }
      if (line.waiting.length === 0) this.#lines.delete(orgId);
    }
  }

  async #searchOnce(waiting: Waiting<Trace>): Promise<void> {
    const { task, passed, failures } = waiting;
    const search = task.searches[waiting.searched++];
    if (!search) return;
    const { destinationId, rules } = search;
    const question = { rules, values: task.values };
    const answer = this.#isOver
      ? null
      : await this.#thread.ask(question).catch((error: unknown) => {
          this.#log.error({ event: "destination", error }, "A filter could not be asked");
          return null;
        });
    if (answer === true) passed.add(destinationId);
    if (answer !== null) return;
    const reason = this.#isOver ? filterReasons.lost : filterReasons.late;
    failures.push(...failed([search], reason));
    this.#log.warn({ event: "destination", generation_id: task.generationId }, reason);
  }

  #end({ task, passed, failures, finish }: Waiting<Trace>): void {
    this.#count--;
    this.#bytes -= task.bytes;
    try {
      finish({ traces: passed.size > 0 ? task.tracesFor(passed) : [], failures });
    } catch (error) {
      const about = { event: "destination", generation_id: task.generationId, error };
      this.#log.error(about, "A trace could not be planned");
      finish({ traces: [], failures });
    }
  }
}
