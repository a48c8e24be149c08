/** The only place that reads the machine's clocks. Durations are monotonic; wall time is for records. */
export const clock = {
  /** Wall time in milliseconds since 1970. */
  nowMs: (): number => Date.now(),
  /** Monotonic milliseconds with sub-millisecond fraction, for durations and deadlines. */
  monotonicMs: (): number => performance.now(),
};

/** ISO 8601 in UTC with milliseconds, as every timestamp crosses a boundary. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

export const dayMs = 86_400_000;
let knownDay = { startMs: Number.NaN, text: "" };

/** The UTC day, `YYYY-MM-DD`. Asked on every request, so the last answer is remembered. */
export function isoDay(ms: number): string {
  const startMs = ms - (ms % dayMs);
  if (startMs !== knownDay.startMs) knownDay = { startMs, text: isoTime(startMs).slice(0, 10) };
  return knownDay.text;
}

/** Whole seconds since 1970, the `created` of OpenAI's objects. */
export const unixSeconds = (ms: number): number => Math.floor(ms / 1000);

/** A moment as the object that drivers and libraries want. */
export const dateAt = (ms: number): Date => new Date(ms);
