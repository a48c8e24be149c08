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

/** The generation with texts that can be stored. */
const repaired = (generation: FinishedGeneration): FinishedGeneration => ({
  instanceId: generation.instanceId,
  row: JSON.parse(storableJson(completeRow(generation))) as GenerationRow,
  ...(generation.attached && { attached: JSON.parse(storableJson(generation.attached)) as object[] }),
});

/**
 * Books as `bookGenerations` does. A generation the database refuses for what is in it is booked with that repaired, or set
 * aside; it keeps no other from being booked, nor a process from starting. Returns as `bookGenerations` does.
 */
export async function bookOrSetAside(
  database: Database,
  finished: readonly FinishedGeneration[],
  extras: BookingExtras,
  setAside: SetAside,
): Promise<readonly Booking[]> {
  const bookings: Booking[] = [];
  /** What the database has against them; undefined once they are booked. */
  const refusalOf = async (some: readonly FinishedGeneration[]): Promise<unknown> => {
    try {
      bookings.push(...(await bookGenerations(database, some, extras)));
      return undefined;
    } catch (error) {
      if (!isDataRefusal(error)) throw error;
      return error;
    }
  };
  /** Halves what is refused until the one is found that is. */
  const bookEach = async (some: readonly FinishedGeneration[]): Promise<void> => {
    const refusal = await refusalOf(some);
    const [first, ...others] = some;
    if (refusal === undefined || !first) return;
    if (others.length > 0) {
      const middle = Math.ceil(some.length / 2);
      await bookEach(some.slice(0, middle));
      await bookEach(some.slice(middle));
    } else if (first.attached) {
      // The money before what is attached to it.
      setAside.withoutAttached(first, refusal);
      const { attached, ...bare } = first;
      await bookEach([bare]);
    } else setAside.refused(first, refusal);
  };
  if ((await refusalOf(finished)) !== undefined) await bookEach(finished.map(repaired));
  return bookings;
}
