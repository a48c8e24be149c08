import type { CompletionUsage } from "#contract/usage.ts";

/** Charge of the answers in the reference that bill tokens. */
export const exampleCharge = {
  total_tokens: 27,
  cost: 0.0000061,
  cost_currency: "USD",
  cost_eur: 0.0000053,
  is_byok: false,
  cost_details: {
    upstream_inference_cost: 0.0000061,
    upstream_inference_prompt_cost: 0.000001,
    upstream_inference_completions_cost: 0.0000051,
    upstream_inference_uncached_prompt_cost: 0.000001,
    upstream_inference_cache_read_cost: 0,
    upstream_inference_cache_write_cost: 0,
  },
} as const satisfies Partial<CompletionUsage>;

const noCache = { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 };

export const exampleUsage: CompletionUsage = {
  ...exampleCharge,
  prompt_tokens: 10,
  completion_tokens: 17,
  prompt_tokens_details: noCache,
  completion_tokens_details: {
    reasoning_tokens: 0,
    ...noCache,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};
