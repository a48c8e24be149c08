import { closeSync, fsyncSync, openSync, unlink } from "node:fs";
import type { Log } from "#server/platform/log.ts";

/** Makes the names of a directory's files survive a power failure. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Deletes segments of which everything was booked, after the time they are kept for. */
export class SpoolRemoval {
  readonly #retentionMs: number;
  readonly #log: Log;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(retentionMs: number, log: Log) {
    this.#retentionMs = retentionMs;
    this.#log = log;
  }

  remove(file: string): void {
    if (this.#retentionMs === 0) {
      this.#unlink(file);
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(file);
      this.#unlink(file);
    }, this.#retentionMs).unref();
    this.#timers.set(file, timer);
  }

  /** Stops the timers. Returns whether booked records must stay: in such segments, or in the current one. */
  close(isCurrentInUse: boolean): boolean {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    return this.#retentionMs > 0 && (this.#timers.size > 0 || isCurrentInUse);
  }

  /** Not awaited: freeing 16 MB takes the file system milliseconds, and what stays is replayed without effect. */
  #unlink(file: string): void {
    unlink(file, (error) => {
      if (error) this.#log.warn({ event: "spool", error }, "A finished spool segment could not be removed");
    });
  }
}
