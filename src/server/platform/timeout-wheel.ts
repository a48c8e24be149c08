import { limits } from "./limits.ts";

/** Something with a timeout that it checks itself. */
export interface Waiting {
  /** Its position in the wheel, which maintains it. */
  wheelIndex: number;
  /** Called at intervals while it is in the wheel. */
  checkTime(): void;
}

/**
 * Makes everything that waits check its timeout every `timeCheckMs`. One timer per request would cost more, and few
 * ever fire. It is an array because the old tables of a growing Set keep their entries alive.
 */
export class TimeoutWheel {
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  add(waiting: Waiting): void {
    waiting.wheelIndex = this.#waiting.push(waiting) - 1;
    this.#timer ??= setInterval(() => this.#check(), limits.upstream.timeCheckMs).unref();
  }

  /** Does nothing if it is no longer in the wheel. */
  delete(waiting: Waiting): void {
    const last = this.#waiting.at(-1);
    if (!last || this.#waiting[waiting.wheelIndex] !== waiting) return;
    this.#waiting[waiting.wheelIndex] = last;
    last.wheelIndex = waiting.wheelIndex;
    this.#waiting.pop();
  }

  #check(): void {
    // From the end: one that removes itself is replaced by one that was already checked.
    for (let at = this.#waiting.length - 1; at >= 0; at--) this.#waiting[at]?.checkTime();
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
