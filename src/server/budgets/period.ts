import type { BudgetPeriod } from "#contract/budget.ts";
import { isoTime } from "#server/platform/clock.ts";

/** A period of a budget, in milliseconds since 1970. Nulls: it has no beginning or no end. */
export interface Span {
  readonly startMs: number | null;
  readonly endsAtMs: number | null;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** 1 January 1970 was a Thursday, and weeks start on Monday. */
const mondayOffsetMs = 4 * dayMs;

const spanOf =
  (lengthMs: number, offsetMs = 0) =>
  (nowMs: number): Span => {
    const startMs = Math.floor((nowMs - offsetMs) / lengthMs) * lengthMs + offsetMs;
    return { startMs, endsAtMs: startMs + lengthMs };
  };

function monthOf(nowMs: number): Span {
  const [year = 0, month = 0] = isoTime(nowMs).split("-", 2).map(Number);
  return { startMs: Date.UTC(year, month - 1), endsAtMs: Date.UTC(year, month) };
}

const endless = (): Span => ({ startMs: null, endsAtMs: null });

const spans: Record<BudgetPeriod, (nowMs: number) => Span> = {
  minute: spanOf(minuteMs),
  hour: spanOf(hourMs),
  day: spanOf(dayMs),
  week: spanOf(7 * dayMs, mondayOffsetMs),
  month: monthOf,
  total: endless,
  none: endless,
};

/** The period (UTC, weeks from Monday) that contains a moment. */
export const spanAt = (period: BudgetPeriod, nowMs: number): Span => spans[period](nowMs);
