import type { CountTokensRequest, MessagesRequest } from "#contract/messages.ts";
import { tokensOfBytes } from "#server/billing/index.ts";
import type { PreparedMessages } from "#server/inference/wires/anthropic-messages/prepared-messages.ts";
import { chatRequestOf, nativeOnly } from "#server/inference/wires/openai-chat/messages-to-chat.ts";
import { jsonBytes } from "#server/platform/long-json.ts";
import { type ChatSize, chatSize } from "../shared/chat-size.ts";

/** The longest name of a user that is recorded. */
const userCharsMax = 256;

/** A request with its user, whom Anthropic's clients name in `metadata`, and its translation for chat. */
export function prepareMessages(
  request: MessagesRequest,
  protocolHeaders: PreparedMessages["protocolHeaders"] = {},
): PreparedMessages {
  const user = request.user ?? request.metadata?.user_id?.slice(0, userCharsMax);
  const named = { ...request, user };
  return { ...named, chat: chatRequestOf(named), nativeOnly: nativeOnly(request), protocolHeaders };
}

/** The size of the prompt; blocks that chat does not know count with their JSON. */
export function messagesSize({ chat, nativeOnly: beyond, messages, tools }: PreparedMessages): ChatSize {
  const size = chatSize(chat);
  if (!beyond) return size;
  return { ...size, bytes: size.bytes + jsonBytes(messages) + (tools?.length ? jsonBytes(tools) : 0) };
}

/** What an image or a page usually takes, in tokens. */
const mediaTokens = 1_600;

/** Estimated tokens of a prompt: a quarter of its bytes of text, and a fixed number for each image or file. */
export const promptTokensOf = ({ bytes, media }: ChatSize): number =>
  tokensOfBytes(bytes) + media.parts * mediaTokens;

/** The answer of `POST /messages/count_tokens`: an estimate, which is the same for every model. */
export const countTokens = (request: CountTokensRequest) => ({
  input_tokens: promptTokensOf(messagesSize(prepareMessages({ ...request, max_tokens: 1 }))),
});
