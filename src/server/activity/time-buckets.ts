const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Bucket sizes that are readable on a chart's axis. */
const steps = [minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, day, 7 * day];
const barsMax = 60;

export interface Stretches {
  readonly stepMs: number;
  /** The start of each time bucket in ms, aligned in UTC. */
  readonly startsMs: readonly number[];
}

/** Divides a time span into at most 61 equal time buckets for a chart; the first one contains `fromMs`. */
export function timeBucketsOf(fromMs: number, toMs: number): Stretches {
  const spanMs = Math.max(toMs - fromMs, 1);
  const known = steps.find((step) => spanMs / step <= barsMax);
  const stepMs = known ?? Math.ceil(spanMs / barsMax / day) * day;
  const firstMs = Math.floor(fromMs / stepMs) * stepMs;
  const count = Math.max(1, Math.ceil((toMs - firstMs) / stepMs));
  return { stepMs, startsMs: Array.from({ length: count }, (_, index) => firstMs + index * stepMs) };
}
