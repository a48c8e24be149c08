import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { FinishedGeneration } from "./book-generations.ts";
import type { GenerationRow } from "./generation-row.ts";
import type { UnreadableLine } from "./spool-reader.ts";

/** Generations the database permanently refuses, one line of JSON each. */
export const refusedFile = "refused.jsonl";
/** Unreadable lines of a spool, one line of JSON each with their bytes in base64. */
export const unreadableFile = "unreadable.jsonl";

/** What cannot be booked is stored in files beside the spools and reported; it is never deleted. */
export interface SetAside {
  /** The database refuses the generation. Throws if the file cannot be written. */
  refused(generation: FinishedGeneration, error: unknown): void;
  /** The database refuses the attachments of a generation: the generation is booked without them. */
  withoutAttached(generation: FinishedGeneration, error: unknown): void;
  /** A line of a segment cannot be read. Throws if the file cannot be written. */
  unreadable(place: { readonly instanceId: string; readonly segment: string }, line: UnreadableLine): void;
}

/** The row of a generation with all its columns. */
export const completeRow = ({ row, json }: FinishedGeneration): GenerationRow =>
  json === undefined ? row : (JSON.parse(json) as GenerationRow);

/** Stores what is set aside in files of `spoolDirectory`, logs it as an error and counts it. */
export function openSetAside(spoolDirectory: string, log: Log, metrics?: Metrics): SetAside {
  const append = (file: string, value: object) => {
    mkdirSync(spoolDirectory, { recursive: true, mode: 0o700 });
    appendFileSync(join(spoolDirectory, file), `${JSON.stringify(value)}\n`, { mode: 0o600, flush: true });
  };
  return {
    refused(generation, error) {
      const { instanceId, row, attached } = generation;
      append(refusedFile, { instance_id: instanceId, row: completeRow(generation), attached });
      metrics?.spoolSetAside.inc({ reason: "refused" });
      log.error(
        { event: "flush", generation_id: row.id, error },
        `The database refuses a generation. It is not booked and is stored in ${refusedFile} of the spool`,
      );
    },
    withoutAttached({ row }, error) {
      log.error(
        { event: "flush", generation_id: row.id, error },
        "The database refuses the traces of a generation, which is booked without them",
      );
    },
    unreadable({ instanceId, segment }, { bytes, torn }) {
      append(unreadableFile, { instance_id: instanceId, segment, torn, bytes: bytes.toString("base64") });
      metrics?.spoolSetAside.inc({ reason: "unreadable" });
      log.error(
        { event: "replay", reason: segment },
        `A spool record is ${torn ? "cut off" : "damaged"}. It is not booked and is stored in ${unreadableFile} of the spool`,
      );
    },
  };
}
