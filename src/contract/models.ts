import { z } from "zod";
import { Paging } from "./common.ts";

const Count = z.int();
/** Decimal text in `currency`: for one token, request or search unit. */
const Amount = z.string();

export const ModelPricing = z.object({
  currency: z.enum(["USD", "EUR"]),
  prompt: Amount,
  completion: Amount,
  request: Amount,
  search_unit: Amount.nullable(),
  internal_reasoning: Amount.nullable(),
  input_cache_read: Amount.nullable(),
  input_cache_write: Amount.nullable(),
});
export type ModelPricing = z.infer<typeof ModelPricing>;

/** One model as OpenAI's and OpenRouter's clients know it (interface.md 9.3). */
export const ListedModel = z
  .object({
    id: z.string(),
    object: z.literal("model"),
    created: Count,
    owned_by: z.string(),
    canonical_slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    category: z.string(),
    available: z.boolean().describe("Whether this installation can reach a provider of it now"),
    context_length: Count.nullable(),
    architecture: z.object({
      modality: z.string(),
      input_modalities: z.array(z.string()),
      output_modalities: z.array(z.string()),
    }),
    pricing: ModelPricing.nullable().describe("Of its cheapest endpoint; null when no price is known"),
    top_provider: z.object({ context_length: Count.nullable(), max_completion_tokens: Count.nullable() }),
    supported_parameters: z.array(z.string()),
    supported_api_endpoints: z.array(z.string()),
    providers: z.array(z.object({ name: z.string(), slug: z.string() })),
    per_request_limits: z.null(),
  })
  .meta({ id: "Model" });
export type ListedModel = z.infer<typeof ListedModel>;

export const ModelListQuery = Paging.extend({
  category: z
    .enum(["chat", "embedding", "rerank"], { error: "must be chat, embedding or rerank" })
    .optional(),
  supported_parameters: z.string().min(1).max(500).optional().describe("Names, separated by commas"),
  provider: z.string().min(1).max(200).optional().describe("A provider's slug"),
});
export type ModelListQuery = z.infer<typeof ModelListQuery>;

export const ModelList = z
  .object({ object: z.literal("list"), data: z.array(ListedModel), total_count: Count })
  .meta({ id: "ModelList" });
export type ModelList = z.infer<typeof ModelList>;

const Percentiles = z.object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() });

/** One provider's way of serving a model (interface.md 9.4). */
export const ListedEndpoint = z.object({
  name: z.string(),
  tag: z.string(),
  model_id: z.string(),
  model_name: z.string(),
  provider_name: z.string(),
  context_length: Count.nullable(),
  max_completion_tokens: Count.nullable(),
  max_prompt_tokens: Count.nullable(),
  pricing: ModelPricing.nullable(),
  quantization: z.string(),
  supported_parameters: z.array(z.string()),
  supported_api_endpoints: z.array(z.string()),
  status: Count.describe("0 in use, -2 left alone after failures, -10 not to be reached from here"),
  uptime_last_30m: z
    .number()
    .nullable()
    .describe(
      "Percent of attempts that succeeded in the last 5 minutes, else 30; null when nothing was measured",
    ),
  latency_last_30m: Percentiles.nullable().describe("Seconds to the first content"),
  throughput_last_30m: Percentiles.nullable().describe("Tokens a second"),
});
export type ListedEndpoint = z.infer<typeof ListedEndpoint>;

export const ModelEndpoints = z
  .object({
    data: ListedModel.pick({ id: true, name: true, description: true, architecture: true }).extend({
      endpoints: z.array(ListedEndpoint),
    }),
  })
  .meta({ id: "ModelEndpoints" });
