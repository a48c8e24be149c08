import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, isDataRefusal } from "#server/db/index.ts";
import type { Log } from "#server/platform/log.ts";
import { storableJson } from "#server/platform/storable.ts";
import type { GenerationRow } from "./generation-row.ts";
import { type FinishedGeneration, type Outbox, settleRows } from "./settle-rows.ts";

/** What becomes of what the database refuses for good. */
export interface RefusedRows {
  /** The generation cannot be booked: it goes to a file beside the spools, a line of JSON each. */
  add(generation: FinishedGeneration, error: unknown): void;
  /** It can, but not with what is attached to it. */
  leaveOut(generation: FinishedGeneration, error: unknown): void;
}

export const refusedFile = "refused.jsonl";

const wholeRow = ({ row, json }: FinishedGeneration): GenerationRow =>
  json === undefined ? row : (JSON.parse(json) as GenerationRow);

/** Keeps them in a file of the spools' folder, and says so. Throws when that cannot be written. */
export const openRefusedRows = (spoolDirectory: string, log: Log): RefusedRows => ({
  add(generation, error) {
    const { instanceId, row, attached } = generation;
    mkdirSync(spoolDirectory, { recursive: true, mode: 0o700 });
    const line = `${JSON.stringify({ instance_id: instanceId, row: wholeRow(generation), attached })}\n`;
    appendFileSync(join(spoolDirectory, refusedFile), line, { mode: 0o600, flush: true });
    log.error(
      { event: "flush", generation_id: row.id, error },
      `The database refuses a generation, which is not booked: it stands in ${refusedFile} of the spool`,
    );
  },
  leaveOut({ row }, error) {
    log.error(
      { event: "flush", generation_id: row.id, error },
      "The database refuses the traces of a generation: it is booked without them",
    );
  },
});

/** The same with texts that can be stored. */
const mended = (generation: FinishedGeneration): FinishedGeneration => ({
  instanceId: generation.instanceId,
  row: JSON.parse(storableJson(wholeRow(generation))) as GenerationRow,
  ...(generation.attached && { attached: JSON.parse(storableJson(generation.attached)) as object[] }),
});

/**
 * Books as `settleRows` does. A generation the database refuses for what is in it is booked with that mended, or left
 * to `refused`; it keeps no other from being booked, nor a process from starting.
 */
export async function bookRows(
  database: Database,
  finished: readonly FinishedGeneration[],
  outbox: Outbox | null,
  refused: RefusedRows,
): Promise<void> {
  /** What the database has against them; undefined once they are booked. */
  const refusalOf = async (some: readonly FinishedGeneration[]): Promise<unknown> => {
    try {
      await settleRows(database, some, outbox);
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
      refused.leaveOut(first, refusal);
      const { attached, ...bare } = first;
      await bookEach([bare]);
    } else refused.add(first, refusal);
  };
  if ((await refusalOf(finished)) !== undefined) await bookEach(finished.map(mended));
}
