import cluster, { type Worker } from "node:cluster";
import { AggregatorRegistry, type Registry } from "prom-client";
import { z } from "zod";

const kind = "portolan:metrics";
const Question = z.object({ kind: z.literal(kind), id: z.number() });
const Reply = Question.extend({ text: z.string().nullable() });

/** In the supervisor: answers workers that ask what all of them counted together. */
export function answerMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on("message", (worker: Worker, message: unknown) => {
    const { data } = Question.safeParse(message);
    if (!data) return;
    const reply = (text: string | null) => {
      if (worker.isConnected()) worker.send({ ...data, text });
    };
    all.clusterMetrics().then(reply, () => reply(null));
  });
}

/**
 * How to read the metrics: of this process when it is the only one, else of all workers of this machine, added up by
 * their supervisor. Rejects when the supervisor cannot gather them.
 */
export function metricsText(registry: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => registry.metrics();
  AggregatorRegistry.setRegistries(registry);
  // Made for its effect: it listens for the supervisor's questions.
  new AggregatorRegistry();
  const asked = new Map<number, PromiseWithResolvers<string>>();
  let last = 0;
  process.on("message", (message: unknown) => {
    const { data } = Reply.safeParse(message);
    const waiting = data && asked.get(data.id);
    if (!waiting) return;
    asked.delete(data.id);
    if (data.text === null) waiting.reject(new Error("Not every worker told its metrics"));
    else waiting.resolve(data.text);
  });
  return () => {
    const waiting = Promise.withResolvers<string>();
    asked.set(++last, waiting);
    process.send?.({ kind, id: last });
    return waiting.promise;
  };
}
