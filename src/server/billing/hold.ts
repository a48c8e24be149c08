import type { Budget } from "#server/access/caller.ts";
import type { Pico } from "#server/platform/money.ts";

/** Whose money it is: an organisation's credits, or what an API key or a workspace may spend of them. */
export type Owner = "organisation" | Budget["owner"];

/** Credit reserved for one request. */
export interface Hold {
  readonly amount: Pico;
  /** Gives back what is beyond `amount`, for others to hold. */
  reduce(amount: Pico): void;
  /** Releases all but what was really spent. Only the first call counts. */
  release(spent: Pico): void;
  /** Undoes a `release`: nothing was recorded, so nothing will be booked. It can be released again. */
  undo(): void;
}

export const nothingHeld: Hold = { amount: 0n, reduce: () => {}, release: () => {}, undo: () => {} };

/** Several holds of one request as one: each of them holds as much. */
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
