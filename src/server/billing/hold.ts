import type { Budget } from "#server/auth/caller.ts";
import type { Pico } from "#server/platform/money.ts";

/** Whose money it is: an organisation's credits, or what an API key or a workspace may spend of them. */
export type Owner = "organisation" | Budget["owner"];

/** Credit reserved for one request. */
export interface Hold {
  readonly amount: Pico;
  /** Gives back what is beyond `amount`, for others to hold. */
  reduce(amount: Pico): void;
  /** Releases all but what was really spent. Only the first call counts. */
  settle(spent: Pico): void;
  /** Takes a `settle` back: nothing was recorded, so nothing will be booked. It may be settled again. */
  undo(): void;
}

export const nothingHeld: Hold = { amount: 0n, reduce: () => {}, settle: () => {}, undo: () => {} };

/** Several holds of one request as one: each of them holds as much. */
export const together = (holds: readonly Hold[], amount: Pico): Hold => ({
  amount,
  reduce: (to) => holds.forEach((hold) => hold.reduce(to)),
  settle: (spent) => holds.forEach((hold) => hold.settle(spent)),
  undo: () => holds.forEach((hold) => hold.undo()),
});
