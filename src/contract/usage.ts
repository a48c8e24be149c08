import { z } from "zod";

const Count = z.number().int();
const TokenDetails = z.looseObject({
  cached_tokens: Count.describe("Tokens read from the provider's cache."),
  cache_write_tokens: Count.describe("Tokens written to the provider's cache."),
  audio_tokens: Count.describe("Tokens of audio."),
});

/** What a generation consumed and what this account is charged for it. `cost` is in `cost_currency`. */
export const Charge = z.object({
  cost: z.number().describe("Amount charged, in US dollars; 0 when your own provider credential was used."),
  cost_currency: z.literal("USD").describe("Currency of `cost` and `cost_details`; always `USD`."),
  cost_eur: z.number().describe("Amount charged, in euros."),
  is_byok: z
    .boolean()
    .describe(
      "Whether your own provider credential was used, in which case the provider bills you directly.",
    ),
});

export const CostDetails = z.object({
  upstream_inference_cost: z
    .number()
    .describe(
      "Total price of the request at the provider, in US dollars, including prices per request or search.",
    ),
  upstream_inference_prompt_cost: z
    .number()
    .describe(
      "Price of the input at the provider, in US dollars: uncached, cache read and cache write together.",
    ),
  upstream_inference_completions_cost: z
    .number()
    .describe("Price of the output at the provider, in US dollars, including reasoning."),
  upstream_inference_uncached_prompt_cost: z
    .number()
    .describe("Price of the input that did not involve the cache, in US dollars."),
  upstream_inference_cache_read_cost: z
    .number()
    .describe("Price of the input read from the provider's cache, in US dollars."),
  upstream_inference_cache_write_cost: z
    .number()
    .describe("Price of the input written to the provider's cache, in US dollars."),
});

export const CompletionUsage = Charge.extend({
  prompt_tokens: Count.describe("Number of input tokens, cached ones included."),
  completion_tokens: Count.describe("Number of output tokens, reasoning included."),
  total_tokens: Count.describe("Sum of `prompt_tokens` and `completion_tokens`."),
  prompt_tokens_details: TokenDetails.describe("Breakdown of `prompt_tokens`."),
  completion_tokens_details: TokenDetails.extend({
    reasoning_tokens: Count.describe("Tokens the model used for reasoning."),
    accepted_prediction_tokens: Count.describe("Tokens of `prediction` that are part of the answer."),
    rejected_prediction_tokens: Count.describe(
      "Tokens of `prediction` that are not part of the answer; they are billed as output too.",
    ),
  }).describe("Breakdown of `completion_tokens`."),
  cost_details: CostDetails.describe("Price of the request at the provider and its parts, in US dollars."),
}).meta({ id: "CompletionUsage" });
export type CompletionUsage = z.infer<typeof CompletionUsage>;
