/** Times up to this are counted exactly. Above it, each doubling has as many buckets as half of it. */
const exactBelowMs = 32;
const exactBits = 5;
const perDoubling = 16;

/** Longer ones count as this long: more than an hour. */
const longestMs = 2 ** 22 - 1;

/** How many buckets a histogram can have. */
export const bucketsMax = bucketOf(longestMs) + 1;

/**
 * The bucket of a time: at most a sixteenth wide, so that the times in it differ by at most 6.25 %. The same scheme as
 * HdrHistogram.
 */
export function bucketOf(ms: number): number {
  const time = Math.min(Math.max(Math.trunc(ms), 0), longestMs);
  if (time < exactBelowMs) return time;
  const bits = 31 - Math.clz32(time);
  return exactBelowMs + (bits - exactBits) * perDoubling + ((time >> (bits - 4)) & (perDoubling - 1));
}

/** The shortest time of a bucket, in ms. */
export function startOfBucketMs(bucket: number): number {
  if (bucket < exactBelowMs) return bucket;
  const doublings = Math.floor((bucket - exactBelowMs) / perDoubling);
  const step = (bucket - exactBelowMs) % perDoubling;
  return (perDoubling + step) << (doublings + 1);
}

/** Counts one time. A histogram ends with its last bucket that is not empty. */
export function countTime(histogram: number[], ms: number): void {
  const bucket = bucketOf(ms);
  while (histogram.length <= bucket) histogram.push(0);
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
}

/**
 * The time that a share of all counted times does not exceed, in ms; null without any. Within a bucket, times count as
 * evenly distributed. Exact to 6.25 %.
 */
export function percentileOf(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let before = 0;
  for (const [bucket, count] of histogram.entries()) {
    if (before + count >= rank) {
      const [startMs, endMs] = [startOfBucketMs(bucket), startOfBucketMs(bucket + 1) - 1];
      return Math.round(startMs + ((endMs - startMs) * (rank - before)) / count);
    }
    before += count;
  }
  return null;
}
