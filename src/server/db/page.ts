import type { Paging } from "#contract/common.ts";
import { limits } from "#server/platform/limits.ts";

/** The part of a list that a query returns. */
export interface RowWindow {
  readonly take: number;
  readonly skip: number;
}

/** A page of a list on the wire, and how many items the list has. */
export interface Page<T> {
  data: T[];
  total_count: number;
}

/** The order of most lists. The id decides between rows of the same moment, so that no page repeats a row. */
export const newestFirst: { created_at?: "desc"; id?: "desc" }[] = [{ created_at: "desc" }, { id: "desc" }];

/** The rows that a query asks for: up to `rowsMax` from the first one, unless it says otherwise. */
export const windowOf = ({ limit, offset }: Paging): RowWindow => ({
  take: limit ?? limits.lists.rowsMax,
  skip: offset ?? 0,
});

/** Reads a page and the number of all matching rows at the same time. */
export async function readPage<Row, T>(
  paging: Paging,
  {
    rows,
    count,
    toWire,
  }: {
    readonly rows: (window: RowWindow) => Promise<readonly Row[]>;
    readonly count: () => Promise<number>;
    readonly toWire: (rows: readonly Row[]) => T[] | Promise<T[]>;
  },
): Promise<Page<T>> {
  const [found, total] = await Promise.all([rows(windowOf(paging)), count()]);
  return { data: await toWire(found), total_count: total };
}
