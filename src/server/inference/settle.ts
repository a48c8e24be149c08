import { noUsage, type Usage } from "#server/billing/index.ts";
import { deliveriesOf } from "./broadcast.ts";
import type { Ending } from "./generation.ts";
import type { Job } from "./job.ts";
import type { Part } from "./operation.ts";
import { type TokenBounds, tokenBounds } from "./plan.ts";
import type { InferenceRequest } from "./request.ts";

/** Writes the end of a generation down, with its traces, and lets go of what was held for it. */
export async function settle<Request extends InferenceRequest, P extends Part, Whole>(
  job: Job<Request, P, Whole>,
  ending: Ending,
  produced: readonly P[] = [],
): Promise<void> {
  const { parts, generation, hold } = job;
  const row = generation.row(ending);
  hold.settle(BigInt(row.cost_pico_eur));
  parts.metrics.generations.inc({ provider: row.provider ?? "none", status: row.status });
  try {
    await parts.billing.finish(row, deliveriesOf(job, row, produced));
  } catch (error) {
    parts.log.error(
      { event: "spool", generation_id: generation.id, error },
      "An ending could not be spooled",
    );
  }
}

/** What the endpoint that serves a job may take. */
export function boundsOf({ demand, generation }: Pick<Job, "demand" | "generation">): TokenBounds {
  const served = generation.served();
  return served ? tokenBounds(demand, served.endpoint) : { promptTokens: 0, completionTokens: 0 };
}

/** Usage no upstream tells: counted by us, marked so, and never beyond what the request may take. */
export const estimatedUsage = (
  bounds: TokenBounds,
  promptTokens: number,
  completionTokens: number,
): Usage => ({
  ...noUsage,
  uncached: Math.min(promptTokens, bounds.promptTokens),
  completion: Math.min(completionTokens, bounds.completionTokens),
  estimated: true,
});
