/** Reads so many rows with one query. */
const readTogether = 500;

interface Head {
  readonly id: string;
  /** Another one after each change of the row. */
  readonly stamp: number;
}

/** Returns the values of these rows, by id. The others are forgotten. */
export type RowCache<Value> = (
  heads: readonly Head[],
  read: (ids: string[]) => Promise<Iterable<readonly [id: string, value: Value]>>,
) => Promise<ReadonlyMap<string, Value>>;

/** Creates a cache that reads only rows that are new or changed. A row that was deleted meanwhile is absent. */
export function createRowCache<Value>(): RowCache<Value> {
  let known: ReadonlyMap<string, { readonly stamp: number; readonly value: Value }> = new Map();
  return async (heads, read) => {
    const next = new Map<string, { readonly stamp: number; readonly value: Value }>();
    const changed = new Map<string, number>();
    for (const { id, stamp } of heads) {
      const entry = known.get(id);
      if (entry?.stamp === stamp) next.set(id, entry);
      else changed.set(id, stamp);
    }
    const ids = [...changed.keys()];
    for (let at = 0; at < ids.length; at += readTogether)
      for (const [id, value] of await read(ids.slice(at, at + readTogether)))
        next.set(id, { stamp: changed.get(id) ?? 0, value });
    known = next;
    return new Map([...next].map(([id, { value }]) => [id, value]));
  };
}
