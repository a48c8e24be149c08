import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { decodeRecord, lineBreak, type SpoolRecord } from "./spool-record.ts";

/** Returns the segments of a spool directory, oldest first. */
export const segmentFiles = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".spool"))
    .sort();

/** The file of a segment, whose name sorts by its number. */
export const segmentName = (number: number): string => `${String(number).padStart(6, "0")}.spool`;

/** Bytes of a segment that are not a record: a torn or altered line. */
export interface UnreadableLine {
  readonly bytes: Buffer;
  /** No line break ends it, as after an interrupted write. */
  readonly torn: boolean;
}

/** No record contains a zero byte: these are the unwritten part of a preallocated segment. */
function withoutZeros(bytes: Buffer): Buffer {
  let from = 0;
  let to = bytes.length;
  while (from < to && bytes[from] === 0) from++;
  while (to > from && bytes[to - 1] === 0) to--;
  return bytes.subarray(from, to);
}

/** The lines of a file as bytes, split at line feeds only, because records may contain every other character. */
async function* linesOf(file: string): AsyncGenerator<UnreadableLine> {
  let begun: Buffer[] = [];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = chunk.indexOf(lineBreak); to !== -1; to = chunk.indexOf(lineBreak, from)) {
      const rest = chunk.subarray(from, to);
      yield { bytes: withoutZeros(begun.length > 0 ? Buffer.concat([...begun, rest]) : rest), torn: false };
      begun = [];
      from = to + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  yield { bytes: withoutZeros(Buffer.concat(begun)), torn: true };
}

/** Returns the records of one segment in order. Passes all other bytes to `unreadable`. */
export async function* readRecords(
  file: string,
  unreadable: (line: UnreadableLine) => void,
): AsyncGenerator<SpoolRecord> {
  for await (const line of linesOf(file)) {
    if (line.bytes.length === 0) continue;
    const record = decodeRecord(line.bytes);
    if (record) yield record;
    else unreadable(line);
  }
}

interface Wanted {
  readonly isWanted: (id: string) => boolean;
  readonly max: number;
  readonly unreadable: () => void;
}

/** The JSON of up to `max` finished generations of a directory that is still written to, oldest first. */
export async function readFinals(
  directory: string,
  { isWanted, max, unreadable }: Wanted,
): Promise<string[]> {
  const finished = new Map<string, string>();
  for (const file of segmentFiles(directory)) {
    try {
      for await (const { type, id, json } of readRecords(join(directory, file), unreadable)) {
        if (type === "FINAL" && isWanted(id)) finished.set(id, json);
        if (finished.size >= max) return [...finished.values()];
      }
    } catch (error) {
      // Everything in it was released a moment ago.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return [...finished.values()];
}
