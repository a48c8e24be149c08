import type { Budget } from "#server/access/caller.ts";
import type { Pico } from "#server/platform/money.ts";

/** Whose credit it is: that of an organisation, or the limit of an API key or a workspace. */
export type Owner = "organisation" | Budget["owner"];

/** Credit reserved for one request. */
export interface Hold {
  readonly amount: Pico;
  /** Releases what exceeds `amount`. */
  reduce(amount: Pico): void;
  /** Releases everything except what was spent. Only the first call counts. */
  release(spent: Pico): void;
  /** Undoes a `release`: nothing was recorded, so nothing will be booked. It can be released again. */
  undo(): void;
}

export const nothingHeld: Hold = { amount: 0n, reduce: () => {}, release: () => {}, undo: () => {} };

/** Combines holds of one request: each of them reserves the same amount. */
export function together(holds: readonly Hold[], amount: Pico): Hold {
  const each = (act: (hold: Hold) => void): void => {
    for (const hold of holds) act(hold);
  };
  return {
    amount,
    reduce: (to) => each((hold) => hold.reduce(to)),
    release: (spent) => each((hold) => hold.release(spent)),
    undo: () => each((hold) => hold.undo()),
  };
}
