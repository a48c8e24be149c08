/** `process`: written before the answer leaves, synced soon after. `power`: synced before the answer leaves. */
export type SpoolSync = "process" | "power";

export interface SpoolOptions {
  readonly sync: SpoolSync;
  readonly segmentBytesMax?: number;
  /** Space reserved for the final records of running requests when the disk is full. */
  readonly reserveBytes?: number;
  /** After which time a segment is ended that is not full, so that booked records do not stay on disk. */
  readonly segmentAgeMs?: number;
  /** How long a segment is retained after everything in it was booked: for a database that does not sync (ADR 13). */
  readonly bookedRetentionMs?: number;
}
