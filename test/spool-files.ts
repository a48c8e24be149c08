import fs from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { Spool } from "#server/billing/spool.ts";
import type { SpoolSync } from "#server/billing/spool-options.ts";
import { segmentFiles } from "#server/billing/spool-reader.ts";
import { decodeRecord } from "#server/billing/spool-record.ts";
import { silentLog } from "#server/platform/log.ts";
import { temporaryDirectory } from "./directories.ts";

export const reserveBytes = 2 ** 20 + 1;

/** A spool of its own, closed after the test. */
export function openSpool(sync: SpoolSync = "process", segmentBytesMax?: number, reserve = reserveBytes) {
  const limit = segmentBytesMax !== undefined && { segmentBytesMax };
  const options = { sync, reserveBytes: reserve, ...limit };
  const spool = new Spool(join(temporaryDirectory(), "spool"), options, silentLog);
  onTestFinished(() => spool.close());
  return spool;
}

export const filesOf = ({ directory }: Spool) => segmentFiles(directory);

/** The text of all segments of a spool. */
export const textOf = (spool: Spool) =>
  filesOf(spool)
    .map((file) => fs.readFileSync(join(spool.directory, file), "utf8"))
    .join("");

/** A line of text as the spool's own reader decodes it. */
export const decoded = (line: string) => decodeRecord(Buffer.from(line));

export const recordsOf = (spool: Spool) =>
  textOf(spool).replaceAll("\0", "").trimEnd().split("\n").map(decoded);

/**
 * The next write of records gets ten bytes to the disk, the next `times` writes fail, and later writes succeed.
 * The test file mocks `node:fs` with `mockedWrites`.
 */
export async function failWrites(code: string, times: number): Promise<void> {
  const { writeSync } = await vi.importActual<typeof fs>("node:fs");
  type Write = (
    descriptor: number,
    bytes: Uint8Array,
    at: number,
    length: number,
    position: number,
  ) => number;
  let isFirst = true;
  let left = times;
  vi.mocked<Write>(fs.writeSync).mockImplementation((descriptor, bytes, at, length, position) => {
    if (bytes[0] === 0) return writeSync(descriptor, bytes, at, length, position);
    if (isFirst) {
      isFirst = false;
      return writeSync(descriptor, bytes, at, 10, position);
    }
    if (left === 0) return writeSync(descriptor, bytes, at, length, position);
    left--;
    throw Object.assign(new Error("The disk fails"), { code });
  });
}
