/**
 * Something remembered of one of Node's own objects, on the object itself: a WeakMap costs each request a look-up by
 * hash and the collector a visit to each entry.
 */
export class Note<Holder extends object, Value> {
  readonly #key = Symbol("note");

  // The key is this note's own, so nothing else is ever found under it.
  of(holder: Holder): Value | undefined {
    return (holder as Record<symbol, Value | undefined>)[this.#key];
  }

  set(holder: Holder, value: Value): void {
    (holder as Record<symbol, Value | undefined>)[this.#key] = value;
  }
}
