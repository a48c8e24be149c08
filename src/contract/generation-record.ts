import { z } from "zod";
import { GenerationStatus } from "./generation.ts";
import { generationIdOf } from "./generation-id.ts";

const Count = z.int();

export const GenerationQuery = z.object({
  id: z
    .string()
    .max(256)
    .refine((text) => generationIdOf(text) !== undefined, {
      error: "must be the id of an answer, such as gen-…, or its header x-generation-id",
    })
    .transform((text) => generationIdOf(text) ?? text),
});

/** One generation as OpenRouter's clients read it (interface.md 9.4); times in milliseconds, money in USD. */
export const GenerationRecord = z
  .object({
    id: z.string(),
    request_id: z.string(),
    session_id: z.string().nullable(),
    external_user: z.string().nullable(),
    app_title: z.string().nullable(),
    created_at: z.string(),
    api_type: z.string(),
    status: GenerationStatus,
    error_code: z.string().nullable(),
    model: z.string(),
    provider_name: z.string().nullable(),
    data_region: z.string().nullable(),
    router: z.string(),
    streamed: z.boolean(),
    cancelled: z.boolean(),
    is_byok: z.boolean(),
    latency: Count.nullable().describe("To the first content"),
    generation_time: Count.nullable().describe("From the first content to the last"),
    finish_reason: z.string().nullable(),
    native_finish_reason: z.string().nullable(),
    tokens_prompt: Count,
    tokens_completion: Count,
    native_tokens_prompt: Count,
    native_tokens_completion: Count,
    native_tokens_reasoning: Count,
    native_tokens_cached: Count,
    search_units: Count,
    usage_estimated: z.boolean(),
    usage_implausible: z.boolean(),
    usage: z.number(),
    total_cost: z.number(),
    total_cost_eur: z.number(),
    upstream_inference_cost: z.number(),
    provider_responses: z.array(
      z.object({
        endpoint_id: z.string(),
        provider_name: z.string(),
        status: Count.nullable(),
        outcome: z.string(),
        latency: z.number(),
      }),
    ),
  })
  .meta({ id: "Generation" });
export type GenerationRecord = z.infer<typeof GenerationRecord>;
