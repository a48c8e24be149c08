type Limit = "waitedMs" | "eventsMin" | "pauseMsMax";

/**
 * Notices a stream that never pauses long enough to be idle and still gets nowhere. Only time spent waiting for
 * the upstream counts, so that a client who reads slowly is not taken for a slow provider; a single long pause,
 * as models make to think, is the business of the idle limit.
 */
export function createThroughputGuard({ waitedMs, eventsMin, pauseMsMax }: Readonly<Record<Limit, number>>) {
  let waited = 0;
  let events = 0;
  return {
    /** After each wait: how long it was and what it brought. True once the stream has been too slow for too long. */
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
