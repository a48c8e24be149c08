import { type ChatChoice, type ChatFinishReason, ChatRequest } from "#contract/chat.ts";
import { type Endpoint, fieldRule } from "#server/catalog/index.ts";
import { type Copied, type Sending, sendExtras, sendFields } from "#server/inference/parameters/send.ts";
import { malformed } from "#server/inference/pipeline/failures.ts";
import type { Reader, Wire } from "#server/inference/pipeline/operation.ts";
import { reasoningOf } from "#server/inference/reasoning/form.ts";
import { reasoningNames, requiredWithCalls, sendReasoning } from "#server/inference/reasoning/send.ts";
import {
  completeMessage,
  Deltas,
  type Spoken,
  textOf,
  withoutReasoning,
} from "../shared/assistant-message.ts";
import {
  type AnyChoice,
  type ChoicesChunk,
  choicesReader,
  finishReason,
  nativeReason,
} from "../shared/choices.ts";
import { isJson, type Json, notStored, samplingParameters, streaming, tokenLimit } from "../shared/json.ts";
import { conversationFor } from "./conversation-for.ts";
import { fitSettings } from "./fit-settings.ts";
import { lostReasoning, messagesFor, withRequired } from "./messages.ts";
import { systemFirst } from "./system-messages.ts";

/** A choice of chat as it goes out again: `message` in a complete answer, `delta` in a chunk. */
export interface ChatPiece extends AnyChoice {
  readonly finish_reason: ChatFinishReason | null;
  readonly message?: ChatChoice["message"];
  readonly delta?: Spoken;
  readonly logprobs: Json | null;
}
export type ChatChunk = ChoicesChunk<ChatPiece>;

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
  "n",
  "user",
] as const;

/** Fields that mean nothing without tools, and that strict providers refuse then. */
export const ofTools: ReadonlySet<string> = new Set(["tools", "tool_choice", "parallel_tool_calls"]);
const sentFields = chatParameters.filter((name) => !reasoningNames.has(name));
const withoutTools = sentFields.filter((name) => !ofTools.has(name));

/** The fields to send. A provider that has no `tool_choice` is offered no tools if none may be called. */
function namesFor({ tools, tool_choice: choice, parallel_tool_calls: parallel }: ChatRequest, to: Copied) {
  const { changes } = to.sending;
  if (!tools?.length) {
    if (parallel != null) changes.drop("parallel_tool_calls");
    return withoutTools;
  }
  if (choice !== "none" || fieldRule(to.endpoint.rules, "chat", "tool_choice")?.support !== "unsupported")
    return sentFields;
  changes.translate("tool_choice", "tools");
  return withoutTools;
}

/** The length of an answer as the client limits it; the newer name wins. */
export const chatMaxTokens = ({ max_completion_tokens: newer, max_tokens: older }: ChatRequest) =>
  newer ?? older ?? null;

/** What every piece of a choice says beside its words. */
const common = (upstream: Json, index: number) => ({
  index,
  finish_reason: finishReason(upstream.finish_reason),
  native_finish_reason: nativeReason(upstream),
  logprobs: isJson(upstream.logprobs) ? upstream.logprobs : null,
});

const hasContent = (spoken: Spoken, text: string): boolean =>
  text !== "" || spoken.audio != null || spoken.tool_calls !== undefined || spoken.images !== undefined;

/**
 * Reads OpenAI's chat answers, complete or in chunks, that have so many choices at most. Excluded reasoning counts as
 * generated text, but is not in the choices.
 */
export function chatReader(choicesMax: number, excludeReasoning = false): Reader<ChatChunk> {
  const streamed = new Map<number, Deltas>();
  const deltasOf = (index: number): Deltas => {
    const deltas = streamed.get(index) ?? new Deltas();
    streamed.set(index, deltas);
    return deltas;
  };
  return choicesReader<ChatPiece>(choicesMax, {
    complete(upstream, index) {
      if (!isJson(upstream.message)) throw malformed("a choice has no message", 200);
      const message = completeMessage(upstream.message);
      const text = textOf(message);
      const shown = excludeReasoning ? withoutReasoning(message) : message;
      const choice = { ...common(upstream, index), message: shown };
      return { choice, text, hasContent: hasContent(message, text) };
    },
    piece(upstream, index) {
      const delta = isJson(upstream.delta) ? deltasOf(index).next(upstream.delta) : {};
      const text = textOf(delta);
      const shown = excludeReasoning ? withoutReasoning(delta) : delta;
      return {
        choice: { ...common(upstream, index), delta: shown },
        text,
        hasContent: hasContent(delta, text),
      };
    },
    empty: (index) => ({ index, finish_reason: null, native_finish_reason: null, logprobs: null, delta: {} }),
    end() {
      for (const deltas of streamed.values()) deltas.end();
    },
  });
}

/** The names of the fields that a chat request may have. */
export const chatFields: ReadonlySet<string> = new Set(Object.keys(ChatRequest.shape));

/** Messages in an order that the endpoint takes. */
function orderedMessages({ messages }: ChatRequest, { rules }: Endpoint, { changes }: Sending) {
  const moved = rules.systemMessages === "first" ? systemFirst(messages) : null;
  if (moved) changes.translate("messages.role", "system");
  return moved ?? messages;
}

/** OpenAI's chat, there and back. */
export const nativeChat: Wire<ChatRequest, ChatChunk> = {
  api: "chat",
  encode(request, endpoint, sending) {
    const to = { endpoint, api: "chat", sending };
    const asked = request.max_completion_tokens == null ? "max_tokens" : "max_completion_tokens";
    const { messageFields } = endpoint.provider;
    const lost = (name: string) => sending.changes.drop(name);
    for (const name of lostReasoning(request.messages, messageFields)) lost(name);
    const required = requiredWithCalls(endpoint);
    const conversation = conversationFor(orderedMessages(request, endpoint, sending), endpoint);
    const messages = messagesFor(conversation, messageFields, lost);
    const body: Json = {
      model: endpoint.upstreamModel,
      messages: required === undefined ? messages : withRequired(messages, required),
      ...tokenLimit(endpoint, sending, { name: asked, tokens: chatMaxTokens(request) }),
      ...(sending.stream && streaming),
      ...(endpoint.rules.storesChats && notStored),
    };
    // First, because some sampling is possible only without reasoning.
    const names = namesFor(request, to);
    sendReasoning(request, (request.tools?.length ?? 0) > 0 && names.includes("tools"), body, to);
    sendFields(request, names, body, to);
    sendExtras(request, chatFields, body, to);
    fitSettings(request, body, to);
    return body;
  },
  reader: (request) => chatReader(request.n ?? 1, reasoningOf(request).exclude),
};
