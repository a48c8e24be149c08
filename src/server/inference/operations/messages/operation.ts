import { carriersOf } from "#contract/inference-operations.ts";
import { isOwnTool } from "#contract/message-blocks.ts";
import type { Message } from "#contract/message-object.ts";
import { assertExtras } from "#server/inference/parameters/extras.ts";
import { usedParameters } from "#server/inference/parameters/used.ts";
import type { Operation } from "#server/inference/pipeline/operation.ts";
import { bytesPerTokenMax, templateTokens } from "#server/inference/pipeline/token-bounds.ts";
import type { MessagesChunk } from "#server/inference/wires/anthropic-messages/chunk.ts";
import { nativeMessages } from "#server/inference/wires/anthropic-messages/native.ts";
import type { PreparedMessages } from "#server/inference/wires/anthropic-messages/prepared-messages.ts";
import {
  messagesAsChat,
  messagesAsResponse,
  messagesFields,
} from "#server/inference/wires/anthropic-messages/wire.ts";
import { chatParameters } from "#server/inference/wires/openai-chat/wire.ts";
import { messagesContent } from "./content.ts";
import { messageHead, messageUsage } from "./message-object.ts";
import { messagesSize, promptTokensOf } from "./prepare.ts";
import { messagesPresenter } from "./presenter.ts";
import { assertNoThread } from "./threads.ts";

const either = [nativeMessages, messagesAsResponse, messagesAsChat];
const native = [nativeMessages];

const promptTokens = (request: PreparedMessages): number => promptTokensOf(messagesSize(request));

/** The client's names of fields of chat. */
const fieldNames = {
  stop: "stop_sequences",
  "messages.content.file.filename": "messages.content.title",
  response_format: "output_config.format",
  reasoning: "thinking",
  parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
};

/** `POST /messages`. */
export const messages: Operation<PreparedMessages, MessagesChunk, Message> = {
  name: "messages",
  fieldNames: ({ metadata, user, thinking, output_config: config }) => ({
    ...fieldNames,
    ...(thinking == null && config?.effort && { reasoning: "output_config.effort" }),
    ...(user === metadata?.user_id && { user: "metadata.user_id" }),
    reasoning_effort: thinking?.type === "disabled" || !config?.effort ? "thinking" : "output_config.effort",
  }),
  recorded: new Set(["temperature", "top_p", "top_k", "max_tokens", "thinking", "service_tier"]),
  estimate(request) {
    const { chat, nativeOnly: beyond } = request;
    assertNoThread(request);
    assertExtras(request, messagesFields);
    const { bytes, media } = messagesSize(request);
    return {
      apis: beyond ? ["messages"] : carriersOf("messages"),
      notInChat: beyond ?? undefined,
      promptTokensMin: Math.floor(bytes / bytesPerTokenMax),
      promptTokensMax: bytes + templateTokens * (chat.messages.length + 2),
      media,
      hostedTools: request.tools?.some(({ type }) => !isOwnTool(type)) ?? false,
      maxTokens: request.max_tokens,
      answers: 1,
      searchUnits: 0,
      parameters: usedParameters(chat, chatParameters),
    };
  },
  estimatePrompt: promptTokens,
  wires: ({ nativeOnly: beyond }) => (beyond ? native : either),
  complete(answer, generation, _request, { usage, cost }) {
    const { stopReason = "end_turn", stopSequence = null, extras, usage: reported } = answer.ending ?? {};
    return {
      ...extras,
      ...messageHead(generation),
      content: answer.content() as Message["content"],
      stop_reason: stopReason,
      stop_sequence: stopSequence,
      usage: { ...reported, ...messageUsage(usage, cost) },
    };
  },
  content: messagesContent,
  present: (generation, request) => messagesPresenter(generation, () => promptTokens(request)),
};
