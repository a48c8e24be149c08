/**
 * Saved before Next, once loaded, replaces `Date` by a slower one that reports reads of the time during rendering.
 */
const PlainDate = Date;

let shiftMs = 0;

/** Makes `clock.nowMs` differ from the machine's time: all processes on one database have that database's. */
export function shiftClock(byMs: number): void {
  shiftMs = byMs;
}

/** The only place that reads the machine's clocks. Durations are monotonic; wall time is for records. */
export const clock = {
  /** Wall time in milliseconds since 1970, by the database's clock. */
  nowMs: (): number => clock.machineMs() + shiftMs,
  /** The same by this machine's clock. */
  machineMs: (): number => PlainDate.now(),
  /** Monotonic milliseconds with sub-millisecond fraction, for durations and deadlines. */
  monotonicMs: (): number => performance.now(),
};

/** The second that was asked for last: on every request only the milliseconds differ. */
const isoText = Buffer.from("0000-00-00T00:00:00.000Z");
let isoSecond = Number.NaN;
const zero = 0x30;

/** ISO 8601 in UTC with milliseconds, as every timestamp crosses a boundary. */
export function isoTime(ms: number): string {
  const complete = Math.trunc(ms);
  const second = Math.floor(complete / 1000);
  if (second !== isoSecond) {
    const text = new PlainDate(second * 1000).toISOString();
    if (text.length !== isoText.length) return new PlainDate(ms).toISOString();
    isoText.write(text);
    isoSecond = second;
  }
  const rest = complete - second * 1000;
  isoText[20] = zero + Math.floor(rest / 100);
  isoText[21] = zero + (Math.floor(rest / 10) % 10);
  isoText[22] = zero + (rest % 10);
  return isoText.toString("latin1");
}

export const dayMs = 86_400_000;
let knownDay = { startMs: Number.NaN, text: "" };

/** The UTC day, `YYYY-MM-DD`. Asked on every request, so the last answer is remembered. */
export function isoDay(ms: number): string {
  const startMs = ms - (ms % dayMs);
  if (startMs !== knownDay.startMs) knownDay = { startMs, text: isoTime(startMs).slice(0, 10) };
  return knownDay.text;
}

/** Seconds, rounded down, since 1970, the `created` of OpenAI's objects. */
export const unixSeconds = (ms: number): number => Math.floor(ms / 1000);

/** A moment as the object that drivers and libraries want. */
export const dateAt = (ms: number): Date => new Date(ms);
