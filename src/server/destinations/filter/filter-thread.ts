import { Worker } from "node:worker_threads";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { programEnding } from "#server/platform/project.ts";
import type { FilterAnswer, FilterQuestion } from "./filter-worker.ts";

const { filterCpuMsMax, filterDeadlineMs, filterHeapMiB, filterLookMs, filterStartMs } = limits.destinations;

const startWorker = (): Worker =>
  new Worker(new URL(`./filter-worker${programEnding}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: filterHeapMiB },
  });

/**
 * A thread for filters that search texts, one at a time, started on first use. A search that takes too long ends with
 * the thread, and the next one starts another.
 */
export class FilterThread {
  readonly #startWorker: () => Worker;
  #worker: Worker | null = null;
  /** Processor time of the thread at its last answer: more than that belongs to the next search. */
  #cpuMs = 0;

  constructor(start: () => Worker = startWorker) {
    this.#startWorker = start;
  }

  /** The filter's result; null if it was not ready in time. Call it again only once this has resolved. */
  async ask(question: FilterQuestion): Promise<boolean | null> {
    const worker = this.#worker ?? (await this.#start());
    if (!worker) return null;
    worker.postMessage(question);
    return (await this.#next(worker, filterDeadlineMs, filterCpuMsMax))?.passes ?? null;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  async #start(): Promise<Worker | null> {
    const worker = this.#startWorker();
    worker.unref();
    this.#worker = worker;
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    // Whatever ends the thread ends the search, which has its own listeners.
    worker.on("error", () => {});
    return (await this.#next(worker, filterStartMs, Number.POSITIVE_INFINITY)) && worker;
  }

  /**
   * The worker's next message; null, and the end of the worker, if it takes too long. The worker's own processor time
   * counts, so that a busy machine does not fail a filter.
   */
  async #next(worker: Worker, withinMs: number, cpuMsMax: number): Promise<FilterAnswer | null> {
    const { promise, resolve } = Promise.withResolvers<FilterAnswer | null>();
    const giveUp = () => resolve(null);
    const deadlineMs = clock.monotonicMs() + withinMs;
    const look = setInterval(async () => {
      const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
      const usedMs = (user + system) / 1000 - this.#cpuMs;
      if (usedMs > cpuMsMax || clock.monotonicMs() > deadlineMs) giveUp();
    }, filterLookMs);
    worker.once("message", resolve).once("exit", giveUp);
    const answer = await promise;
    clearInterval(look);
    worker.off("message", resolve).off("exit", giveUp);
    this.#cpuMs = answer?.cpuMs ?? 0;
    if (answer === null) {
      if (this.#worker === worker) this.#worker = null;
      await worker.terminate();
    }
    return answer;
  }
}
