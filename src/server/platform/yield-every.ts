import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "./limits.ts";

/**
 * Lets other requests run during long work on one answer. The function it returns is awaited after each part of the
 * work, with the part's size.
 */
export function yieldEvery(
  bytesMax: number = limits.stream.yieldEveryBytes,
): (bytes: number) => Promise<void> {
  let bytesDone = 0;
  return async (bytes) => {
    bytesDone += bytes;
    if (bytesDone < bytesMax) return;
    bytesDone = 0;
    await nextTurn();
  };
}
