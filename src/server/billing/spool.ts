import { closeSync, fdatasync, fsyncSync, mkdirSync, openSync, rmSync, unlink, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { encodeRecord, type SpoolRecordType } from "./spool-record.ts";

const syncToDisk = promisify(fdatasync);

/** `process`: written before the answer leaves, synced soon after. `power`: synced before the answer leaves. */
export type SpoolSync = "process" | "power";

interface Segment {
  readonly file: string;
  /** Generations whose newest record here is not in the database yet. */
  pending: number;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The append-only record of what this process admitted and finished, the truth about money until the database
 * has it (design D6). Records of one turn of the event loop are written together; `append` resolves when they
 * are as safe as `sync` asks.
 */
export class Spool {
  readonly directory: string;
  readonly #sync: SpoolSync;
  readonly #log: Log;
  readonly #segmentBytesMax: number;
  #descriptor = -1;
  #segment: Segment | null = null;
  #segmentNumber = 0;
  #segmentBytes = 0;
  readonly #segmentOf = new Map<string, Segment>();
  #text = "";
  /** A write failed and may have left part of a line, which the next one must not be glued to. */
  #torn = false;
  #waiting: Waiting[] = [];
  #syncTimer: NodeJS.Timeout | undefined;

  constructor(
    directory: string,
    sync: SpoolSync,
    log: Log,
    segmentBytesMax: number = limits.spool.segmentBytesMax,
  ) {
    this.#segmentBytesMax = segmentBytesMax;
    this.directory = directory;
    this.#sync = sync;
    this.#log = log;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  append(type: SpoolRecordType, id: string, json: string): Promise<void> {
    this.#moveTo(id);
    if (this.#text === "") setImmediate(() => this.#write());
    this.#text += encodeRecord(type, id, json);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** The generation is in the database: its records may go. */
  release(id: string): void {
    const segment = this.#segmentOf.get(id);
    if (!segment) return;
    this.#segmentOf.delete(id);
    this.#settle(segment);
  }

  get pending(): number {
    return this.#segmentOf.size;
  }

  /** Call when nothing is pending any more: the directory goes. */
  async close(): Promise<void> {
    clearTimeout(this.#syncTimer);
    if (this.#descriptor !== -1) closeSync(this.#descriptor);
    this.#descriptor = -1;
    if (this.pending === 0) rmSync(this.directory, { recursive: true, force: true });
  }

  #moveTo(id: string): void {
    const current = this.#current();
    const before = this.#segmentOf.get(id);
    if (before === current) return;
    current.pending++;
    this.#segmentOf.set(id, current);
    if (before) this.#settle(before);
  }

  #settle(segment: Segment): void {
    segment.pending--;
    if (segment.pending === 0 && segment !== this.#segment) this.#remove(segment);
  }

  /** Not awaited: freeing 16 MB takes the file system milliseconds, and what stays is replayed without effect. */
  #remove({ file }: Segment): void {
    unlink(file, (error) => {
      if (error) this.#log.warn({ event: "spool", error }, "A finished spool segment could not be removed");
    });
  }

  #current(): Segment {
    if (this.#segment && this.#segmentBytes < this.#segmentBytesMax) return this.#segment;
    this.#write();
    const full = this.#segment;
    if (this.#descriptor !== -1) {
      fsyncSync(this.#descriptor);
      closeSync(this.#descriptor);
    }
    this.#segmentNumber++;
    const file = join(this.directory, `${String(this.#segmentNumber).padStart(6, "0")}.spool`);
    this.#descriptor = openSync(file, "ax", 0o600);
    this.#segmentBytes = 0;
    this.#segment = { file, pending: 0 };
    if (full?.pending === 0) this.#remove(full);
    return this.#segment;
  }

  #write(): void {
    if (this.#text === "") return;
    const text = this.#text;
    const waiting = this.#waiting;
    this.#text = "";
    this.#waiting = [];
    try {
      const bytes = Buffer.from(this.#torn ? `\n${text}` : text);
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
      this.#segmentBytes += bytes.length;
      this.#torn = false;
    } catch (error) {
      this.#torn = true;
      for (const { reject } of waiting) reject(error);
      return;
    }
    const done = () => {
      for (const { resolve } of waiting) resolve();
    };
    if (this.#sync === "process") {
      done();
      this.#syncSoon();
      return;
    }
    syncToDisk(this.#descriptor).then(done, (error: unknown) => {
      for (const { reject } of waiting) reject(error);
    });
  }

  #syncSoon(): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined;
      if (this.#descriptor === -1) return;
      syncToDisk(this.#descriptor).catch((error: unknown) =>
        this.#log.error({ event: "spool", error }, "The spool could not be synced to disk"),
      );
    }, limits.spool.syncWithinMs).unref();
  }
}
