import { type Database, isDataRefusal } from "#server/db/index.ts";
import { storableJson } from "#server/platform/storable.ts";
import {
  type Booking,
  type BookingExtras,
  bookGenerations,
  type FinishedGeneration,
} from "./book-generations.ts";
import type { GenerationRow } from "./generation-row.ts";
import { completeRow, type SetAside } from "./set-aside.ts";

/** The generation with texts that the database can store. */
const repaired = (generation: FinishedGeneration): FinishedGeneration => ({
  instanceId: generation.instanceId,
  row: JSON.parse(storableJson(completeRow(generation))) as GenerationRow,
  ...(generation.attached && { attached: JSON.parse(storableJson(generation.attached)) as object[] }),
});

/**
 * Books like `bookGenerations`. A generation whose data the database refuses is booked with repaired texts, or set
 * aside; it blocks neither other generations nor a start. Returns the same as `bookGenerations`.
 */
export async function bookOrSetAside(
  database: Database,
  finished: readonly FinishedGeneration[],
  extras: BookingExtras,
  setAside: SetAside,
): Promise<readonly Booking[]> {
  const bookings: Booking[] = [];
  /** The error of the database; undefined once they are booked. */
  const refusalOf = async (some: readonly FinishedGeneration[]): Promise<unknown> => {
    try {
      bookings.push(...(await bookGenerations(database, some, extras)));
      return undefined;
    } catch (error) {
      if (!isDataRefusal(error)) throw error;
      return error;
    }
  };
  /** Halves a refused batch until the refused generation is found. */
  const bookEach = async (some: readonly FinishedGeneration[]): Promise<void> => {
    const refusal = await refusalOf(some);
    const [first, ...others] = some;
    if (refusal === undefined || !first) return;
    if (others.length > 0) {
      const middle = Math.ceil(some.length / 2);
      await bookEach(some.slice(0, middle));
      await bookEach(some.slice(middle));
    } else if (first.attached) {
      // The money is booked even if the attachments are refused.
      setAside.withoutAttached(first, refusal);
      const { attached, ...bare } = first;
      await bookEach([bare]);
    } else setAside.refused(first, refusal);
  };
  if ((await refusalOf(finished)) !== undefined) await bookEach(finished.map(repaired));
  return bookings;
}
