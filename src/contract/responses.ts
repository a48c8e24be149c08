import { z } from "zod";
import { answered } from "./answered.ts";
import { AnyJson, JsonObject, LongDescription, LongText, recordOf } from "./bounded.ts";
import { RoutedRequest } from "./completions.ts";
import { list } from "./list.ts";
import { ReasoningEffort } from "./reasoning.ts";
import { ResponseItem, ResponseTool } from "./response-items.ts";
import { sampling } from "./sampling.ts";
import { instructionsCharsMax } from "./sizes.ts";
import { Charge, CostDetails } from "./usage.ts";

/** A field that would change the result if it were ignored, so it is refused. */
const notServed = (why: string) => z.null({ error: why }).optional();
const openRouterOnly = notServed("is not served here; leave it out");

export const TextFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -"),
    schema: JsonObject,
    description: LongDescription.nullish(),
    strict: z.boolean().nullish(),
  }),
]);
export type TextFormat = z.infer<typeof TextFormat>;

const Summary = z.enum(["auto", "concise", "detailed"]);

export const ResponseReasoning = z.looseObject({
  effort: ReasoningEffort.nullish(),
  summary: Summary.nullish(),
  generate_summary: Summary.nullish(),
  enabled: z.boolean().nullish(),
  max_tokens: z.number().int().min(0).nullish(),
});

/** `POST /responses` (interface.md 8.1). Unknown fields are ignored: OpenAI's clients send new ones all the time. */
export const ResponseRequest = RoutedRequest.extend({
  input: z.union([LongText, list(ResponseItem).max(5_000)]),
  instructions: z.string().max(instructionsCharsMax).nullish(),
  previous_response_id: z.string().min(1).max(128).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  max_output_tokens: z.number().int().min(1).nullish(),
  temperature: sampling.temperature,
  top_p: sampling.top_p,
  top_k: sampling.top_k,
  presence_penalty: sampling.presence_penalty,
  frequency_penalty: sampling.frequency_penalty,
  top_logprobs: sampling.top_logprobs,
  tools: list(ResponseTool).max(256).nullish(),
  tool_choice: z
    .union([z.enum(["none", "auto", "required"]), z.looseObject({ type: z.string().max(64) })])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.number().int().min(1).nullish(),
  reasoning: ResponseReasoning.nullish(),
  text: z
    .looseObject({
      format: TextFormat.nullish(),
      verbosity: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
    })
    .nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  safety_identifier: z.string().max(64).nullish(),
  prompt_cache_key: z.string().max(256).nullish(),
  prompt_cache_retention: z.string().max(32).nullish(),
  prompt_cache_options: recordOf(AnyJson, { max: 100 }).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  include: list(z.string().max(128)).max(32).nullish(),
  service_tier: z.string().max(32).nullish(),
  conversation: notServed("is not served here; continue with previous_response_id"),
  prompt: notServed("is not served here: no prompts are kept; send `input` and `instructions`"),
  plugins: openRouterOnly,
  modalities: openRouterOnly,
  image_config: openRouterOnly,
  cache_control: openRouterOnly,
  route: openRouterOnly,
  debug: openRouterOnly,
  stop_server_tools_when: openRouterOnly,
})
  .refine(
    ({ input, instructions, previous_response_id: previous }) =>
      typeof input === "string" || input.length > 0 || instructions || previous,
    {
      path: ["input"],
      error: "must hold an item where neither instructions nor previous_response_id give anything to answer",
    },
  )
  .meta({ id: "ResponseRequest" });
export type ResponseRequest = z.infer<typeof ResponseRequest>;

export const ResponseStatus = z.enum([
  "queued",
  "in_progress",
  "completed",
  "incomplete",
  "failed",
  "cancelled",
]);
export type ResponseStatus = z.infer<typeof ResponseStatus>;

export const IncompleteReason = z.enum(["max_output_tokens", "content_filter"]);
export type IncompleteReason = z.infer<typeof IncompleteReason>;

const Count = z.number().int();

export const ResponseUsage = Charge.extend({
  input_tokens: Count,
  input_tokens_details: z.looseObject({ cached_tokens: Count, cache_write_tokens: Count }),
  output_tokens: Count,
  output_tokens_details: z.looseObject({ reasoning_tokens: Count }),
  total_tokens: Count,
  cost_details: CostDetails.extend({
    upstream_inference_input_cost: z.number(),
    upstream_inference_output_cost: z.number(),
  }),
});
export type ResponseUsage = z.infer<typeof ResponseUsage>;

/** An item of `output`: a message, reasoning, a call of a tool, or one of a provider's own. */
export const OutputItem = z.looseObject({ type: z.string() });
export type OutputItem = z.infer<typeof OutputItem>;

/** The response object in full: every key is always there (spec.md, "Response object"). */
export const ResponseObject = z
  .object({
    id: z.string(),
    object: z.literal("response"),
    created_at: Count,
    status: ResponseStatus,
    model: z.string(),
    provider: z.string().nullable(),
    output: z.array(OutputItem),
    output_text: z.string(),
    usage: ResponseUsage.nullable(),
    completed_at: Count.nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: IncompleteReason }).nullable(),
    billing: z.object({ payer: z.string() }),
    frequency_penalty: z.number(),
    conversation: z.looseObject({ id: z.string() }).nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: Count.nullable(),
    max_tool_calls: Count.nullable(),
    moderation: z.null(),
    parallel_tool_calls: z.boolean(),
    presence_penalty: z.number(),
    previous_response_id: z.string().nullable(),
    prompt: z.record(z.string(), z.json()).nullable(),
    prompt_cache_key: z.string().nullable(),
    prompt_cache_retention: z.string().nullable(),
    reasoning: z.looseObject({
      effort: z.string().nullable(),
      generate_summary: z.string().nullable(),
      summary: z.string().nullable(),
    }),
    safety_identifier: z.string().nullable(),
    store: z.boolean(),
    temperature: z.number(),
    text: z.looseObject({ format: answered(TextFormat), verbosity: z.string() }),
    tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]),
    tools: z.array(answered(ResponseTool)),
    top_logprobs: Count,
    top_p: z.number(),
    truncation: z.enum(["auto", "disabled"]),
    user: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    background: z.boolean(),
    service_tier: z.string(),
    /** On a failed one only: the kind of error, in OpenRouter's words. */
    error_type: z.string().optional(),
  })
  .meta({ id: "Response" });
export type ResponseObject = z.infer<typeof ResponseObject>;
