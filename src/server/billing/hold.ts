import type { Budget } from "#server/access/caller.ts";
import type { Database } from "#server/db/index.ts";
import type { AppError } from "#server/platform/errors.ts";
import { type Pico, smallest } from "#server/platform/money.ts";

/** Whose credit it is: that of an organisation, the limit of an API key or a workspace, or a counter of a budget. */
export type Owner = "organisation" | Budget["owner"] | "budget";

/** A counter of a budget. It has an account like a limited key, whose amounts are what the budget counts. */
export interface Counter {
  /**
   * Creates the account or updates its limit. `gone`: the budget was deleted, so nothing limits the request. `full`:
   * the budget counts too many different values already.
   */
  open(database: Database): Promise<"open" | "gone" | "full">;
  /** The refusal when it is full. */
  tooMany(): AppError;
  /** The refusal of a request that needs more than is available. */
  refuse(needed: bigint, available: bigint): AppError;
}

/** Credit reserved for one request. */
export interface Hold {
  readonly amount: Pico;
  /** What the account had left afterwards, as far as this process knows. */
  readonly left: Pico;
  /** Releases what exceeds `amount`. */
  reduce(amount: Pico): void;
  /** Releases everything except what was spent. Only the first call counts. */
  release(spent: Pico): void;
  /** Undoes a `release`: nothing was recorded, so nothing will be booked. It can be released again. */
  undo(): void;
}

export const nothingHeld: Hold = {
  amount: 0n,
  left: 0n,
  reduce: () => {},
  release: () => {},
  undo: () => {},
};

/** Combines holds of one request: each of them reserves the same amount. */
export function together(holds: readonly Hold[], amount: Pico): Hold {
  const each = (act: (hold: Hold) => void): void => {
    for (const hold of holds) act(hold);
  };
  return {
    amount,
    left: holds.reduce((least, { left }) => smallest(least, left), holds[0]?.left ?? 0n),
    reduce: (to) => each((hold) => hold.reduce(to)),
    release: (spent) => each((hold) => hold.release(spent)),
    undo: () => each((hold) => hold.undo()),
  };
}
