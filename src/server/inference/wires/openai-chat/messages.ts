import type { ChatContentPart, ChatMessage, ChatToolCall } from "#contract/chat.ts";
import { type Lost, reportLost } from "#server/inference/parameters/lost.ts";
import { unsupportedField } from "#server/inference/pipeline/failures.ts";
import { tableOf } from "#server/platform/table.ts";
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

/** The types of parts that strict providers take, with the members that they have. */
const partMembers = tableOf<ReadonlySet<string>>({
  text: new Set(["type", "text"]),
  refusal: new Set(["type", "refusal"]),
  image_url: new Set(["type", "image_url"]),
  input_audio: new Set(["type", "input_audio"]),
  file: new Set(["type", "file"]),
});

/** A part with its type and what is of that type, without marks for other providers. */
function strictPart(part: ChatContentPart, lost: Lost): ChatContentPart {
  const { type, text } = part;
  const members = partMembers[type];
  if (!members) throw unsupportedField("messages.content");
  reportLost(part, members, "messages.content", lost);
  return {
    type,
    ...(text !== undefined && { text }),
    ...(part[type] !== undefined && { [type]: part[type] }),
  };
}

const callMembers = new Set(["id", "type", "function", "custom"]);
const functionMembers = new Set(["name", "arguments"]);

function strictCall(call: ChatToolCall, lost: Lost): ChatToolCall {
  const { id, type } = call;
  reportLost(call, callMembers, "messages.tool_calls", lost);
  if (!call.function) return { id, type, [type]: call[type] };
  reportLost(call.function, functionMembers, "messages.tool_calls.function", lost);
  const { name, arguments: given } = call.function;
  return { id, type, function: { name, arguments: given } };
}

/** Members of a message that are sent under other names, or are reported with all messages. */
const reportedElsewhere: ReadonlySet<string> = new Set([...reasoningNames, "reasoning_details", "refusal"]);

/** A message of nothing but what a strict provider takes. A refusal that it does not support is sent as content. */
function strictMessage(message: ChatMessage, accepted: ReadonlySet<string>, lost: Lost): ChatMessage {
  const stored: Json = {};
  const rest: Json = {};
  for (const [name, value] of Object.entries(message))
    if (!accepted.has(name)) rest[name] = value;
    else if (!isLeftOut(name, value)) stored[name] = value;
  reportLost(rest, reportedElsewhere, "messages", lost);
  const { role, content, tool_calls: calls } = message;
  const refusal = accepted.has("refusal") ? null : textOrNull(message.refusal);
  if (refusal && (content != null || calls)) lost("messages.refusal");
  return {
    ...stored,
    role,
    ...reasoningFor(message, accepted),
    ...(Array.isArray(content) && { content: content.map((part) => strictPart(part, lost)) }),
    ...(content == null && !calls && { content: refusal ?? "" }),
    ...(calls && { tool_calls: calls.map((call) => strictCall(call, lost)) }),
  };
}

/** A message as it came, for a provider that ignores what it does not know. */
function lenientMessage(message: ChatMessage): ChatMessage {
  const sent = withoutNulls(message);
  const hasReasoning = sent.reasoning != null || sent.reasoning_content != null;
  return hasReasoning ? { ...sent, ...reasoningFor(sent, null) } : sent;
}

/**
 * Messages as a provider takes them; `accepted` are the members it knows, null when it ignores what it does not. Throws
 * `AttemptError` for a part of a type that it does not know.
 */
export const messagesFor = (
  messages: readonly ChatMessage[],
  accepted: ReadonlySet<string> | null,
  lost: Lost,
): readonly ChatMessage[] =>
  accepted === null
    ? messages.map(lenientMessage)
    : messages.map((message) => strictMessage(message, accepted, lost));

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
