import type { ChatRequest } from "#contract/chat.ts";
import type { Reader, Wire } from "../operation.ts";
import {
  type AnyChoice,
  type ChoicesPart,
  choicesReader,
  finishReason,
  indexOf,
  nativeReason,
} from "./choices.ts";
import { copyFields, isJson, type Json, samplingParameters, streaming, textOrNull } from "./json.ts";

/** A choice of chat as it goes out again: `message` in a whole answer, `delta` in a chunk. */
export interface ChatPiece extends AnyChoice {
  readonly message?: Json;
  readonly delta?: Json;
  readonly logprobs: unknown;
}
export type ChatPart = ChoicesPart<ChatPiece>;

/** Request fields that reach an upstream unless it is known not to take them. */
export const chatParameters = [
  ...samplingParameters,
  "logprobs",
  "top_logprobs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "reasoning",
  "reasoning_effort",
  "verbosity",
  "modalities",
  "audio",
  "prediction",
  "service_tier",
  "prompt_cache_key",
  "safety_identifier",
] as const;

/** The length of an answer as the client limits it; the newer name wins. */
export const chatMaxTokens = ({ max_completion_tokens: newer, max_tokens: older }: ChatRequest) =>
  newer ?? older ?? null;

const reasoningOf = (message: Json): string | null =>
  textOrNull(message.reasoning_content) ?? textOrNull(message.reasoning);

/** What a message or delta lets a client see, as text: words, thoughts, arguments of tool calls. */
function textOf(message: Json): string {
  let text =
    (textOrNull(message.content) ?? "") + (reasoningOf(message) ?? "") + (textOrNull(message.refusal) ?? "");
  if (!Array.isArray(message.tool_calls)) return text;
  for (const call of message.tool_calls)
    if (isJson(call) && isJson(call.function))
      text += (textOrNull(call.function.name) ?? "") + (textOrNull(call.function.arguments) ?? "");
  return text;
}

/** A whole message has every key a client may read; reasoning stands under one name. */
function wholeMessage({ reasoning_content: _, ...given }: Json, reasoning: string | null): Json {
  return {
    ...given,
    role: textOrNull(given.role) ?? "assistant",
    content: textOrNull(given.content),
    refusal: textOrNull(given.refusal),
    reasoning,
  };
}

/** Deltas pass as they came; only reasoning is given its one name. */
function passedDelta(delta: Json): Json {
  if (delta.reasoning_content === undefined) return delta;
  const { reasoning_content: reasoning, ...rest } = delta;
  return { ...rest, reasoning };
}

/** Reads OpenAI's chat answers, whole or in chunks. */
export const chatReader = (): Reader<ChatPart> =>
  choicesReader((upstream, position) => {
    const whole = isJson(upstream.message) ? upstream.message : null;
    const given = whole ?? (isJson(upstream.delta) ? upstream.delta : {});
    const text = textOf(given);
    const common = {
      index: indexOf(upstream, position),
      finish_reason: finishReason(upstream.finish_reason),
      native_finish_reason: nativeReason(upstream),
      logprobs: upstream.logprobs ?? null,
    };
    const choice: ChatPiece = whole
      ? { ...common, message: wholeMessage(whole, reasoningOf(whole)) }
      : { ...common, delta: passedDelta(given) };
    return {
      choice,
      text,
      hasContent: text !== "" || given.audio != null || Array.isArray(given.tool_calls),
    };
  });

/** OpenAI's chat, there and back. */
export const nativeChat: Wire<ChatRequest, ChatPart> = {
  api: "chat",
  encode: (request, endpoint, maxTokens, stream) =>
    copyFields(request, endpoint.supportedParameters, [...chatParameters, "n", "user"], {
      model: endpoint.upstreamModel,
      messages: request.messages,
      max_tokens: maxTokens,
      ...(stream && streaming),
    }),
  reader: chatReader,
};
