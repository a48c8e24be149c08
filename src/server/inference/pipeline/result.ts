import type { CompletionUsage } from "#contract/usage.ts";
import { type Cost, promptTokens, type Usage } from "#server/billing/index.ts";
import { unixSeconds } from "#server/platform/clock.ts";
import { numberFromPico } from "#server/platform/money.ts";
import { reportHeaders } from "../parameters/changes.ts";
import type { Generation } from "./generation.ts";
import { ruleHeader } from "./plan.ts";

/** The charge as in every usage object. */
export const chargeOf = (cost: Cost) => ({
  cost: numberFromPico(cost.picoUsd),
  cost_currency: "USD" as const,
  cost_eur: numberFromPico(cost.picoEur),
  is_byok: cost.byok,
});

/** Usage and charge as in the completions object. */
export function completionUsage(usage: Usage, cost: Cost): CompletionUsage {
  const prompt = promptTokens(usage);
  const { upstream } = cost;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.completion,
    total_tokens: prompt + usage.completion,
    ...chargeOf(cost),
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      audio_tokens: usage.audioPrompt,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      cached_tokens: 0,
      cache_write_tokens: 0,
      audio_tokens: usage.audioCompletion,
      accepted_prediction_tokens: usage.predictionAccepted,
      rejected_prediction_tokens: usage.predictionRejected,
    },
    cost_details: {
      upstream_inference_cost: numberFromPico(upstream.total),
      upstream_inference_prompt_cost: numberFromPico(upstream.prompt),
      upstream_inference_completions_cost: numberFromPico(upstream.completion),
      upstream_inference_uncached_prompt_cost: numberFromPico(upstream.uncachedPrompt),
      upstream_inference_cache_read_cost: numberFromPico(upstream.cacheRead),
      upstream_inference_cache_write_cost: numberFromPico(upstream.cacheWrite),
    },
  };
}

/** When, by whom and with which model a generation was served, as in its objects. */
export function servedBy(generation: Generation): { created: number; model: string; provider: string } {
  const endpoint = generation.served()?.endpoint;
  return {
    created: unixSeconds(generation.startedMs),
    model: endpoint?.model.id ?? "",
    provider: endpoint?.provider.name ?? "",
  };
}

/** Headers that are known before a provider is: the generation, its preset and the nearest limits. */
export function admissionHeaders(generation: Generation): Record<string, string> {
  const headers: Record<string, string> = { "x-generation-id": generation.id };
  generation.addLimitHeaders(headers);
  const preset = generation.preset();
  if (preset !== null) headers["x-portolan-preset"] = preset;
  return headers;
}

/** Headers that name the provider and the number of fallbacks. */
export function routingHeaders(generation: Generation): Record<string, string> {
  const { attempts } = generation;
  const served = generation.served();
  const headers = admissionHeaders(generation);
  if (!served) return headers;
  const { endpoint, decision, modelIndex } = served;
  headers["x-provider-id"] = endpoint.provider.id;
  headers["x-provider-slug"] = endpoint.provider.slug;
  headers["x-routing-strategy"] = decision.strategy;
  headers["x-model-used"] = endpoint.model.id;
  Object.assign(headers, endpoint.model.retirement?.headers);
  if (decision.variant !== null) headers["x-model-variant"] = decision.variant;
  Object.assign(headers, ruleHeader(decision));
  const limit = generation.appliedTokenLimit();
  if (limit !== null) headers["x-portolan-max-tokens-applied"] = String(limit);
  Object.assign(headers, reportHeaders(generation.parameterChanges().report()));
  if (attempts.length > 1) headers["x-fallback-count"] = String(attempts.length - 1);
  if (modelIndex > 0) headers["x-model-fallback-count"] = String(modelIndex);
  return headers;
}
