import { z } from "zod";
import { AnyJson, JsonObject, LongDescription, LongText, recordOf } from "./bounded.ts";
import { RoutedRequest } from "./completions.ts";
import { ConversationId } from "./conversations.ts";
import { list } from "./list.ts";
import { ReasoningEffort } from "./reasoning.ts";
import { ResponseItem, ResponseTool } from "./response-items.ts";
import { sampling } from "./sampling.ts";
import { instructionsCharsMax } from "./sizes.ts";
import { notServed, unsupportedFields } from "./unsupported-fields.ts";

const openRouterOnly = notServed("is not served here; leave it out");

export const TextFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text").describe("Plain text.") }),
  z.looseObject({ type: z.literal("json_object").describe("Any valid JSON object.") }),
  z.looseObject({
    type: z.literal("json_schema").describe("JSON that matches `schema`."),
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")
      .describe("Name of the format: 1 to 64 letters, digits, `_` or `-`."),
    schema: JsonObject.describe("JSON schema the answer has to match."),
    description: LongDescription.nullish().describe("What the format is for, for the model to read."),
    strict: z.boolean().nullish().describe("Whether the answer must match the schema exactly."),
  }),
]);
export type TextFormat = z.infer<typeof TextFormat>;

const Summary = z.enum(["auto", "concise", "detailed"]);

export const ResponseReasoning = z.looseObject({
  effort: ReasoningEffort.nullish().describe("How much the model should reason before it answers."),
  summary: Summary.nullish().describe("Level of detail of the reasoning summary to return."),
  generate_summary: Summary.nullish().describe("Older name of `summary`."),
  enabled: z
    .boolean()
    .nullish()
    .describe("Whether the model should reason, for providers that support switching it on or off."),
  max_tokens: z.number().int().min(0).nullish().describe("Maximum number of tokens for reasoning."),
});

/** `POST /responses`. Unknown fields are sent to providers that ignore what they do not know. */
export const ResponseRequest = RoutedRequest.extend({
  input: z
    .union([LongText, list(ResponseItem).max(5_000)])
    .describe("Input to respond to: a text, which counts as a message of the user, or up to 5,000 items."),
  instructions: z
    .string()
    .max(instructionsCharsMax)
    .nullish()
    .describe(
      "Instructions that precede the conversation as a system message. They are not taken over from a previous response.",
    ),
  previous_response_id: z
    .string()
    .min(1)
    .max(128)
    .nullish()
    .describe("ID of a stored response to continue; its conversation precedes `input`."),
  stream: z.boolean().nullish().describe("Whether to return the answer as server-sent events."),
  stream_options: z
    .looseObject({
      include_obfuscation: z
        .boolean()
        .nullish()
        .describe("Accepted for compatibility without effect: events are not padded."),
    })
    .nullish()
    .describe("Options for streaming."),
  max_output_tokens: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe("Maximum number of tokens to generate, reasoning included."),
  temperature: sampling.temperature,
  top_p: sampling.top_p,
  top_k: sampling.top_k,
  presence_penalty: sampling.presence_penalty,
  frequency_penalty: sampling.frequency_penalty,
  top_logprobs: sampling.top_logprobs,
  tools: list(ResponseTool)
    .max(256)
    .nullish()
    .describe("Tools the model may call, at most 256: functions, custom tools, or the provider's own."),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.looseObject({
        type: z.string().max(64).describe("Kind of tool to call, such as `function`, or `allowed_tools`."),
      }),
    ])
    .nullish()
    .describe(
      "Whether and which tool the model must call: `none`, `auto`, `required`, or an object that names a tool.",
    ),
  parallel_tool_calls: z
    .boolean()
    .nullish()
    .describe("Whether the model may make several tool calls at once."),
  max_tool_calls: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe(
      "Maximum number of calls to the provider's own tools, for providers with a responses operation.",
    ),
  reasoning: ResponseReasoning.nullish().describe("Reasoning settings."),
  text: z
    .looseObject({
      format: TextFormat.nullish().describe("Required format of the answer; plain text by default."),
      verbosity: z
        .enum(["low", "medium", "high", "xhigh", "max"])
        .nullish()
        .describe("How detailed the answer should be; `medium` by default."),
    })
    .nullish()
    .describe("Settings for text output."),
  truncation: z
    .enum(["auto", "disabled"])
    .nullish()
    .describe(
      "With `auto`, the oldest items are dropped until the conversation fits the context window; with `disabled` (default) a conversation that is too long is an error.",
    ),
  safety_identifier: z
    .string()
    .max(64)
    .nullish()
    .describe("Stable identifier of your end user, for the provider to detect misuse."),
  prompt_cache_key: z
    .string()
    .max(256)
    .nullish()
    .describe(
      "Key that groups requests with the same beginning, for the provider's cache. Without `session_id` it also keeps them on the same endpoint.",
    ),
  prompt_cache_retention: z
    .string()
    .max(32)
    .nullish()
    .describe(
      "How long the provider should keep the cached prompt, for providers with a responses operation.",
    ),
  prompt_cache_options: recordOf(AnyJson, { max: 100 })
    .nullish()
    .describe("Further cache settings, for providers with a responses operation."),
  store: z
    .boolean()
    .nullish()
    .describe(
      "Whether to store the response so that it can be read and continued later. By default as the installation is configured, and true with `background`.",
    ),
  background: z
    .boolean()
    .nullish()
    .describe(
      "Whether to answer in the background; the response is returned at once and read later. Needs `store`.",
    ),
  include: list(z.string().max(128))
    .max(32)
    .nullish()
    .describe("Additional data to include in the answer, such as `reasoning.encrypted_content`."),
  service_tier: z.string().max(32).nullish().describe("Service tier to request from the provider."),
  conversation: z
    .union([ConversationId, z.looseObject({ id: ConversationId.describe("ID of the conversation.") })])
    .nullish()
    .describe(
      "Conversation to continue, by its ID or as an object with `id`: its items precede `input`, and input and answer are appended to it, whether or not the response is stored. Not together with `previous_response_id`.",
    ),
  prompt: notServed("is not served here: no prompts are kept; send `input` and `instructions`"),
  ...unsupportedFields,
  modalities: openRouterOnly,
  image_config: openRouterOnly,
  cache_control: openRouterOnly,
  debug: openRouterOnly,
  stop_server_tools_when: openRouterOnly,
})
  .loose()
  .refine(
    ({ input, instructions, conversation, previous_response_id: previous }) =>
      typeof input === "string" || input.length > 0 || instructions || previous || conversation,
    {
      path: ["input"],
      error:
        "must hold an item where neither instructions, conversation nor previous_response_id give anything to answer",
    },
  )
  .refine(({ conversation, previous_response_id: previous }) => conversation == null || previous == null, {
    path: ["conversation"],
    error: "cannot be combined with previous_response_id",
  })
  .meta({ id: "ResponseRequest" });
export type ResponseRequest = z.infer<typeof ResponseRequest>;
