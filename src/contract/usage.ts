import { z } from "zod";

const Count = z.number().int();
const TokenDetails = z.looseObject({ cached_tokens: Count, cache_write_tokens: Count, audio_tokens: Count });

/** What a generation consumed and what this account is charged for it. `cost` is in `cost_currency`. */
export const Charge = z.object({
  cost: z.number(),
  cost_currency: z.literal("USD"),
  cost_eur: z.number(),
  is_byok: z.boolean(),
});

export const CostDetails = z.object({
  upstream_inference_cost: z.number(),
  upstream_inference_prompt_cost: z.number(),
  upstream_inference_completions_cost: z.number(),
  upstream_inference_uncached_prompt_cost: z.number(),
  upstream_inference_cache_read_cost: z.number(),
  upstream_inference_cache_write_cost: z.number(),
});

export const CompletionUsage = Charge.extend({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  prompt_tokens_details: TokenDetails,
  completion_tokens_details: TokenDetails.extend({ reasoning_tokens: Count }),
  cost_details: CostDetails,
}).meta({ id: "CompletionUsage" });
export type CompletionUsage = z.infer<typeof CompletionUsage>;
