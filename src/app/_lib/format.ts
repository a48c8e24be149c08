import { timeZone } from "./time-zone.ts";

const language = "en-GB";
const minuteMs = 60_000;

const integer = new Intl.NumberFormat(language);
const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });

/** Formats times in the zone that the person chose. */
function inZone(options: Intl.DateTimeFormatOptions): (ms: number) => string {
  const made = new Map<string | undefined, Intl.DateTimeFormat>();
  return (ms) => {
    const zone = timeZone();
    const format = made.get(zone) ?? new Intl.DateTimeFormat(language, { ...options, timeZone: zone });
    made.set(zone, format);
    return format.format(ms);
  };
}

const absolute = inZone({ dateStyle: "medium", timeStyle: "long" });

export const formatCount = (count: number): string =>
  count < 100_000 ? integer.format(count) : compact.format(count);

const byteUnits = ["kB", "MB", "GB"] as const;
const bytes = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });

/** `1 request`, `1,230 requests`. */
export const formatRequests = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "request" : "requests"}`;

/** `4,200,000` → `4.2 MB`: decimal units, three significant digits. */
export function formatBytes(count: number): string {
  let [size, at] = [count / 1_000, 0];
  while (size >= 999.5 && at < byteUnits.length - 1) [size, at] = [size / 1_000, at + 1];
  return `${bytes.format(size)} ${byteUnits[at]}`;
}

export const formatShare = (share: number): string => percent.format(share);

function formatMoney(symbol: string, decimal: string): string {
  const [units = "0", fraction = ""] = decimal.split(".");
  const sign = units.startsWith("-") ? "−" : "";
  const grouped = integer.format(BigInt(units.replace("-", "")));
  return `${sign}${symbol}${grouped}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}

/** `"0.000012300000"` → `€0.0000123`: at least two digits, and only zeros are dropped. */
export const formatEur = (decimal: string): string => formatMoney("€", decimal);
export const formatUsd = (decimal: string): string => formatMoney("$", decimal);

/** Rounded: two decimals from 1 on, three significant digits below, at least two decimals. */
function short(format: (decimal: string) => string, decimal: string): string {
  const amount = Number(decimal);
  return format(
    amount === 0 || Math.abs(amount) >= 1 ? amount.toFixed(2) : Number(amount.toPrecision(3)).toFixed(12),
  );
}

/** What lists and tiles show; the exact amount belongs on hover, see `Eur`. */
export const formatEurShort = (decimal: string): string => short(formatEur, decimal);
export const formatUsdShort = (decimal: string): string => short(formatUsd, decimal);

export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

const steps = [
  { unit: "second", ms: 1000, below: minuteMs },
  { unit: "minute", ms: minuteMs, below: 60 * minuteMs },
  { unit: "hour", ms: 60 * minuteMs, below: 24 * 60 * minuteMs },
  { unit: "day", ms: 24 * 60 * minuteMs, below: Number.POSITIVE_INFINITY },
] as const;

/** `3 min ago` for how long ago something was. */
export function formatAge(ageMs: number): string {
  if (ageMs < 5_000) return "now";
  const step = steps.find(({ below }) => ageMs < below) ?? steps[3];
  return relative.format(-Math.floor(ageMs / step.ms), step.unit);
}

const clockTime = inZone({ hour: "2-digit", minute: "2-digit" });
const dayTime = inZone({ day: "numeric", month: "short" });

const weekdayTime = inZone({ weekday: "short", hour: "2-digit", minute: "2-digit" });

/**
 * The start of a bar of `stepMs` on an axis, local: a time within the day, a day for longer bars. Bars of an hour span a
 * day or more, so a time alone would be there twice.
 */
export const formatStart = (iso: string, stepMs: number): string =>
  stepMs < 3 * 60 * minuteMs
    ? (stepMs < 60 * minuteMs ? clockTime : weekdayTime)(Date.parse(iso))
    : stepMs < 24 * 60 * minuteMs
      ? `${dayTime(Date.parse(iso))} ${clockTime(Date.parse(iso))}`
      : dayTime(Date.parse(iso));

const days: Record<number, Intl.DateTimeFormat> = {
  1: new Intl.DateTimeFormat(language, { year: "numeric", timeZone: "UTC" }),
  2: new Intl.DateTimeFormat(language, { month: "short", year: "numeric", timeZone: "UTC" }),
  3: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }),
};

/** `2026-10-06` → `6 Oct 2026`, `2026-10` → `Oct 2026`: as precise as it is given. */
export const formatDay = (day: string): string => days[day.split("-").length]?.format(Date.parse(day)) ?? day;

/** Full date and time with its zone. */
export const formatAbsolute = (iso: string): string => absolute(Date.parse(iso));
