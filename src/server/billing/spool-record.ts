import { crc32 } from "node:zlib";
import type { GenerationRow } from "./generation-row.ts";

/**
 * One line of a spool segment: `<crc32> <type> <id> <json>\n`. Each type contains the generation row as it would be if
 * the process died at that moment, so the last line of an id is sufficient; except for a MARK, which only contains the
 * number of completion tokens since its last PROGRESS. An ADMIT leaves out the columns of `atAdmission`.
 */
const types = ["ADMIT", "PROGRESS", "MARK", "FINAL"] as const;
export type SpoolRecordType = (typeof types)[number];

/** The JSON of a record: the row and, in FINAL, its attachments. */
export type SpooledGeneration = GenerationRow & { readonly attached?: readonly object[] };

export interface SpoolRecord {
  readonly type: SpoolRecordType;
  readonly id: string;
  readonly json: string;
}

const checksumLength = 8;
const checksum = (body: Uint8Array): string => crc32(body).toString(16).padStart(checksumLength, "0");

const space = 0x20;
export const lineBreak = 0x0a;
const digits = Buffer.from("0123456789abcdef");
/** UTF-8 needs at most three bytes per UTF-16 unit. */
const bytesPerUnitMax = 3;
const firstBytes = 1 << 16;
/** A buffer that a burst, or a long record, made larger than this is released again. */
const retainedBytesMax = 1 << 20;

/** Lines that wait to be written, encoded in one buffer: concatenating text and encoding it afterwards is slower. */
export class RecordBuffer {
  #bytes = Buffer.allocUnsafe(firstBytes);
  #length = 0;

  add(type: SpoolRecordType, id: string, json: string): void {
    const head = `${type} ${id} `;
    const around = checksumLength + 2 + head.length * bytesPerUnitMax;
    if (this.#length + around + json.length * bytesPerUnitMax > this.#bytes.length)
      this.#ensureRoom(around + Buffer.byteLength(json));
    const start = this.#length;
    const bodyAt = start + checksumLength + 1;
    const jsonAt = bodyAt + this.#bytes.write(head, bodyAt);
    const end = jsonAt + this.#bytes.write(json, jsonAt);
    let rest = crc32(this.#bytes.subarray(bodyAt, end));
    for (let at = start + checksumLength - 1; at >= start; at--, rest >>>= 4)
      this.#bytes[at] = digits[rest & 0x0f] as number;
    this.#bytes[bodyAt - 1] = space;
    this.#bytes[end] = lineBreak;
    this.#length = end + 1;
  }

  /** Everything added since the last call. Valid until the next line is added. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > retainedBytesMax) this.#bytes = Buffer.allocUnsafe(firstBytes);
    return taken;
  }

  #ensureRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Returns one line with its line break. `json` contains no line break, as `JSON.stringify` writes it. */
export function encodeRecord(type: SpoolRecordType, id: string, json: string): string {
  const record = new RecordBuffer();
  record.add(type, id, json);
  return record.take().toString();
}

/** Reads one line without its line break; null if it is torn or altered. */
export function decodeRecord(line: Buffer): SpoolRecord | null {
  if (line[checksumLength] !== space) return null;
  const bytes = line.subarray(checksumLength + 1);
  if (checksum(bytes) !== line.toString("latin1", 0, checksumLength)) return null;
  const body = bytes.toString("utf8");
  const typeEnd = body.indexOf(" ");
  const idEnd = body.indexOf(" ", typeEnd + 1);
  const type = types.find((known) => known === body.slice(0, typeEnd));
  return type === undefined
    ? null
    : { type, id: body.slice(typeEnd + 1, idEnd), json: body.slice(idEnd + 1) };
}
