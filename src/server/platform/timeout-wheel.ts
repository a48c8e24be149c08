import { limits } from "./limits.ts";

/** Something that waits, and gives itself up when that has lasted too long. */
export interface Waiting {
  /** Its place among those that are watched; the watch keeps it. */
  wheelIndex: number;
  /** Told from time to time, for as long as it is watched. */
  checkTime(): void;
}

/**
 * Lets everything that waits look at the time, every `timeCheckMs`. A timer of its own would cost each request more,
 * and hardly one ever runs out. A list, for the tables a Set outgrows keep alive what was in them.
 */
export class TimeoutWheel {
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  add(waiting: Waiting): void {
    waiting.wheelIndex = this.#waiting.push(waiting) - 1;
    this.#timer ??= setInterval(() => this.#check(), limits.upstream.timeCheckMs).unref();
  }

  /** Does nothing when it is not watched any more. */
  delete(waiting: Waiting): void {
    const last = this.#waiting.at(-1);
    if (!last || this.#waiting[waiting.wheelIndex] !== waiting) return;
    this.#waiting[waiting.wheelIndex] = last;
    last.wheelIndex = waiting.wheelIndex;
    this.#waiting.pop();
  }

  #check(): void {
    // From the end, so that whoever gives itself up leaves its place to one that was told already.
    for (let at = this.#waiting.length - 1; at >= 0; at--) this.#waiting[at]?.checkTime();
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
