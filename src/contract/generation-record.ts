import { z } from "zod";
import { orList } from "./common.ts";
import { GenerationStatus } from "./generation.ts";
import { generationIdOf } from "./generation-id.ts";
import { apis } from "./inference-operations.ts";
import { ParameterChanges } from "./parameter-changes.ts";

const Count = z.int();

export const GenerationQuery = z.object({
  id: z
    .string()
    .max(256)
    .refine((text) => generationIdOf(text) !== undefined, {
      error: "must be the id of an answer, such as gen-…, or its header x-generation-id",
    })
    .transform((text) => generationIdOf(text) ?? text)
    .describe(
      "ID of an answer, such as `gen-…`, `cmpl-…` or `resp_…`, or the value of the header `x-generation-id`.",
    ),
});

/** What OpenRouter's clients require and is not recorded. */
const notRecorded = z.null().describe("Always null; OpenRouter's clients require the field.");

/** One generation as OpenRouter's clients read it; times in milliseconds, money in USD. */
export const GenerationRecord = z
  .object({
    id: z.string().describe("ID of the generation, a UUID."),
    request_id: z.string().describe("ID of the HTTP request, as in the header `x-request-id`."),
    session_id: z.string().nullable().describe("`session_id` of the request; null when it had none."),
    external_user: z.string().nullable().describe("`user` of the request; null when it had none."),
    app_title: z
      .string()
      .nullable()
      .describe(
        "Name of the application, from the header `X-Title` or `HTTP-Referer`; null when neither was sent.",
      ),
    workspace_id: z
      .string()
      .nullable()
      .describe("ID of the workspace the API key belonged to; null for none."),
    created_at: z.string().describe("Time the request was received, ISO 8601 in UTC."),
    api_type: z.string().describe(`Operation: ${orList(apis.map((api) => `\`${api}\``))}.`),
    status: GenerationStatus.describe(
      "How the generation ended; `cancelled` when the client left, `interrupted` when the server stopped.",
    ),
    error_code: z.string().nullable().describe("Error code of a failed generation; null otherwise."),
    model: z
      .string()
      .describe("ID of the model that served the request, or the model requested when none served it."),
    provider_name: z
      .string()
      .nullable()
      .describe("Name of the provider that served the request or was asked last; null when none was asked."),
    data_region: z
      .string()
      .describe(
        "Region of that provider, an ISO 3166-1 alpha-2 code or `EU`; `unknown` when it is not known.",
      ),
    router: z
      .string()
      .describe("How endpoints were ranked, such as `balanced`, `lowest-cost` or `explicit-order`."),
    streamed: z.boolean().describe("Whether the answer was streamed."),
    cancelled: z
      .boolean()
      .describe("Whether the generation was cancelled, for example because the client left."),
    input_modalities: z
      .array(z.string())
      .describe(
        "Content of the request besides text, such as `image` or `file`; empty for text only and for generations recorded before this field was added.",
      ),
    output_modalities: z
      .array(z.string())
      .describe("Content that the request asks for besides text, such as `audio`; empty for text only."),
    is_byok: z
      .boolean()
      .describe(
        "Whether your own provider credential was used, in which case the provider bills you directly.",
      ),
    latency: Count.nullable().describe(
      "Time to the first content, in milliseconds; null when no content came.",
    ),
    generation_time: Count.nullable().describe(
      "Time from the first content to the end, in milliseconds; null when no content came.",
    ),
    finish_reason: z.string().nullable().describe("Why generation ended; null when there is no reason."),
    native_finish_reason: z
      .string()
      .nullable()
      .describe("The provider's own value for why generation ended; null when it gave none."),
    tokens_prompt: Count.describe("Number of input tokens."),
    tokens_completion: Count.describe("Number of output tokens, reasoning included."),
    native_tokens_prompt: Count.describe(
      "Number of input tokens by the provider's tokenizer; the same as `tokens_prompt`.",
    ),
    native_tokens_completion: Count.describe(
      "Number of output tokens by the provider's tokenizer; the same as `tokens_completion`.",
    ),
    native_tokens_reasoning: Count.describe("Number of output tokens used for reasoning."),
    native_tokens_cached: Count.describe("Number of input tokens read from the provider's cache."),
    search_units: Count.describe("Number of search units, for rerank; 0 otherwise."),
    usage_estimated: z
      .boolean()
      .describe("Whether token counts were estimated because the provider did not report them."),
    usage_implausible: z
      .boolean()
      .describe("Whether the provider reported more tokens than the request could use, or no valid counts."),
    usage: z
      .number()
      .describe("Amount charged, in US dollars; 0 when your own provider credential was used."),
    total_cost: z.number().describe("Same as `usage`."),
    total_cost_eur: z.number().describe("Amount charged, in euros."),
    upstream_inference_cost: z.number().describe("Price of the request at the provider, in US dollars."),
    preset: z
      .string()
      .nullable()
      .describe("Name and version of the preset of the request, such as `support@3`; null without one."),
    service_tier: z
      .string()
      .nullable()
      .describe(
        "Service tier that the provider says it used; null when it named none. Prices do not differ by tier yet.",
      ),
    dropped_parameters: ParameterChanges.shape.dropped,
    translated_parameters: ParameterChanges.shape.translated,
    clamped_parameters: ParameterChanges.shape.clamped,
    provider_responses: z
      .array(
        z.object({
          endpoint_id: z.string().describe("ID of the endpoint."),
          provider_name: z.string().describe("Name of the provider."),
          api: z
            .string()
            .nullable()
            .describe(
              "Operation of the provider that was used, such as `responses` for a chat request; null when it is the request's own.",
            ),
          status: Count.nullable().describe(
            "HTTP status of the provider's answer; null when there was none.",
          ),
          outcome: z
            .string()
            .describe(
              "Result of the attempt: `ok`, or the kind of failure such as `timeout` or `rate_limited`.",
            ),
          latency: z.number().describe("Duration of the attempt, in milliseconds."),
        }),
      )
      .describe("Attempts at providers, in the order they were made."),
    origin: z.literal("").describe("Always empty; OpenRouter's clients require the field."),
    app_id: notRecorded,
    cache_discount: notRecorded,
    http_referer: notRecorded,
    moderation_latency: notRecorded,
    native_tokens_completion_images: notRecorded,
    num_fetches: notRecorded,
    num_input_audio_prompt: notRecorded,
    num_media_completion: notRecorded,
    num_media_prompt: notRecorded,
    num_search_results: notRecorded,
    preset_id: notRecorded,
    upstream_id: notRecorded,
    user_agent: notRecorded,
    web_search_engine: notRecorded,
  })
  .meta({ id: "Generation" });
export type GenerationRecord = z.infer<typeof GenerationRecord>;
