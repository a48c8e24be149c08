import { createReadStream, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { decodeRecord, type SpoolRecord } from "./spool-record.ts";

/** The segments of a spool directory, oldest first. */
export const segmentFiles = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".spool"))
    .sort();

/** The records of one segment in order. A line that is torn or altered is told to `onTorn` and skipped. */
export async function* readRecords(file: string, onTorn: () => void): AsyncGenerator<SpoolRecord> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: 0 })) {
    const record = decodeRecord(line);
    if (record) yield record;
    else onTorn();
  }
}
