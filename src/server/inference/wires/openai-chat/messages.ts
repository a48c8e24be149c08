import type { ChatContentPart, ChatMessage, ChatToolCall } from "#contract/chat.ts";
import { type Json, textOrNull } from "../shared/json.ts";

/** Everything but the content may be left out where there is none. */
const isLeftOut = (name: string, value: unknown): boolean => value === null && name !== "content";

/** Clients send answers back with members that are null; of them nothing is sent on. */
function withoutNulls(message: ChatMessage): ChatMessage {
  for (const name in message)
    if (isLeftOut(name, message[name])) {
      const stored = Object.entries(message).filter(([each, value]) => !isLeftOut(each, value));
      return { ...Object.fromEntries(stored), role: message.role };
    }
  return message;
}

/** The names under which providers take the reasoning of an earlier answer: vLLM and Ollama, DeepSeek and llama.cpp. */
const reasoningNames = ["reasoning", "reasoning_content"] as const;

/** The reasoning of a message under every name of those that the provider takes. */
function reasoningFor(message: ChatMessage, accepted: ReadonlySet<string> | null): Json {
  const text = textOrNull(message.reasoning) ?? textOrNull(message.reasoning_content);
  if (text === null) return {};
  const taken = reasoningNames.filter((name) => accepted?.has(name) ?? true);
  return Object.fromEntries(taken.map((name) => [name, text]));
}

/** A part with its type and what is of that type, without marks for other providers. */
const strictPart = (part: ChatContentPart): ChatContentPart => {
  const { type, text } = part;
  return {
    type,
    ...(text !== undefined && { text }),
    ...(part[type] !== undefined && { [type]: part[type] }),
  };
};

function strictCall(call: ChatToolCall): ChatToolCall {
  const { id, type } = call;
  if (!call.function) return { id, type, [type]: call[type] };
  const { name, arguments: given } = call.function;
  return { id, type, function: { name, arguments: given } };
}

/** A message of nothing but what a strict provider takes. A refusal that it does not support is sent as content. */
function strictMessage(message: ChatMessage, accepted: ReadonlySet<string>): ChatMessage {
  const stored: Json = {};
  for (const [name, value] of Object.entries(message))
    if (accepted.has(name) && !isLeftOut(name, value)) stored[name] = value;
  const { role, content, tool_calls: calls } = message;
  const refusal = accepted.has("refusal") ? null : textOrNull(message.refusal);
  return {
    ...stored,
    role,
    ...reasoningFor(message, accepted),
    ...(Array.isArray(content) && { content: content.map(strictPart) }),
    ...(content == null && !calls && { content: refusal ?? "" }),
    ...(calls && { tool_calls: calls.map(strictCall) }),
  };
}

/** A message as it came, for a provider that ignores what it does not know. */
function lenientMessage(message: ChatMessage): ChatMessage {
  const sent = withoutNulls(message);
  const hasReasoning = sent.reasoning != null || sent.reasoning_content != null;
  return hasReasoning ? { ...sent, ...reasoningFor(sent, null) } : sent;
}

/** Messages as a provider takes them; `accepted` are the members it knows, null when it ignores what it does not. */
export const messagesFor = (
  messages: readonly ChatMessage[],
  accepted: ReadonlySet<string> | null,
): readonly ChatMessage[] =>
  accepted === null
    ? messages.map(lenientMessage)
    : messages.map((message) => strictMessage(message, accepted));

/** Messages whose calls of tools all have this member: empty where the client has not sent the reasoning back. */
export const withRequired = (messages: readonly ChatMessage[], name: string): readonly ChatMessage[] =>
  messages.map((message) =>
    message.tool_calls?.length && message[name] === undefined ? { ...message, [name]: "" } : message,
  );

const hasDetails = ({ reasoning_details: details }: ChatMessage): boolean => (details?.length ?? 0) > 0;
const hasText = ({ reasoning, reasoning_content: content }: ChatMessage): boolean =>
  Boolean(textOrNull(reasoning) || textOrNull(content));

/** The reasoning in messages that a provider with these members does not get, as it is named in reports. */
export function lostReasoning(
  messages: readonly ChatMessage[],
  accepted: ReadonlySet<string> | null,
): readonly string[] {
  if (accepted === null) return [];
  const lost: string[] = [];
  const takesText = reasoningNames.some((name) => accepted.has(name));
  if (!takesText && messages.some(hasText)) lost.push("messages.reasoning");
  if (!accepted.has("reasoning_details") && messages.some(hasDetails))
    lost.push("messages.reasoning_details");
  return lost;
}
