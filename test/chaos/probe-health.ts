import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { eventually, type ServerProcess } from "./gateway-process.ts";

/** Looks that a verdict needs at least. */
const looksMin = 5;

/**
 * Asks a server for its health, over and over from a thread of its own until the test ends. `worstMs` is the longest
 * it took so far, without what either side waited for a processor; infinity when it was not answered once.
 */
export function probeHealth({ origin, child }: ServerProcess & { readonly origin: string }): {
  worstMs(): Promise<number>;
} {
  const answers: number[] = [];
  const file = fileURLToPath(new URL("./health-probe.mjs", import.meta.url));
  const worker = new Worker(file, { workerData: { origin, pid: child.pid } });
  worker.on("message", (ms: number | null) => answers.push(ms ?? Number.POSITIVE_INFINITY));
  onTestFinished(async () => void (await worker.terminate()));
  return {
    async worstMs() {
      await eventually("looks at health", async () => answers.length >= looksMin);
      return Math.max(...answers);
    },
  };
}
