import type { CompletionRequest } from "#contract/completions.ts";
import { type Billing, estimateTokens, type Hold, type Usage } from "#server/billing/index.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Router, Sessions, Statistics } from "#server/policy/index.ts";
import type { Generation, RequestMeta } from "./generation.ts";
import { promptTokensMax } from "./plan.ts";
import type { Targets } from "./targets.ts";

export interface InferenceParts {
  readonly billing: Billing;
  readonly catalogue: Catalogue;
  readonly router: Router;
  readonly statistics: Statistics;
  readonly sessions: Sessions;
  readonly targets: Targets;
  readonly outbound: Outbound;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface InferenceCall extends RequestMeta {
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
}

/** What one request works with between admission and its end. */
export interface Job {
  readonly parts: InferenceParts;
  readonly call: InferenceCall;
  readonly request: CompletionRequest;
  readonly generation: Generation;
  readonly hold: Hold;
  /** Names the session the request belongs to; null when it names none. */
  readonly session: string | null;
  readonly promptTokens: number;
  readonly deadlineMs: number;
}

/** Writes the end of a generation down and lets go of what was held for it. */
export async function settle(job: Job, ending: Parameters<Generation["row"]>[0]): Promise<void> {
  const { parts, generation, hold } = job;
  const row = generation.row(ending);
  hold.settle(BigInt(row.cost_pico_eur));
  parts.metrics.generations.inc({ provider: row.provider ?? "none", status: row.status });
  try {
    await parts.billing.finish(row);
  } catch (error) {
    parts.log.error(
      { event: "spool", generation_id: generation.id, error },
      "An ending could not be spooled",
    );
  }
}

/** Usage as the upstream gave it, else counted by us and marked so. */
export const usageOr = (given: Usage | null, request: CompletionRequest, text: string): Usage =>
  given ?? {
    uncached: typeof request.prompt === "string" ? estimateTokens(request.prompt) : promptTokensMax(request),
    cacheRead: 0,
    cacheWrite: 0,
    completion: estimateTokens(text),
    reasoning: 0,
    searchUnits: 0,
    estimated: true,
  };
