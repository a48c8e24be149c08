import { closeSync, fsyncSync, openSync, unlink } from "node:fs";
import type { Log } from "#server/platform/log.ts";

/** Makes the file names of a directory survive a power failure. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Deletes completely booked segments after the retention time. */
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

  /** Not awaited: freeing 16 MB takes milliseconds, and a replay of the file would have no effect. */
  #unlink(file: string): void {
    unlink(file, (error) => {
      if (error) this.#log.warn({ event: "spool", error }, "A finished spool segment could not be removed");
    });
  }
}
