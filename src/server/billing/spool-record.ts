import { crc32 } from "node:zlib";
import type { GenerationRow } from "./generation-row.ts";

/**
 * One line of a spool segment: `<crc32> <type> <id> <json>\n`. Each type carries the whole generation row as it
 * would be if the process died at that moment, so the last line of an id says all there is to know about it; but
 * a MARK, which only says how many completion tokens there were since its last PROGRESS.
 */
const types = ["ADMIT", "PROGRESS", "MARK", "FINAL"] as const;
export type SpoolRecordType = (typeof types)[number];

/** The JSON of a record: the row, and in FINAL what is to be stored with it. */
export type SpooledGeneration = GenerationRow & { readonly attached?: readonly object[] };

export interface SpoolRecord {
  readonly type: SpoolRecordType;
  readonly id: string;
  readonly json: string;
}

const checksumLength = 8;
const checksum = (text: string): string => crc32(text).toString(16).padStart(checksumLength, "0");

export function encodeRecord(type: SpoolRecordType, id: string, json: string): string {
  const body = `${type} ${id} ${json}`;
  return `${checksum(body)} ${body}\n`;
}

/** Reads one line without its line break; null when it is torn or was altered. */
export function decodeRecord(line: string): SpoolRecord | null {
  const body = line.slice(checksumLength + 1);
  if (line[checksumLength] !== " " || checksum(body) !== line.slice(0, checksumLength)) return null;
  const typeEnd = body.indexOf(" ");
  const idEnd = body.indexOf(" ", typeEnd + 1);
  const type = types.find((known) => known === body.slice(0, typeEnd));
  return type === undefined
    ? null
    : { type, id: body.slice(typeEnd + 1, idEnd), json: body.slice(idEnd + 1) };
}
