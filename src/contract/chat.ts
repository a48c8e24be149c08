import { z } from "zod";
import { answered } from "./answered.ts";
import { AnyJson, JsonObject, LongDescription, LongText, recordOf } from "./bounded.ts";
import { RoutedRequest } from "./completions.ts";
import { list } from "./list.ts";
import { ReasoningDetail, reasoningSettings } from "./reasoning.ts";
import { sampling } from "./sampling.ts";
import { chatTransforms, unsupportedFields } from "./unsupported-fields.ts";
import { CompletionUsage } from "./usage.ts";

/** A part of a message; parts of kinds we do not know are passed on as they are. */
export const ChatContentPart = z.looseObject({
  type: z
    .string()
    .max(64)
    .describe("Kind of part, such as `text` or `image_url`; its data is in further fields."),
  text: LongText.optional().describe("Text of a part of type `text`."),
});
export type ChatContentPart = z.infer<typeof ChatContentPart>;

export const ChatToolCall = z.looseObject({
  id: z
    .string()
    .max(512)
    .describe("ID of the tool call, repeated as `tool_call_id` in the message with its result."),
  type: z.string().max(64).describe("Kind of tool called, such as `function`."),
  function: z
    .looseObject({
      name: z.string().max(256).describe("Name of the function."),
      arguments: LongText.describe(
        "Arguments of the call as JSON text, as the model wrote them; they may be invalid.",
      ),
    })
    .optional()
    .describe("Function to call and its arguments; present when `type` is `function`."),
});
export type ChatToolCall = z.infer<typeof ChatToolCall>;

/** A call as it was before tools: without an id. */
const FunctionCall = z.looseObject({
  name: z.string().max(256).describe("Name of the function."),
  arguments: LongText.describe("Arguments of the call as JSON text."),
});

/** Whose messages are nothing but their content; an answer may be calls, a tool may have found nothing. */
const speakers: readonly string[] = ["system", "developer", "user"];

export const ChatMessage = z
  .looseObject({
    role: z
      .enum(["system", "developer", "user", "assistant", "tool", "function"])
      .describe(
        "Author of the message. `tool` marks the result of a tool call, `function` is its older form and needs `name`.",
      ),
    content: z
      .union([LongText, list(ChatContentPart).max(2_048)])
      .nullish()
      .describe(
        "Content of the message, as text or as a list of parts. Required for `system`, `developer` and `user`.",
      ),
    name: z
      .string()
      .max(256)
      .nullish()
      .describe("Name of the author, to tell apart authors with the same role."),
    tool_calls: list(ChatToolCall).max(256).nullish().describe("Tool calls made in an `assistant` message."),
    function_call: FunctionCall.nullish().describe(
      "Older form of `tool_calls`: the call made in an `assistant` message. Sent to providers as a tool call.",
    ),
    tool_call_id: z.string().max(512).nullish().describe("ID of the tool call a `tool` message answers."),
    reasoning_details: list(ReasoningDetail)
      .max(4_096)
      .nullish()
      .describe(
        "Reasoning of an `assistant` message as it was answered. It reaches only providers that can read its `format`.",
      ),
  })
  .refine(({ role, content }) => content != null || !speakers.includes(role), {
    path: ["content"],
    error: `is required: string or array, where the role is ${speakers.join(", ")}`,
  });
export type ChatMessage = z.infer<typeof ChatMessage>;

const declaredFunction = z.looseObject({
  name: z.string().min(1).max(256).describe("Name of the function, 1 to 256 characters."),
  description: LongDescription.nullish().describe(
    "What the function does, for the model to decide when to call it.",
  ),
  parameters: JsonObject.nullish().describe("JSON schema of the function's arguments."),
});

export const ChatTool = z
  .looseObject({
    type: z.string().max(64).describe("Kind of tool: `function`, or one of the provider's own."),
    function: declaredFunction
      .extend({
        strict: z.boolean().nullish().describe("Whether the arguments must match the schema exactly."),
      })
      .optional()
      .describe("Definition of the function; required when `type` is `function`."),
  })
  .refine((tool) => tool.type !== "function" || tool.function !== undefined, {
    path: ["function"],
    error: "is required: object, where the type is function",
  });
export type ChatTool = z.infer<typeof ChatTool>;

