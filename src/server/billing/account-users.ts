import { clock } from "#server/platform/clock.ts";
import { type Hold, nothingHeld } from "./hold.ts";

/** Counts the requests that wait for a hold of one account or have one, so that an idle account can be returned. */
export class AccountUsers {
  #requests = 0;
  #lastUsedMs = 0;

  /** Counts a request from now until its hold is released. */
  async counting(take: () => Promise<Hold>): Promise<Hold> {
    this.#requests++;
    this.#lastUsedMs = clock.monotonicMs();
    try {
      const hold = await take();
      if (hold === nothingHeld) this.#requests--;
      return hold === nothingHeld ? hold : this.#untilReleased(hold);
    } catch (error) {
      this.#requests--;
      throw error;
    }
  }

  /** Nobody uses it, and nobody began to for this long. */
  isIdle(forMs: number): boolean {
    return this.#requests === 0 && clock.monotonicMs() - this.#lastUsedMs >= forMs;
  }

  #untilReleased(hold: Hold): Hold {
    let isOpen = true;
    return {
      amount: hold.amount,
      left: hold.left,
      reduce: (to) => hold.reduce(to),
      release: (spent) => {
        if (isOpen) this.#requests--;
        isOpen = false;
        hold.release(spent);
      },
      undo: () => {
        if (!isOpen) this.#requests++;
        isOpen = true;
        hold.undo();
      },
    };
  }
}
