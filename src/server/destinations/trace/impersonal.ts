import type { DeliveryContent } from "#contract/destination.ts";
import type { GenerationFacts, TraceLabels } from "./facts.ts";

/**
 * Whether a trace may contain personal data. Where residency forbids the content it may not; for a generation whose
 * process died, the residency is unknown.
 */
export const tellsOfPersons = (content: string): boolean =>
  content === ("sent" satisfies DeliveryContent) || content === ("private" satisfies DeliveryContent);

/** Sampling parameters without texts, because clients write those. */
function withoutTexts(parameters: unknown): Record<string, number | boolean> {
  const stored: Record<string, number | boolean> = {};
  for (const [name, value] of Object.entries(parameters ?? {}))
    if (typeof value === "number" || typeof value === "boolean") stored[name] = value;
  return stored;
}

/**
 * The fields of a generation's record without personal data: models, routing, tokens, costs, times. Every field is
 * listed, so that a new one is omitted until somebody decides about it.
 */
export const impersonalFacts = (facts: GenerationFacts): GenerationFacts => ({
  id: facts.id,
  // Clients may choose it.
  request_id: "",
  org_id: facts.org_id,
  user_id: "",
  api_key_id: "",
  operation: facts.operation,
  model_requested: facts.model_requested,
  model: facts.model,
  provider: facts.provider,
  endpoint: facts.endpoint,
  region: facts.region,
  status: facts.status,
  error_code: facts.error_code,
  http_status: facts.http_status,
  finish_reason: facts.finish_reason,
  native_finish_reason: facts.native_finish_reason,
  streamed: facts.streamed,
  strategy: facts.strategy,
  attempts: facts.attempts,
  rule_ids: facts.rule_ids,
  parameters: withoutTexts(facts.parameters),
  prompt_tokens: facts.prompt_tokens,
  completion_tokens: facts.completion_tokens,
  cached_tokens: facts.cached_tokens,
  cache_write_tokens: facts.cache_write_tokens,
  reasoning_tokens: facts.reasoning_tokens,
  search_units: facts.search_units,
  usage_estimated: facts.usage_estimated,
  usage_implausible: facts.usage_implausible,
  is_byok: facts.is_byok,
  fx_usd_per_eur: facts.fx_usd_per_eur,
  fx_date: facts.fx_date,
  cost_pico_usd: facts.cost_pico_usd,
  cost_pico_eur: facts.cost_pico_eur,
  upstream_pico_usd: facts.upstream_pico_usd,
  user_reference: null,
  session_id: null,
  app_title: null,
  started_at: facts.started_at,
  latency_ms: facts.latency_ms,
  duration_ms: facts.duration_ms,
});

/** A client's trace options are as personal as its prompt, and keys are named after people. */
export const impersonalLabels = ({ workspaceId }: TraceLabels): TraceLabels => ({
  keyName: "",
  workspaceId,
  metadata: {},
  traceId: null,
  parentSpanId: null,
  traceName: null,
  spanName: null,
  generationName: null,
});
