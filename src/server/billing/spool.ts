import { closeSync, fdatasync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { atEndOfTurn } from "#server/platform/turn.ts";
import type { SpoolOptions, SpoolSync } from "./spool-options.ts";
import { readFinals, segmentName } from "./spool-reader.ts";
import { RecordBuffer, type SpoolRecordType } from "./spool-record.ts";
import { SpoolRemoval, syncDirectory } from "./spool-removal.ts";
import { isFull, SpoolReserve, writeZeros } from "./spool-reserve.ts";

const syncToDisk = promisify(fdatasync);
const { segmentAgeMs } = limits.spool;

interface Segment {
  readonly file: string;
  /** What still needs it: generations whose newest record is here and not booked, and the segment before a reserve. */
  pending: number;
  /** Made from the reserve in the middle of a batch: its records may belong to generations of this segment. */
  continuedBy?: Segment;
}

const rethrow = (error: unknown): never => {
  throw error;
};

/** Shared by all whose records are written together. */
type Written = PromiseWithResolvers<void>;

/**
 * The append-only record of what this process admitted and finished: it decides about money until the database has
 * it. Records of one turn of the event loop are written together; `append` resolves when they are as safe as `sync`
 * asks.
 */
export class Spool {
  readonly directory: string;
  readonly #sync: SpoolSync;
  readonly #log: Log;
  readonly #segmentBytesMax: number;
  readonly #reserve: SpoolReserve;
  #descriptor = -1;
  #segment: Segment | null = null;
  #segmentNumber = 0;
  #segmentBytes = 0;
  readonly #segmentOf = new Map<string, Segment>();
  readonly #records = new RecordBuffer();
  /** Of the records that are not written yet; absent when there are none. */
  #written: Written | undefined;
  /** With `power`: written, and waiting for the next sync; while one is under way all that comes waits together. */
  #unsynced: Written[] = [];
  #syncing: Promise<void> | undefined;
  #syncTimer: NodeJS.Timeout | undefined;
  #soonSynced: Promise<void> | undefined;
  #underWay: Promise<void> | undefined;
  readonly #endTimer: NodeJS.Timeout;
  readonly #removal: SpoolRemoval;

  constructor(directory: string, options: SpoolOptions, log: Log) {
    this.#segmentBytesMax = options.segmentBytesMax ?? limits.spool.segmentBytesMax;
    this.#removal = new SpoolRemoval(options.bookedRetentionMs ?? 0, log);
    this.directory = directory;
    this.#sync = options.sync;
    this.#log = log;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    syncDirectory(dirname(directory));
    this.#reserve = new SpoolReserve(directory, options.reserveBytes ?? limits.spool.reserveBytes, log);
    this.#endTimer = setInterval(() => this.#endSegment(), options.segmentAgeMs ?? segmentAgeMs).unref();
  }

  /** Rejects when it cannot be written; an ADMIT also when there may be no room for the records after it. */
  append(type: Exclude<SpoolRecordType, "MARK">, id: string, json: string): Promise<void> {
    if (type === "ADMIT" && !this.#reserve.held()) return Promise.reject(new Error("The disk is full"));
    let current: Segment;
    try {
      current = this.#current();
    } catch (error) {
      return Promise.reject(error);
    }
    const before = this.#segmentOf.get(id);
    const written = this.#add(type, id, json);
    if (before === current) return written;
    current.pending++;
    this.#segmentOf.set(id, current);
    if (!before) return written;
    // The older record counts until the newer one is as safe.
    return written.then(
      () => this.#leave(before),
      (error: unknown) => {
        if (this.#segmentOf.get(id) === current) {
          this.#segmentOf.set(id, before);
          this.#leave(current);
        }
        throw error;
      },
    );
  }

  /**
   * Adds a short line to a generation's newest record; null when that is in an older segment, which may outlive this
   * one: then the complete record has to be written again.
   */
  mark(id: string, completionTokens: number): Promise<void> | null {
    if (this.#segmentBytes >= this.#segmentBytesMax || this.#segmentOf.get(id) !== this.#segment) return null;
    return this.#add("MARK", id, String(completionTokens));
  }

  #add(type: SpoolRecordType, id: string, json: string): Promise<void> {
    if (!this.#written) {
      this.#written = Promise.withResolvers();
      atEndOfTurn("record", () => this.#write());
    }
    this.#records.add(type, id, json);
    return this.#written.promise;
  }

  /** The JSON of up to `max` generations that are finished and not released, oldest first. */
  readFinished(max: number): Promise<string[]> {
    // The replay of a later start sets them aside.
    const unreadable = () =>
      this.#log.error({ event: "spool" }, "A spool record of this process cannot be read");
    return readFinals(this.directory, { isWanted: (id) => this.#segmentOf.has(id), max, unreadable });
  }

  /** The generation is in the database: its records may go. */
  release(id: string): void {
    const segment = this.#segmentOf.get(id);
    if (!segment) return;
    this.#segmentOf.delete(id);
    this.#leave(segment);
  }

  pending(): number {
    return this.#segmentOf.size;
  }

  /** Call it when nothing is pending: deletes the directory, unless booked records are retained for a while. */
  async close(): Promise<void> {
    clearTimeout(this.#syncTimer);
    clearInterval(this.#endTimer);
    const isKept = this.#removal.close(this.#segmentBytes > 0);
    await this.#syncing;
    await this.#closeDescriptor();
    this.#reserve.remove();
    if (this.pending() === 0 && !isKept) rmSync(this.directory, { recursive: true, force: true });
  }

  #leave(segment: Segment): void {
    segment.pending--;
    if (segment.pending === 0 && segment !== this.#segment) this.#remove(segment);
  }

  #remove(segment: Segment): void {
    if (segment.continuedBy) this.#leave(segment.continuedBy);
    this.#removal.remove(segment.file);
  }

  #current(): Segment {
    if (this.#segment && this.#segmentBytes < this.#segmentBytesMax) return this.#segment;
    this.#next((error, file) => {
      const reserve = isFull(error) ? this.#reserve.becomeSegment(file) : null;
      if (reserve === null) throw error;
      return reserve;
    });
    return this.#segment as Segment;
  }

  /** Ends a segment that is not full; it is deleted when everything in it is booked. */
  #endSegment(): void {
    if (this.#segmentBytes === 0) return;
    try {
      this.#next(rethrow);
    } catch (error) {
      this.#log.warn({ event: "spool", error }, "A spool segment stays until it is full");
    }
  }

  /** Begins the next segment in a new file, or in what `otherwise` opens. */
  #next(otherwise: (error: unknown, file: string) => number): void {
    this.#write();
    const ended = this.#segment;
    const file = this.#nextFile();
    let descriptor: number;
    try {
      descriptor = openSync(file, "wx", 0o600);
    } catch (error) {
      descriptor = otherwise(error, file);
    }
    this.#begin(file, descriptor);
    if (ended?.pending === 0) this.#remove(ended);
  }

  readonly #nextFile = () => join(this.directory, segmentName(this.#segmentNumber + 1));

  /** Makes an opened file the current segment. */
  #begin(file: string, descriptor: number): void {
    if (this.#descriptor !== -1) {
      fsyncSync(this.#descriptor);
      void this.#closeDescriptor();
    }
    // A file whose name is not on disk is lost with its contents, however well they were synced.
    syncDirectory(this.directory);
    this.#segmentNumber++;
    this.#descriptor = descriptor;
    this.#segmentBytes = 0;
    this.#segment = { file, pending: 0 };
  }

  /** Goes on in the reserve; false when it was used before. */
  #continueInReserve(): boolean {
    const [before, file] = [this.#segment, this.#nextFile()];
    const descriptor = this.#reserve.becomeSegment(file);
    if (descriptor === null) return false;
    this.#begin(file, descriptor);
    const segment = this.#segment;
    if (!before || !segment) return true;
    before.continuedBy = segment;
    segment.pending++;
    if (before.pending === 0) this.#remove(before);
    return true;
  }

  #write(): void {
    const written = this.#written;
    if (!written) return;
    this.#written = undefined;
    try {
      this.#writeBatch(this.#records.take());
    } catch (error) {
      written.reject(error);
      return;
    }
    if (this.#sync === "process") {
      written.resolve();
      this.#syncSoon();
      return;
    }
    this.#unsynced.push(written);
    this.#syncing ??= this.#syncAll().finally(() => {
      this.#syncing = undefined;
    });
  }

  #writeBatch(bytes: Uint8Array): void {
    try {
      this.#writeAll(bytes);
    } catch (error) {
      if (!isFull(error) || !this.#continueInReserve()) throw error;
      this.#writeAll(bytes);
    }
  }

  /** Writes the batch behind what is there, or leaves nothing of it: a refused record must not be found later. */
  #writeAll(bytes: Uint8Array): void {
    let at = 0;
    try {
      while (at < bytes.length)
        at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#segmentBytes + at);
      this.#segmentBytes += bytes.length;
    } catch (error) {
      writeZeros(this.#descriptor, this.#segmentBytes, at);
      throw error;
    }
  }

  /** One sync for everybody who was written before it began. */
  async #syncAll(): Promise<void> {
    while (this.#unsynced.length > 0) {
      const unsynced = this.#unsynced;
      this.#unsynced = [];
      try {
        this.#underWay = syncToDisk(this.#descriptor);
        await this.#underWay;
        for (const { resolve } of unsynced) resolve();
      } catch (error) {
        for (const { reject } of unsynced) reject(error);
      }
    }
  }

  /** What was written to it is synced already, or will never be needed. */
  async #closeDescriptor(): Promise<void> {
    const descriptor = this.#descriptor;
    this.#descriptor = -1;
    if (descriptor === -1) return;
    // A sync under way must not find the number closed, or given to another file.
    await Promise.allSettled([this.#underWay, this.#soonSynced]);
    closeSync(descriptor);
  }

  #syncSoon(): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined;
      if (this.#descriptor === -1) return;
      this.#soonSynced = syncToDisk(this.#descriptor).catch((error: unknown) =>
        this.#log.error({ event: "spool", error }, "The spool could not be synced to disk"),
      );
    }, limits.spool.syncWithinMs).unref();
  }
}
