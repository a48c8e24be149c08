import type { ChatMessage, ChatRequest } from "#contract/chat.ts";
import type { MessagePart, TraceContent, TraceMessage } from "#contract/trace-content.ts";
import type { ChatChunk } from "#server/inference/wires/openai-chat/wire.ts";
import { dataUrlOf } from "#server/inference/wires/shared/data-url.ts";
import { isJson, type Json, textOrNull } from "#server/inference/wires/shared/json.ts";

/** Base64 of so many characters holds three bytes in each four. */
function bytesOf(base64: string): number {
  let length = base64.length;
  while (length > 0 && base64[length - 1] === "=") length--;
  return Math.floor((length * 3) / 4);
}

/** Images, sounds and files are mentioned, without their data and addresses. */
function mediaOf(part: Json): MessagePart {
  const type = textOrNull(part.type) ?? "media";
  const inner = isJson(part[type]) ? part[type] : {};
  const given = textOrNull(inner.url) ?? textOrNull(inner.file_data) ?? textOrNull(inner.data) ?? "";
  const inline = dataUrlOf(given);
  const format = textOrNull(inner.format);
  const bytes = inline ? bytesOf(inline.data) : textOrNull(inner.data) ? bytesOf(given) : null;
  return { type: "media", media_type: inline?.type || (format ? `audio/${format}` : type), bytes };
}

const contentParts = (content: ChatMessage["content"]): MessagePart[] =>
  typeof content === "string"
    ? [{ type: "text", content }]
    : (content ?? []).map((part) =>
        part.text === undefined ? mediaOf(part as Json) : { type: "text", content: part.text },
      );

function messageOf({ role, content, tool_calls, tool_call_id }: ChatMessage): TraceMessage {
  if (role === "tool") {
    return {
      role,
      parts: [{ type: "tool_call_response", id: tool_call_id ?? null, response: content ?? null }],
    };
  }
  const calls = (tool_calls ?? []).map((call) => ({
    type: "tool_call" as const,
    id: call.id,
    name: call.function?.name ?? call.type,
    arguments: call.function?.arguments ?? "",
  }));
  return { role, parts: [...contentParts(content), ...calls] };
}

/** An answer assembled from its chunks. */
class Answer {
  #text = "";
  #reasoning = "";
  #finish: string | null = null;
  readonly #calls: { id: string | null; name: string; arguments: string }[] = [];

  add(said: Json, finish: string | null): void {
    this.#text += (textOrNull(said.content) ?? "") + (textOrNull(said.refusal) ?? "");
    this.#reasoning += textOrNull(said.reasoning) ?? "";
    this.#finish = finish ?? this.#finish;
    if (!Array.isArray(said.tool_calls)) return;
    for (const [at, call] of said.tool_calls.filter(isJson).entries()) this.#call(call, at);
  }

  #call(call: Json, position: number): void {
    const at = typeof call.index === "number" && call.index >= 0 && call.index < 256 ? call.index : position;
    const known = this.#calls[at] ?? { id: null, name: "", arguments: "" };
    const given = isJson(call.function) ? call.function : {};
    this.#calls[at] = {
      id: textOrNull(call.id) ?? known.id,
      name: known.name + (textOrNull(given.name) ?? ""),
      arguments: known.arguments + (textOrNull(given.arguments) ?? ""),
    };
  }

  message(): TraceMessage {
    const parts: MessagePart[] = [
      ...(this.#reasoning ? [{ type: "reasoning" as const, content: this.#reasoning }] : []),
      ...(this.#text ? [{ type: "text" as const, content: this.#text }] : []),
      ...this.#calls.filter(Boolean).map((call) => ({ type: "tool_call" as const, ...call })),
    ];
    return { role: "assistant", parts, ...(this.#finish !== null && { finish_reason: this.#finish }) };
  }
}

/** The content of a chat, for traces: of complete answers and of chunks. */
export function chatContent({ messages, tools }: ChatRequest, produced: readonly ChatChunk[]): TraceContent {
  const answers = new Map<number, Answer>();
  for (const { choices } of produced) {
    for (const { index, message, delta, finish_reason } of choices) {
      const answer = answers.get(index) ?? new Answer();
      answers.set(index, answer);
      answer.add(message ?? delta ?? {}, finish_reason);
    }
  }
  return {
    input: messages.map(messageOf),
    output: [...answers].sort(([a], [b]) => a - b).map(([, answer]) => answer.message()),
    ...(tools?.length && { tools }),
  };
}
