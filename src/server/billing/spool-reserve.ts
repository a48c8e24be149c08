import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";

const zeros = Buffer.alloc(1024 * 1024);

/** Whether a write failed because there is no room for it. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

/**
 * Room on the disk for the ends of what is under way when the disk is full (F17): a file of zeros that is deleted
 * then. Nothing new may begin until there is room for it again.
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

  /** Whether the room is there. When it was used up this looks, once in a while, whether it can be had again. */
  held(): boolean {
    if (this.#held) return true;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#askAgainAtMs) return false;
    this.#askAgainAtMs = nowMs + limits.spool.retryAfterMs;
    this.#held = this.#make();
    if (this.#held) this.#log.info({ event: "spool" }, "The disk of the spool has room again");
    return this.#held;
  }

  /** Gives the room back to the disk. False when that was done before. */
  use(): boolean {
    if (!this.#held) return false;
    this.#held = false;
    this.#askAgainAtMs = clock.monotonicMs() + limits.spool.retryAfterMs;
    this.remove();
    this.#log.error(
      { event: "spool" },
      "The disk of the spool is full: requests are refused until it has room",
    );
    return true;
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }

  /** Not into the last room there is: twice as much has to be free. */
  #make(): boolean {
    const { bavail, bsize } = statfsSync(this.#directory);
    if (bavail * bsize < 2 * this.#bytes) return false;
    const descriptor = openSync(this.#file, "w", 0o600);
    try {
      for (let left = this.#bytes; left > 0; )
        left -= writeSync(descriptor, zeros, 0, Math.min(left, zeros.length));
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
