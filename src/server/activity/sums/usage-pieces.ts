import { dayMs } from "#server/platform/clock.ts";

export const hourMs = 3_600_000;

/** A time range, and the table that has its usage: by request, hour or day. */
export interface UsagePiece {
  readonly table: "generation" | "usage_hour" | "usage_day";
  readonly fromMs: number;
  readonly toMs: number;
}

/** From when on a table has all usage, in ms. */
export interface CompleteFrom {
  readonly usage_hour: number;
  readonly usage_day: number;
}

/** The tables of sums, largest period first. */
const levels = [
  { table: "usage_day", unitMs: dayMs },
  { table: "usage_hour", unitMs: hourMs },
] as const;

interface Asked {
  readonly fromMs: number;
  readonly toMs: number;
  /** The length of time buckets; Infinity if usage is not divided by time. */
  readonly stepMs: number;
}

function divided({ fromMs, toMs, stepMs }: Asked, complete: CompleteFrom, level: number): UsagePiece[] {
  if (fromMs >= toMs) return [];
  const sums = levels[level];
  if (!sums) return [{ table: "generation", fromMs, toMs }];
  const { table, unitMs } = sums;
  const startMs = Math.ceil(Math.max(fromMs, complete[table]) / unitMs) * unitMs;
  const endMs = Math.floor(toMs / unitMs) * unitMs;
  const isFine = stepMs === Number.POSITIVE_INFINITY || stepMs % unitMs === 0;
  const next = (from: number, to: number) => divided({ fromMs: from, toMs: to, stepMs }, complete, level + 1);
  if (!isFine || startMs >= endMs) return next(fromMs, toMs);
  return [...next(fromMs, startMs), { table, fromMs: startMs, toMs: endMs }, ...next(endMs, toMs)];
}

/**
 * Divides a time range into pieces that are read from the table with the fewest rows: complete days, then complete
 * hours, and requests for the rest. Each millisecond is in one piece.
 */
export const usagePieces = (asked: Asked, complete: CompleteFrom): UsagePiece[] =>
  divided(asked, complete, 0);
