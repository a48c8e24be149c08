import { performance } from "node:perf_hooks";

/**
 * Measures how long something is waited for. Client and server share this thread: while it computes, or other
 * programs have the machine, nobody waits for the database, so only time in which it is idle counts. Returns
 * milliseconds when it is called.
 */
export function stopwatch(): () => number {
  const began = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(began).idle;
}
