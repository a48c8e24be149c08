import { z } from "zod";
import { answered } from "./answered.ts";
import { AnyJson, JsonObject, LongDescription, LongText, recordOf } from "./bounded.ts";
import { RoutedRequest } from "./completions.ts";
import { list } from "./list.ts";
import { ReasoningEffort } from "./reasoning.ts";
import { sampling } from "./sampling.ts";
import { CompletionUsage } from "./usage.ts";

/** A part of a message; parts of kinds we do not know are passed on as they are. */
export const ChatContentPart = z.looseObject({
  type: z.string().max(64),
  text: LongText.optional(),
});
export type ChatContentPart = z.infer<typeof ChatContentPart>;

export const ChatToolCall = z.looseObject({
  id: z.string().max(512),
  type: z.string().max(64),
  function: z.looseObject({ name: z.string().max(256), arguments: LongText }).optional(),
});
export type ChatToolCall = z.infer<typeof ChatToolCall>;

/** Whose messages are nothing but their content; an answer may be calls, a tool may have found nothing. */
const speakers: readonly string[] = ["system", "developer", "user"];

export const ChatMessage = z
  .looseObject({
    role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
    content: z.union([LongText, list(ChatContentPart).max(2_048)]).nullish(),
    name: z.string().max(256).nullish(),
    tool_calls: list(ChatToolCall).max(256).nullish(),
    tool_call_id: z.string().max(512).nullish(),
  })
  .refine(({ role, content }) => content != null || !speakers.includes(role), {
    path: ["content"],
    error: `is required: string or array, where the role is ${speakers.join(", ")}`,
  });
export type ChatMessage = z.infer<typeof ChatMessage>;

export const ChatTool = z
  .looseObject({
    type: z.string().max(64),
    function: z
      .looseObject({
        name: z.string().min(1).max(256),
        description: LongDescription.nullish(),
        parameters: JsonObject.nullish(),
        strict: z.boolean().nullish(),
      })
      .optional(),
  })
  .refine((tool) => tool.type !== "function" || tool.function !== undefined, {
    path: ["function"],
    error: "is required: object, where the type is function",
  });
export type ChatTool = z.infer<typeof ChatTool>;

export const ChatRequest = RoutedRequest.extend({
  messages: list(ChatMessage).min(1).max(5_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  /** The older name of `max_completion_tokens`, which wins. */
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  ...sampling,
  logprobs: z.boolean().nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  tools: list(ChatTool).max(256).nullish(),
  tool_choice: z.union([z.string().max(64), z.looseObject({ type: z.string().max(64) })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z.looseObject({ type: z.string().max(64) }).nullish(),
  reasoning: z.looseObject({ effort: ReasoningEffort.nullish() }).nullish(),
  reasoning_effort: ReasoningEffort.nullish(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  modalities: list(z.string().max(32)).max(8).nullish(),
  audio: recordOf(AnyJson, { max: 100 }).nullish(),
  prediction: recordOf(AnyJson, { max: 100 }).nullish(),
  service_tier: z.string().max(32).nullish(),
  prompt_cache_key: z.string().max(256).nullish(),
  safety_identifier: z.string().max(64).nullish(),
}).meta({ id: "ChatRequest" });
export type ChatRequest = z.infer<typeof ChatRequest>;

export const ChatFinishReason = z.enum(["stop", "length", "tool_calls", "content_filter", "error"]);
export type ChatFinishReason = z.infer<typeof ChatFinishReason>;

/**
 * One answer. `message` is as the model gave it: content, reasoning, tool calls, refusal, audio. What it has nothing
 * of is left out, for clients send the message back, and strict providers refuse a member that is null.
 */
export const ChatChoice = z.object({
  index: z.number().int(),
  message: z.looseObject({
    role: z.string(),
    content: z.string().nullable(),
    refusal: z.string().optional(),
    reasoning: z.string().optional(),
    tool_calls: z.array(answered(ChatToolCall)).optional(),
  }),
  finish_reason: ChatFinishReason.nullable(),
  native_finish_reason: z.string().nullable(),
  /** As the provider gave them: a million numbers are not looked at one by one. */
  logprobs: z.record(z.string(), z.unknown()).nullable(),
});
export type ChatChoice = z.infer<typeof ChatChoice>;

export const ChatCompletion = z
  .object({
    id: z.string(),
    object: z.literal("chat.completion"),
    created: z.number().int(),
    model: z.string(),
    provider: z.string(),
    system_fingerprint: z.string().nullable(),
    choices: z.array(ChatChoice),
    usage: CompletionUsage,
  })
  .meta({ id: "ChatCompletion" });
export type ChatCompletion = z.infer<typeof ChatCompletion>;
