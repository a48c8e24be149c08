/**
 * A value attached to one of Node's own objects, such as a response. It is stored on the object itself, because a
 * WeakMap costs a hash look-up per request and work for the garbage collector.
 */
export class RequestAttachment<Holder extends object, Value> {
  readonly #key = Symbol("attachment");

  // The key belongs to this attachment alone, so the value under it has the right type.
  of(holder: Holder): Value | undefined {
    return (holder as Record<symbol, Value | undefined>)[this.#key];
  }

  set(holder: Holder, value: Value): void {
    (holder as Record<symbol, Value | undefined>)[this.#key] = value;
  }
}
