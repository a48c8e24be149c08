import type { GenerationRow } from "#server/db/index.ts";

/** Everything that is reserved for one request: credit, limits and counters of budgets. */
export interface RequestHold {
  /** Releases everything except what the generation used; null: nothing was recorded. */
  release(row: GenerationRow | null): void;
  /** Undoes a `release`: nothing was recorded, so nothing will be booked. It can be released again. */
  undo(): void;
}
