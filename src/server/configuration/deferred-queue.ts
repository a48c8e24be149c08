import type { Queue } from "#server/jobs/queue.ts";

type Wakes = Pick<Queue, "enqueueAll" | "hasten" | "wake">;

/**
 * A queue for work inside of a transaction: jobs that functions add after their own changes are added only after the
 * commit, because they need a connection of their own, and the changes do not exist before.
 */
export function deferring(queue: Queue): { readonly queue: Queue; run(): Promise<void> } {
  const waiting: (() => Promise<void>)[] = [];
  const deferred: Wakes = {
    async enqueueAll(...jobs) {
      waiting.push(() => queue.enqueueAll(...jobs));
    },
    async hasten(...jobs) {
      waiting.push(() => queue.hasten(...jobs));
    },
    wake(name) {
      waiting.push(async () => queue.wake(name));
    },
  };
  return {
    queue: { ...queue, ...deferred },
    async run() {
      for (const work of waiting) await work();
    },
  };
}
