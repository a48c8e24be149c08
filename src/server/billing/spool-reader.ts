import { createReadStream, readdirSync } from "node:fs";
import { decodeRecord, lineBreak, type SpoolRecord } from "./spool-record.ts";

/** The segments of a spool directory, oldest first. */
export const segmentFiles = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".spool"))
    .sort();

/** Bytes of a segment that are no record: a line that is torn or was altered. */
export interface UnreadableLine {
  readonly bytes: Buffer;
  /** No line break ends it, as a write that was cut leaves it. */
  readonly torn: boolean;
}

/** No record holds a zero byte: they are room of a preallocated segment that nothing was written to. */
function withoutZeros(bytes: Buffer): Buffer {
  let from = 0;
  let to = bytes.length;
  while (from < to && bytes[from] === 0) from++;
  while (to > from && bytes[to - 1] === 0) to--;
  return bytes.subarray(from, to);
}

/** The lines of a file as bytes, split at line feeds only: every other character may stand inside a record. */
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

/** The records of one segment in order. What is none of them is given to `unreadable`, byte for byte. */
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
