import { isoOf } from "#app/_lib/use-now.ts";

const dayMs = 86_400_000;

/** A day as the report takes it (UTC). */
const dayOf = (ms: number): string => isoOf(ms).slice(0, 10);

/** Days of a report, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

const back = (days: number) => (nowMs: number) => ({
  from: dayOf(nowMs - (days - 1) * dayMs),
  to: dayOf(nowMs),
});

/** The first day of the month so many months before the one of `nowMs`. */
function monthStart(nowMs: number, monthsBack: number): number {
  const [year = 0, month = 1] = dayOf(nowMs).split("-").map(Number);
  return Date.UTC(year, month - 1 - monthsBack, 1);
}

/** The ranges to choose from. Reports count full days in UTC, as invoices do. */
export const ranges = {
  "7d": { label: "Last 7 days", days: back(7) },
  "30d": { label: "Last 30 days", days: back(30) },
  "90d": { label: "Last 90 days", days: back(90) },
  month: {
    label: "This month",
    days: (nowMs: number) => ({ from: dayOf(monthStart(nowMs, 0)), to: dayOf(nowMs) }),
  },
  last_month: {
    label: "Last month",
    days: (nowMs: number) => ({ from: dayOf(monthStart(nowMs, 1)), to: dayOf(monthStart(nowMs, 0) - dayMs) }),
  },
  year: { label: "Last 365 days", days: back(365) },
} as const satisfies Record<string, { label: string; days: (nowMs: number) => Days }>;
export type RangeName = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as RangeName[];

/** The longest range of a report, in days. */
export const daysMax = 366;

/** A custom range; null unless both days are given, in order, and not too far apart. */
export function customDays(from: string | null, to: string | null): Days | null {
  const [first, last] = [Date.parse(from ?? ""), Date.parse(to ?? "")];
  if (!from || !to || Number.isNaN(first) || Number.isNaN(last)) return null;
  return first <= last && last - first < daysMax * dayMs ? { from, to } : null;
}

/** Every day of the range, so that days without usage are shown too. */
export function everyDay({ from, to }: Days): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: (last - first) / dayMs + 1 }, (_, at) => dayOf(first + at * dayMs));
}
