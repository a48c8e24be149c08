import { eventLoopUtilization } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { limits } from "./limits.ts";

interface Collection {
  readonly type: "major";
  readonly flavor: "last-resort";
}

let collect: ((how: Collection) => void) | undefined;

/**
 * Returns unused memory of the heap to the operating system, which V8 does only when memory is short. Takes up to some
 * hundred milliseconds, in which nothing else runs. Compiled functions remain, because they would be needed again.
 */
export function returnMemory(): void {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as typeof collect;
  }
  setFlagsFromString("--no-flush-bytecode");
  collect?.({ type: "major", flavor: "last-resort" });
  setFlagsFromString("--flush-bytecode");
}

const heapBytes = (): number => getHeapStatistics().total_heap_size;

/** Returns memory whenever the heap has grown and this process has almost nothing to do. Returns what ends that. */
export function returnMemoryWhenIdle(): () => void {
  const { checkEveryMs, idleChecksMin, utilizationMax, growthMin } = limits.memory;
  let idleChecks = 0;
  let returnedBytes = heapBytes();
  let since = eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = eventLoopUtilization(since);
    since = eventLoopUtilization();
    idleChecks = utilization > utilizationMax ? 0 : idleChecks + 1;
    if (idleChecks < idleChecksMin || heapBytes() < growthMin * returnedBytes) return;
    returnMemory();
    returnedBytes = heapBytes();
  }, checkEveryMs).unref();
  return () => clearInterval(timer);
}
