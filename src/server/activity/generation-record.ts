import type { GenerationDetail } from "#contract/generation.ts";
import type { GenerationRecord } from "#contract/generation-record.ts";

const notRecorded = {
  origin: "",
  app_id: null,
  cache_discount: null,
  http_referer: null,
  moderation_latency: null,
  native_tokens_completion_images: null,
  num_fetches: null,
  num_input_audio_prompt: null,
  num_media_completion: null,
  num_media_prompt: null,
  num_search_results: null,
  preset_id: null,
  upstream_id: null,
  user_agent: null,
  web_search_engine: null,
} as const;

/** A generation as `GET /generation` returns it; `nameOf` returns a provider's name for its slug. */
export function generationRecord(
  { usage, cost, tries, ...detail }: GenerationDetail,
  nameOf: (slug: string) => string,
): GenerationRecord {
  const changes = tries.at(-1)?.parameters;
  const usd = Number(cost.usd);
  return {
    id: detail.id,
    request_id: detail.request_id,
    session_id: detail.session_id,
    external_user: detail.user_reference,
    app_title: detail.app_title,
    workspace_id: detail.workspace_id,
    created_at: detail.started_at,
    api_type: detail.operation,
    status: detail.status,
    error_code: detail.error_code,
    model: detail.model,
    provider_name: detail.provider === null ? null : nameOf(detail.provider),
    data_region: detail.region ?? "unknown",
    router: detail.strategy,
    streamed: detail.streamed,
    cancelled: detail.status === "cancelled",
    input_modalities: detail.input_modalities,
    output_modalities: detail.output_modalities,
    is_byok: cost.is_byok,
    latency: detail.latency_ms,
    generation_time: detail.latency_ms === null ? null : detail.duration_ms - detail.latency_ms,
    finish_reason: detail.finish_reason,
    native_finish_reason: detail.native_finish_reason,
    // Tokens are counted once, by the provider's tokenizer.
    tokens_prompt: usage.prompt_tokens,
    tokens_completion: usage.completion_tokens,
    native_tokens_prompt: usage.prompt_tokens,
    native_tokens_completion: usage.completion_tokens,
    native_tokens_reasoning: usage.reasoning_tokens,
    native_tokens_cached: usage.cached_tokens,
    search_units: usage.search_units,
    usage_estimated: usage.estimated,
    usage_implausible: usage.implausible,
    usage: usd,
    total_cost: usd,
    total_cost_eur: Number(cost.eur),
    upstream_inference_cost: Number(cost.upstream_usd),
    preset: typeof detail.parameters.preset === "string" ? detail.parameters.preset : null,
    service_tier: tries.at(-1)?.service_tier ?? null,
    dropped_parameters: changes?.dropped ?? [],
    translated_parameters: changes?.translated ?? [],
    clamped_parameters: changes?.clamped ?? [],
    provider_responses: tries.map(({ endpoint, provider, api, status, outcome, duration_ms: latency }) => ({
      endpoint_id: endpoint,
      provider_name: nameOf(provider),
      api: api ?? null,
      status,
      outcome,
      latency,
    })),
    ...notRecorded,
  };
}