export const ChatRequest = RoutedRequest.extend({
  messages: list(ChatMessage)
    .min(1)
    .max(5_000)
    .describe("Messages of the conversation, oldest first; 1 to 5,000."),
  stream: z.boolean().nullish().describe("Whether to return the answer as server-sent events."),
  stream_options: z
    .looseObject({
      include_usage: z
        .boolean()
        .nullish()
        .describe(
          "Accepted for compatibility without effect: a stream always ends with a chunk that carries `usage`.",
        ),
    })
    .nullish()
    .describe("Options for streaming."),
  max_tokens: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe("Older name of `max_completion_tokens`, which takes precedence."),
  max_completion_tokens: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe("Maximum number of tokens to generate for each choice, reasoning included."),
  ...sampling,
  logprobs: z.boolean().nullish().describe("Whether to return log probabilities of the output tokens."),
  n: z.number().int().min(1).max(128).nullish().describe("Number of choices to generate, 1 to 128."),
  tools: list(ChatTool).max(256).nullish().describe("Tools the model may call, at most 256."),
  tool_choice: z
    .union([
      z.string().max(64),
      z.looseObject({ type: z.string().max(64).describe("Kind of tool to call, such as `function`.") }),
    ])
    .nullish()
    .describe(
      "Whether and which tool the model must call: `none`, `auto`, `required`, or an object that names a tool.",
    ),
  parallel_tool_calls: z
    .boolean()
    .nullish()
    .describe("Whether the model may make several tool calls at once."),
  functions: list(declaredFunction)
    .max(256)
    .nullish()
    .describe(
      "Older form of `tools`, at most 256; not together with `tools`. Sent to providers as tools, and a call is returned as `function_call`.",
    ),
  function_call: z
    .union([
      z.enum(["none", "auto"]),
      z.looseObject({ name: z.string().max(256).describe("Name of the function.") }),
    ])
    .nullish()
    .describe(
      "Older form of `tool_choice`, for `functions`: `none`, `auto`, or an object that names a function.",
    ),
  response_format: z
    .looseObject({
      type: z
        .string()
        .max(64)
        .describe("Format: `text`, `json_object`, or `json_schema` with the schema in `json_schema`."),
    })
    .nullish()
    .describe("Required format of the answer."),
  ...reasoningSettings,
  verbosity: z.enum(["low", "medium", "high"]).nullish().describe("How detailed the answer should be."),
  modalities: list(z.string().max(32))
    .max(8)
    .nullish()
    .describe("Kinds of output to generate, such as `text` and `audio`."),
  audio: recordOf(AnyJson, { max: 100 })
    .nullish()
    .describe("Settings for audio output, such as voice and format."),
  prediction: recordOf(AnyJson, { max: 100 })
    .nullish()
    .describe("Expected content of the answer, which lets some providers answer faster."),
  service_tier: z.string().max(32).nullish().describe("Service tier to request from the provider."),
  prompt_cache_key: z
    .string()
    .max(256)
    .nullish()
    .describe(
      "Key that groups requests with the same beginning, for the provider's cache. Without `session_id` it also keeps them on the same endpoint.",
    ),
  safety_identifier: z
    .string()
    .max(64)
    .nullish()
    .describe("Stable identifier of your end user, for the provider to detect misuse."),
  store: z
    .boolean()
    .nullish()
    .describe(
      "Whether to store the completion with its messages, so that it can be read, listed and deleted later. Portolan stores it encrypted; providers are never asked to. False by default.",
    ),
  ...unsupportedFields,
  transforms: chatTransforms,
})
  .loose()
  .meta({ id: "ChatRequest" });
export type ChatRequest = z.infer<typeof ChatRequest>;

export const ChatFinishReason = z.enum([
  "stop",
  "length",
  "tool_calls",
  "function_call",
  "content_filter",
  "error",
]);
export type ChatFinishReason = z.infer<typeof ChatFinishReason>;

/**
 * One answer. `message` is as the model gave it: content, reasoning, tool calls, refusal, audio. What it has nothing
 * of is left out, for clients send the message back, and strict providers refuse a member that is null. What else a
 * provider says of a choice passes, such as `content_filter_results`.
 */
export const ChatChoice = z.looseObject({
  index: z.number().int().describe("Position of the choice, from 0."),
  message: z
    .looseObject({
      role: z.string().describe("Author of the message, usually `assistant`."),
      content: z
        .string()
        .nullable()
        .describe("Text of the answer; null when there is none, for example with tool calls only."),
      refusal: z.string().optional().describe("The model's explanation for refusing to answer."),
      reasoning: z.string().optional().describe("Reasoning of the model as text."),
      reasoning_content: z
        .string()
        .optional()
        .describe("The same as `reasoning`, for clients that read this name."),
      reasoning_details: z
        .array(answered(ReasoningDetail))
        .optional()
        .describe(
          "Reasoning in pieces with the provider's signatures. Send them back unchanged with the message: some models need them to continue after a tool call.",
        ),
      tool_calls: z.array(answered(ChatToolCall)).optional().describe("Tool calls the model makes."),
      function_call: answered(FunctionCall)
        .optional()
        .describe(
          "The call the model makes, where the request has `functions`. If a provider makes several, the further ones are in `tool_calls`.",
        ),
    })
    .describe("Message the model generated. Fields it has nothing for are left out."),
  finish_reason: ChatFinishReason.nullable().describe(
    "Why generation ended; null when the provider gave no reason.",
  ),
  native_finish_reason: z
    .string()
    .nullable()
    .describe("The provider's own value for why generation ended; null when it gave none."),
  /** As the provider gave them: a million numbers are not looked at one by one. */
  logprobs: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("Log probabilities as the provider returned them; null unless requested and returned."),
});
export type ChatChoice = z.infer<typeof ChatChoice>;

/** A complete answer. Members that only the provider knows pass, such as `citations` or `search_results`. */
export const ChatCompletion = z
  .looseObject({
    id: z.string().describe("ID of the chat completion: `gen-` and the ID of the generation."),
    object: z.literal("chat.completion").describe("Always `chat.completion`."),
    created: z.number().int().describe("Time the request was received, in Unix seconds."),
    model: z.string().describe("ID of the model that served the request."),
    provider: z.string().describe("Name of the provider that served the request."),
    system_fingerprint: z
      .string()
      .nullable()
      .describe("The provider's identifier of the backend configuration; null when it gave none."),
    service_tier: z
      .string()
      .optional()
      .describe("Service tier that the provider used; left out when it names none."),
    choices: z.array(ChatChoice).describe("Answers of the model, as many as `n` asked for."),
    usage: CompletionUsage,
  })
  .meta({ id: "ChatCompletion" });
export type ChatCompletion = z.infer<typeof ChatCompletion>;
