/** What a source has: its next batch, or why there is none. */
export type Taken<T> = readonly T[] | "waiting" | "ended";

const noMoreBatches = { done: true, value: undefined } as const;

/**
 * A source that is read batch by batch. `take` needs no promise for a batch that has arrived, through any number of
 * sources on top of each other; where that does not matter, a source is an async iterator as well.
 */
export abstract class Batches<T> implements AsyncIterableIterator<readonly T[], void, undefined> {
  /** The next batch, once the one before is done with; `waiting` until it has arrived. Throws the source's failure. */
  abstract take(): Taken<T>;

  /** Resolves when there may be something to take. To be called after `waiting`; never rejects. */
  abstract arrival(): Promise<void>;

  /** Ends it early and frees what it holds. Does nothing after the end. */
  abstract close(): Promise<void>;

  async next(): Promise<IteratorResult<readonly T[], void>> {
    for (;;) {
      const batch = this.take();
      if (batch === "ended") return noMoreBatches;
      if (batch !== "waiting") return { done: false, value: batch };
      await this.arrival();
    }
  }

  async return(): Promise<IteratorResult<readonly T[], void>> {
    await this.close();
    return noMoreBatches;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

class GeneratedBatches<T> extends Batches<T> {
  readonly #generator: AsyncGenerator<readonly T[], void, undefined>;
  #step: Promise<void> | undefined;
  #taken: Taken<T> = "waiting";
  #failure: { readonly error: unknown } | undefined;

  constructor(generator: AsyncGenerator<readonly T[], void, undefined>) {
    super();
    this.#generator = generator;
  }

  take(): Taken<T> {
    if (this.#failure) throw this.#failure.error;
    const taken = this.#taken;
    if (taken === "waiting") this.#step ??= this.#advance();
    else if (taken !== "ended") this.#taken = "waiting";
    return taken;
  }

  async arrival(): Promise<void> {
    await this.#step;
  }

  async close(): Promise<void> {
    await this.#generator.return();
  }

  async #advance(): Promise<void> {
    try {
      const { value, done } = await this.#generator.next();
      this.#taken = done ? "ended" : value;
    } catch (error) {
      this.#failure = { error };
    }
    this.#step = undefined;
  }
}

/** A function that returns what a generator yields as a source of batches. */
export const generating =
  <Args extends unknown[], T>(
    generate: (...args: Args) => AsyncGenerator<readonly T[], void, undefined>,
  ): ((...args: Args) => Batches<T>) =>
  (...args) =>
    new GeneratedBatches(generate(...args));
