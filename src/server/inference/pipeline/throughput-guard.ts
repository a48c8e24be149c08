type Limit = "waitedMs" | "eventsMin" | "pauseMsMax";

/**
 * Detects a stream that never pauses long enough to be idle and is still too slow. Only time spent waiting for the
 * upstream counts, so that a slow client is not mistaken for a slow provider; a single long pause, as reasoning
 * models make, is handled by the idle limit.
 */
export function createThroughputGuard({ waitedMs, eventsMin, pauseMsMax }: Readonly<Record<Limit, number>>) {
  let waited = 0;
  let events = 0;
  return {
    /**
     * Call it after each wait with its duration and number of events. True once the stream was too slow for too long.
     */
    waited(ms: number, brought: number): boolean {
      waited += Math.min(ms, pauseMsMax);
      events += brought;
      if (waited < waitedMs) return false;
      const slow = events < eventsMin;
      waited = 0;
      events = 0;
      return slow;
    },
  };
}
