import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, isDataRefusal } from "#server/db/index.ts";
import type { Log } from "#server/platform/log.ts";
import { storableJson } from "#server/platform/storable.ts";
import type { GenerationRow } from "./generation-row.ts";
import { type FinishedGeneration, type Outbox, settleRows } from "./settle-rows.ts";

/** Where generations go that the database refuses for good: a line of JSON each, beside the spools. */
export interface RefusedRows {
  add(generation: FinishedGeneration, error: unknown): void;
}

export const refusedFile = "refused.jsonl";

/** Keeps them in a file of the spools' folder, and says so. Throws when that cannot be written. */
export const openRefusedRows = (spoolDirectory: string, log: Log): RefusedRows => ({
  add({ instanceId, row, json, attached }, error) {
    mkdirSync(spoolDirectory, { recursive: true, mode: 0o700 });
    const whole = json === undefined ? row : (JSON.parse(json) as GenerationRow);
    const line = `${JSON.stringify({ instance_id: instanceId, row: whole, attached })}\n`;
    appendFileSync(join(spoolDirectory, refusedFile), line, { mode: 0o600, flush: true });
    log.error(
      { event: "flush", generation_id: row.id, error },
      `The database refuses a generation, which is not booked: it stands in ${refusedFile} of the spool`,
    );
  },
});

/** The same with texts that can be stored. */
function mended({ instanceId, row, json, attached }: FinishedGeneration): FinishedGeneration {
  const whole = json === undefined ? row : JSON.parse(json);
  return {
    instanceId,
    row: JSON.parse(storableJson(whole)) as GenerationRow,
    ...(attached && { attached: JSON.parse(storableJson(attached)) as object[] }),
  };
}

/** Halves what is refused until the one is found that is, so that it keeps no other from being booked. */
async function bookEach(
  database: Database,
  finished: readonly FinishedGeneration[],
  outbox: Outbox | null,
  refused: RefusedRows,
): Promise<void> {
  try {
    await settleRows(database, finished, outbox);
  } catch (error) {
    if (!isDataRefusal(error)) throw error;
    const [first, ...others] = finished;
    if (!first) return;
    if (others.length > 0) {
      const middle = Math.ceil(finished.length / 2);
      await bookEach(database, finished.slice(0, middle), outbox, refused);
      await bookEach(database, finished.slice(middle), outbox, refused);
    } else if (first.attached) {
      // The money before what is attached to it.
      const { attached, ...bare } = first;
      await bookEach(database, [bare], outbox, refused);
    } else refused.add(first, error);
  }
}

/**
 * Books as `settleRows` does. A generation the database refuses for what is in it is booked with that mended, or put
 * down in `refused`; it keeps no other from being booked, nor a process from starting.
 */
export async function bookRows(
  database: Database,
  finished: readonly FinishedGeneration[],
  outbox: Outbox | null,
  refused: RefusedRows,
): Promise<void> {
  try {
    await settleRows(database, finished, outbox);
  } catch (error) {
    if (!isDataRefusal(error)) throw error;
    await bookEach(database, finished.map(mended), outbox, refused);
  }
}
