import cluster from "node:cluster";
import { setTimeout as wait } from "node:timers/promises";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { answerMetrics } from "#server/platform/worker-metrics.ts";

const serving = "portolan:serving";

/** Notifies the supervisor, if there is one, that this process serves. */
export const tellServing = (): void => void process.send?.(serving);

/**
 * Runs `count` processes that share one port and one database, and replaces each that dies. The first starts alone,
 * so that migrations run once and wrong settings are reported once. Resolves with the exit code when all have ended,
 * after SIGTERM or SIGINT or because the first never served.
 */
export function supervise(count: number, log: Log): Promise<number> {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const alive = new Set<ReturnType<typeof cluster.fork>>();
  let begun = false;
  let stopping = false;
  let clean = true;
  answerMetrics();

  function begin(): void {
    const worker = cluster.fork();
    const startedMs = clock.monotonicMs();
    let serves = false;
    alive.add(worker);
    worker.on("message", (message: unknown) => {
      if (message !== serving) return;
      serves = true;
      if (begun || stopping) return;
      begun = true;
      for (let further = 1; further < count; further++) begin();
    });
    worker.once("exit", (code: number | null, signal: string | null) => {
      alive.delete(worker);
      // One that had not served yet has failed nobody.
      clean &&= code === 0 || (stopping && !serves);
      if (stopping || !begun) {
        if (alive.size === 0) end(clean ? 0 : 1);
        return;
      }
      log.error({ event: "worker", reason: signal ?? `exit code ${code}` }, "A worker ended: it is replaced");
      void replace(clock.monotonicMs() - startedMs);
    });
  }

  /** One that cannot live is not started over and over without a pause. */
  async function replace(livedMs: number): Promise<void> {
    if (livedMs < limits.workers.restartEveryMs) await wait(limits.workers.restartEveryMs - livedMs);
    if (!stopping) begin();
    else if (alive.size === 0) end(1);
  }

  // From a terminal the signal reaches every process by itself, and a second one would end them at once.
  const forwarded = process.stdin.isTTY ? ["SIGTERM"] : ["SIGTERM", "SIGINT"];
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // What ended before it was asked to was replaced, and is no fault of the end.
      if (!stopping) clean = true;
      stopping = true;
      if (forwarded.includes(signal)) for (const worker of alive) worker.process.kill(signal);
    });
  }
  begin();
  return ended;
}
