import type { Usage } from "#server/billing/index.ts";
import { promptTokens } from "#server/billing/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { UsageBounds } from "./billed-usage.ts";
import { tracesOf } from "./broadcast.ts";
import type { Ending } from "./generation-records.ts";
import { metricLabel } from "./metric-label.ts";
import type { Chunk } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import type { RequestContext } from "./request-context.ts";
import { usageBounds } from "./token-limits.ts";

/**
 * Records the end of a generation with its traces, and releases its hold. Throws SERVICE_UNAVAILABLE if neither the
 * spool nor the database accepts the record: then the answer must not be completed.
 */
export async function finish<Request extends InferenceRequest, C extends Chunk, Complete>(
  ctx: RequestContext<Request, C, Complete>,
  ending: Ending,
  produced: readonly C[] = [],
): Promise<void> {
  const { deps, generation, hold } = ctx;
  const row = generation.row(ending);
  hold.release(row);
  const served = generation.served()?.endpoint.provider;
  deps.metrics.generations.inc({ provider: served ? metricLabel(served) : "none", status: row.status });
  if (row.tags) deps.metrics.tags.inc(row.tags);
  try {
    const { recipients, traces } = tracesOf(ctx, row, produced);
    await deps.billing.finish(recipients.length === 0 ? row : { ...row, destinations: recipients }, traces);
  } catch (error) {
    hold.undo();
    throw new AppError("SERVICE_UNAVAILABLE", "The request cannot be recorded at the moment", {
      headers: { "retry-after": "5" },
      cause: error,
    });
  }
}

/** Like `finish`, for an end after which nothing more is delivered: a failure is logged, and the hold released. */
export async function finishFailed<Request extends InferenceRequest, C extends Chunk, Complete>(
  ctx: RequestContext<Request, C, Complete>,
  ending: Ending,
  produced: readonly C[] = [],
): Promise<void> {
  const { deps, generation, hold } = ctx;
  try {
    await finish(ctx, ending, produced);
  } catch (error) {
    deps.log.error(
      { event: "spool", generation_id: generation.id, error },
      "The end of a generation could not be recorded",
    );
    hold.release(null);
  }
}

const nothing: UsageBounds = {
  promptTokens: 0,
  reservedPromptTokens: 0,
  completionTokens: 0,
  searchUnits: 0,
};

/** The maximum usage at the endpoint that serves. */
export function boundsOf({
  estimate,
  generation,
}: Pick<RequestContext, "estimate" | "generation">): UsageBounds {
  const served = generation.served();
  return served ? usageBounds(estimate, served) : nothing;
}

/** Counts and logs an impossible usage report of the endpoint. */
export function noteImplausible(
  { deps, generation }: Pick<RequestContext, "deps" | "generation">,
  reported: Usage | null,
  billed: Usage,
): void {
  if (!billed.implausible || !reported) return;
  const endpoint = generation.served()?.endpoint;
  if (endpoint) deps.statistics.failed(endpoint.measuredAs, null);
  deps.log.warn(
    { event: "usage", generation_id: generation.id, provider: endpoint?.provider.slug },
    `A provider reported ${promptTokens(reported)} prompt and ${reported.completion} completion tokens where ` +
      `${promptTokens(billed)} and ${billed.completion} are billed`,
  );
}
