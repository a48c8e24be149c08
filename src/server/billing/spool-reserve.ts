import { closeSync, openSync, renameSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";

const zeros = Buffer.alloc(1024 * 1024);

/** Whether a write failed because the disk is full. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

/** Writes zeros from `position` on. */
export function writeZeros(descriptor: number, position: number, bytes: number): void {
  for (let written = 0; written < bytes; )
    written += writeSync(descriptor, zeros, 0, Math.min(bytes - written, zeros.length), position + written);
}

/**
 * Disk space for the end records of running requests when the disk is full: a preallocated file that becomes the next
 * segment, so that no other program can use its space. No new request may begin until there is such a file again.
 */
export class SpoolReserve {
  readonly #directory: string;
  readonly #file: string;
  readonly #bytes: number;
  readonly #log: Log;
  #held = false;
  #askAgainAtMs = 0;

  constructor(directory: string, bytes: number, log: Log) {
    this.#directory = directory;
    this.#file = join(directory, "reserve");
    this.#bytes = bytes;
    this.#log = log;
    this.#held = this.#make();
  }

  /** Whether the file exists. After it was used, this checks once in a while whether it can be made again. */
  held(): boolean {
    if (this.#held) return true;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#askAgainAtMs) return false;
    this.#askAgainAtMs = nowMs + limits.spool.retryAfterMs;
    this.#held = this.#make();
    if (this.#held) this.#log.info({ event: "spool" }, "The disk of the spool has space again");
    return this.#held;
  }

  /** Uses the reserve as the segment `file`. Returns its descriptor; null if the reserve was used already. */
  becomeSegment(file: string): number | null {
    if (!this.#held) return null;
    this.#held = false;
    this.#askAgainAtMs = clock.monotonicMs() + limits.spool.retryAfterMs;
    renameSync(this.#file, file);
    this.#log.error(
      { event: "spool" },
      "The disk of the spool is full: requests are refused until it has space",
    );
    return openSync(file, "r+");
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }

  /** Requires twice the size to be free, so that it does not use the last space. */
  #make(): boolean {
    const { bavail, bsize } = statfsSync(this.#directory);
    if (bavail * bsize < 2 * this.#bytes) return false;
    const descriptor = openSync(this.#file, "w", 0o600);
    try {
      writeZeros(descriptor, 0, this.#bytes);
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      this.remove();
      return false;
    } finally {
      closeSync(descriptor);
    }
  }
}
