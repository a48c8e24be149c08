import { Worker } from "node:worker_threads";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { programEnding } from "#server/platform/project.ts";
import type { Rendered } from "./page-renderer.ts";
import type { PageAnswer, PageQuestion, PageWorkerData } from "./page-worker.ts";

const { renderTimeoutMs, threadIdleMs, threadStartMs, threadYoungMib } = limits.pages;

const startWorker = (workerData: PageWorkerData): Worker =>
  new Worker(new URL(`./page-worker${programEnding}`, import.meta.url), {
    workerData,
    // Rendering needs little of a young generation, which otherwise grows to that of the server.
    resourceLimits: { maxYoungGenerationSizeMb: threadYoungMib },
  });

export const busy = (cause?: Error): AppError =>
  new AppError("SERVICE_UNAVAILABLE", "Too many pages are requested at the moment. Try again in 5 seconds", {
    headers: { "retry-after": "5" },
    cause,
  });

/** A thread with Next, and its unanswered questions. */
interface Running {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<Rendered>>;
  /** Resolves when it can answer; rejects if it ends before. */
  readonly ready: Promise<void>;
}

/**
 * Next on a thread of its own: its work delays no other request, and its memory is used only while people open pages.
 * The thread starts on first use, and ends after a while without any.
 */
export class PageThread {
  readonly #start: () => Worker;
  #running: Running | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(data: PageWorkerData, start: (data: PageWorkerData) => Worker = startWorker) {
    this.#start = () => start(data);
  }

  /**
   * Renders `target`, a path with its query. Rejects with SERVICE_UNAVAILABLE if that takes too long: then the thread
   * is replaced.
   */
  async render(target: string, headers: Readonly<Record<string, string>>): Promise<Rendered> {
    clearTimeout(this.#idleTimer);
    const running = this.#running ?? this.#begin();
    await this.#within(threadStartMs, "the thread of pages was not ready", running, running.ready);
    const id = ++this.#lastId;
    const answered = Promise.withResolvers<Rendered>();
    running.waiting.set(id, answered);
    running.worker.postMessage({ id, target, headers } satisfies PageQuestion);
    try {
      return await this.#within(renderTimeoutMs, `${target} was not rendered`, running, answered.promise);
    } finally {
      running.waiting.delete(id);
      clearTimeout(this.#idleTimer);
      if (running.waiting.size === 0)
        this.#idleTimer = setTimeout(() => this.#end(running), threadIdleMs).unref();
    }
  }

  close(): void {
    clearTimeout(this.#idleTimer);
    if (this.#running) this.#end(this.#running);
  }

  async #within<T>(ms: number, failure: string, running: Running, work: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const patience = setTimeout(() => {
      reject(busy(new Error(`${failure} within ${ms} ms`)));
      this.#end(running);
    }, ms);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(patience);
    }
  }

  /** Ends a thread. What it has not answered is rejected by its exit. */
  #end(running: Running): void {
    if (this.#running === running) this.#running = null;
    void running.worker.terminate();
  }

  #begin(): Running {
    const worker = this.#start();
    const { promise: ready, resolve, reject: refuse } = Promise.withResolvers<void>();
    const running: Running = { worker, ready, waiting: new Map() };
    const fail = (error: Error) => {
      if (this.#running === running) this.#running = null;
      refuse(error);
      for (const { reject } of running.waiting.values()) reject(error);
    };
    worker.on("message", (answer: PageAnswer) => {
      if (answer.id === null) return resolve();
      const asked = running.waiting.get(answer.id);
      if ("failure" in answer) asked?.reject(new Error(answer.failure));
      else asked?.resolve(answer);
    });
    worker.once("error", fail);
    worker.once("exit", (code) => fail(new Error(`The thread of pages ended with code ${code}`)));
    // Nobody may be waiting any more when it fails.
    ready.catch(() => {});
    this.#running = running;
    return running;
  }
}
