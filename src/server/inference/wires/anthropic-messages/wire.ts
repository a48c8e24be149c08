import type { ChatRequest } from "#contract/chat.ts";
import { MessagesRequest } from "#contract/messages.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { Sending } from "#server/inference/parameters/send.ts";
import type { Reader, Wire } from "#server/inference/pipeline/operation.ts";
import { CollectedFacts } from "../openai-chat/collected-facts.ts";
import { withoutMarks } from "../openai-chat/message-blocks-to-chat.ts";
import { reportLostInChat } from "../openai-chat/messages-lost.ts";
import { systemFirst } from "../openai-chat/system-messages.ts";
import { type ChatChunk, chatReader, nativeChat } from "../openai-chat/wire.ts";
import { responseChatReader } from "../openai-responses/chat-answer.ts";
import { chatAsResponse } from "../openai-responses/chat-wire.ts";
import type { Json } from "../shared/json.ts";
import type { MessageEnding, MessagesChunk } from "./chunk.ts";
import type { PreparedMessages } from "./prepared-messages.ts";
import { cutToolNames } from "./tool-names.ts";
import { MessageTranscriber } from "./transcriber.ts";

/** The names of the fields that a request for a message may have, and of those that we add. */
export const messagesFields: ReadonlySet<string> = new Set([
  ...Object.keys(MessagesRequest.shape),
  "chat",
  "nativeOnly",
  "protocolHeaders",
]);

type MessagesWire = Wire<PreparedMessages, MessagesChunk>;

const stopReasons: Readonly<Record<string, string>> = {
  length: "max_tokens",
  content_filter: "refusal",
  tool_calls: "tool_use",
};

/** Some upstreams call tools and say that they simply stopped. */
const stopReasonOf = (finish: string, hasCalls: boolean): string =>
  stopReasons[finish] ?? (hasCalls ? "tool_use" : "end_turn");

function transcribed(request: PreparedMessages, chat: Reader<ChatChunk>): Reader<MessagesChunk> {
  const transcriber = new MessageTranscriber(cutToolNames(request));
  const content = () => transcriber.content();
  const facts = new CollectedFacts();
  const endingOf = (finish: string): MessageEnding => {
    const stopReason = stopReasonOf(finish, transcriber.hasCalls());
    const stopSequence = stopReason === "end_turn" ? facts.stopSequence(request.stop_sequences ?? []) : null;
    const tier = facts.serviceTier();
    return {
      stopReason: stopSequence === null ? stopReason : "stop_sequence",
      stopSequence,
      ...(facts.facts() && { extras: { ...facts.facts() } }),
      ...(tier !== null && { usage: { service_tier: tier } }),
    };
  };
  const transcribe = (chunk: ChatChunk): MessagesChunk => {
    let ending: MessageEnding | null = null;
    facts.add(chunk);
    for (const { message, delta, finish_reason: finish } of chunk.choices) {
      transcriber.write(message ?? delta ?? {});
      if (finish === null) continue;
      transcriber.end();
      ending = endingOf(finish);
    }
    const { usage, hasContent, text, finishReason, nativeFinishReason, serviceTier } = chunk;
    const part = { usage, hasContent, text, finishReason, nativeFinishReason, serviceTier };
    return { ...part, events: transcriber.take(), content, ending };
  };
  return {
    answer(value) {
      const answer = transcribe(chat.answer(value));
      return { ...answer, ending: answer.ending ?? endingOf("stop") };
    },
    event(value) {
      const part = chat.event(value);
      return part && transcribe(part);
    },
    finished: chat.finished,
    end: () => transcribe(chat.end()),
  };
}

/** Kinds whose own API has marks for prompt caching, which are translated for them. */
const marking: ReadonlySet<string> = new Set(["anthropic", "bedrock"]);

/** The body of the wire for chat, and the report of what a message has beside it. */
function encode(over: Wire<ChatRequest, ChatChunk>, request: PreparedMessages, ...to: To): Json {
  const { chat } = request;
  const [endpoint, sending] = to;
  const { changes } = sending;
  const marks = marking.has(endpoint.provider.kind);
  reportLostInChat(request, marks, (name) => changes.drop(name));
  const plain = marks ? chat : withoutMarks(chat);
  // Few templates of open models have a place for instructions within a conversation.
  const moved = endpoint.rules.systemMessages === "anywhere" ? null : systemFirst(plain.messages);
  if (moved) changes.translate("messages.role", "system");
  const messages = [...(moved ?? plain.messages)];
  const body = over.encode({ ...plain, messages }, endpoint, sending);
  if (request.service_tier != null && chat.service_tier == null) changes.drop("service_tier");
  if (body.reasoning_effort != null && request.thinking != null)
    changes.translate("thinking", "reasoning_effort");
  // What our schema does not know is Anthropic's own.
  for (const name in request) if (!messagesFields.has(name) && request[name] != null) changes.drop(name);
  return body;
}

type To = readonly [endpoint: Endpoint, sending: Sending];

/** Upstreams that only chat: the conversation goes as messages, the answer is written down as blocks. */
export const messagesAsChat: MessagesWire = {
  api: "chat",
  encode: (...given) => encode(nativeChat, ...given),
  reader: (request) => transcribed(request, chatReader(1)),
};

/** The request as chat, with the summary that stands for thinking if the client asks to see it. */
const withSummary = (request: PreparedMessages): PreparedMessages => {
  const { chat, thinking } = request;
  return thinking?.display === "summarized"
    ? { ...request, chat: { ...chat, reasoning: { ...chat.reasoning, summary: "auto" } } }
    : request;
};

/** Requests that chat would not take as they are, and models that have no chat. */
export const messagesAsResponse: MessagesWire = {
  api: "responses",
  serves: ({ chat }, endpoint) => chatAsResponse.serves?.(chat, endpoint) ?? true,
  encode: (request, ...to) => encode(chatAsResponse, withSummary(request), ...to),
  reader: (request) => transcribed(request, responseChatReader(false)),
};
