import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "./limits.ts";

/** Divides long work on an answer into turns, between which others are served. */
export class Turns {
  #bytes = 0;

  /** To be awaited after each part of the work. */
  async took(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < limits.stream.turnBytes) return;
    this.#bytes = 0;
    await nextTurn();
  }
}
