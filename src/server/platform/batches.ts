/**
 * A source that is read batch by batch. Async generators are such sources; those on the way of every streamed piece
 * are classes instead, because a step of a generator takes three turns of the microtask queue and theirs takes one.
 */
export interface Batches<T> {
  /** The next batch, once the one before is done with. */
  next(): Promise<IteratorResult<readonly T[], void>>;
  /** Ends it early and frees what it holds. */
  return(): Promise<IteratorResult<readonly T[], void>>;
  [Symbol.asyncIterator](): AsyncIterator<readonly T[], void, undefined>;
}

/** What a source returns after its last batch. */
export const noMoreBatches = { done: true, value: undefined } as const;
