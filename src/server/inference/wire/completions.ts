import { CompletionChoice, type CompletionRequest, FinishReason } from "#contract/completions.ts";
import type { Wire } from "../operation.ts";
import { type ChoicesPart, choicesReader, finishReason, indexOf, nativeReason } from "./choices.ts";
import { copyFields, isJson, samplingParameters, streaming, textOrNull } from "./json.ts";

export type CompletionPart = ChoicesPart<CompletionChoice>;
type CompletionWire = Wire<CompletionRequest, CompletionPart>;

const nativeOnly = ["logprobs", "echo", "suffix", "best_of"] as const;
const forwarded = [...samplingParameters, "n", "user"] as const;
const chatOnly = ["reasoning"] as const;

const Logprobs = CompletionChoice.shape.logprobs.unwrap().extend({
  top_logprobs: CompletionChoice.shape.logprobs.unwrap().shape.top_logprobs.catch(null),
  text_offset: CompletionChoice.shape.logprobs.unwrap().shape.text_offset.catch([]),
});

/** A text completion never ends in a tool call. */
const textFinish = (native: unknown): FinishReason | null => {
  const reason = finishReason(native);
  return reason === null ? null : (FinishReason.safeParse(reason).data ?? "stop");
};

/** Upstreams with the legacy completions operation: text in, text out. */
export const nativeCompletions: CompletionWire = {
  api: "completions",
  encode: (request, endpoint, maxTokens, stream) =>
    copyFields(request, endpoint.supportedParameters, [...forwarded, ...nativeOnly], {
      model: endpoint.upstreamModel,
      prompt: request.prompt,
      max_tokens: maxTokens,
      ...(stream && streaming),
    }),
  reader: () =>
    choicesReader((upstream, position) => {
      const text = textOrNull(upstream.text) ?? "";
      const choice: CompletionChoice = {
        text,
        index: indexOf(upstream, position),
        finish_reason: textFinish(upstream.finish_reason),
        native_finish_reason: nativeReason(upstream),
        reasoning: null,
        logprobs: upstream.logprobs == null ? null : (Logprobs.safeParse(upstream.logprobs).data ?? null),
      };
      return { choice, text, hasContent: text !== "" };
    }),
};

const textOf = (prompt: unknown): string => {
  if (typeof prompt !== "string") throw new TypeError("Token prompts cannot be sent as chat");
  return prompt;
};

/** Upstreams that only chat: a prompt becomes one user message, several prompts as many requests. */
export const completionsAsChat: CompletionWire = {
  api: "chat",
  split: (request) =>
    typeof request.prompt === "string"
      ? [request]
      : request.prompt.map((prompt) => ({ ...request, prompt: textOf(prompt) })),
  encode: (request, endpoint, maxTokens, stream) =>
    copyFields(request, endpoint.supportedParameters, [...forwarded, ...chatOnly], {
      model: endpoint.upstreamModel,
      messages: [{ role: "user", content: textOf(request.prompt) }],
      max_tokens: maxTokens,
      ...(stream && streaming),
    }),
  reader: () =>
    choicesReader((upstream, position) => {
      const given = upstream.message ?? upstream.delta;
      const message = isJson(given) ? given : {};
      const text = textOrNull(message.content) ?? "";
      const reasoning = textOrNull(message.reasoning_content) ?? textOrNull(message.reasoning);
      const choice: CompletionChoice = {
        text,
        index: indexOf(upstream, position),
        finish_reason: textFinish(upstream.finish_reason),
        native_finish_reason: nativeReason(upstream),
        reasoning,
        logprobs: null,
      };
      return { choice, text: reasoning ? text + reasoning : text, hasContent: text !== "" || !!reasoning };
    }),
};
