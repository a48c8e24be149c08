import { limits } from "./limits.ts";

/** Something that waits, and gives itself up when that has lasted too long. */
export interface Waiting {
  /** Told from time to time, for as long as it is watched. */
  checkTime(): void;
}

/**
 * Lets everything that waits look at the time, every `timeCheckMs`. A timer of its own would cost each request more,
 * and hardly one ever runs out.
 */
export class TimeWatch {
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => this.#check(), limits.upstream.timeCheckMs).unref();
  }

  delete(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  #check(): void {
    for (const waiting of this.#waiting) waiting.checkTime();
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
