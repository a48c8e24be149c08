import type { ChatContentPart, ChatMessage, ChatToolCall } from "#contract/chat.ts";
import { unsupported } from "#server/inference/pipeline/failures.ts";
import { tableOf } from "#server/platform/table.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import { withThoughts } from "./chat-thoughts.ts";

function imagePart({ image_url: image }: ChatContentPart): Json {
  const { url, detail }: Json = isJson(image) ? image : { url: image };
  return { type: "input_image", image_url: url, ...(detail != null && { detail }) };
}

const isAddress = (data: unknown): boolean => typeof data === "string" && /^https?:/i.test(data);

function filePart({ file }: ChatContentPart): Json {
  const { file_data: data, file_id: id, filename }: Json = isJson(file) ? file : {};
  return {
    type: "input_file",
    ...(filename != null && !isAddress(data) && { filename }),
    ...(data != null && (isAddress(data) ? { file_url: data } : { file_data: data })),
    ...(id != null && { file_id: id }),
  };
}

/** The form of a part in input; parts without a row pass as they are. */
const inputParts = tableOf<(part: ChatContentPart) => Json>({
  text: ({ text }) => ({ type: "input_text", text }),
  image_url: imagePart,
  file: filePart,
});

type Content = ChatMessage["content"];

const inputContent = (content: Content): string | Json[] =>
  Array.isArray(content) ? content.map((part) => inputParts[part.type]?.(part) ?? part) : (content ?? "");

const outputParts = tableOf<(part: ChatContentPart) => Json>({
  text: ({ text }) => ({ type: "output_text", text }),
  refusal: ({ refusal }) => ({ type: "refusal", refusal }),
});

/** What an assistant said, in parts. */
function saidBy({ content, refusal }: ChatMessage): Json[] {
  const text = typeof content === "string" && content !== "" ? [{ type: "output_text", text: content }] : [];
  const parts = Array.isArray(content) ? content.map((part) => outputParts[part.type]?.(part) ?? part) : text;
  const refused = textOrNull(refusal);
  return refused ? [...parts, { type: "refusal", refusal: refused }] : parts;
}

/** A call as an item. Throws `AttemptError` for a kind of call that the responses operation does not have. */
function callItem({ id, type, function: called, custom }: ChatToolCall): Json {
  if (called)
    return { type: "function_call", call_id: id, name: called.name, arguments: called.arguments || "{}" };
  if (type === "custom" && isJson(custom))
    return { type: "custom_tool_call", call_id: id, name: custom.name, input: custom.input };
  throw unsupported("a tool call of this type");
}

/** Translates messages one after the other: results of custom tools have a type of their own. */
class Items {
  readonly items: Json[] = [];
  readonly lost = new Set<string>();
  readonly #customCalls = new Set<unknown>();

  add(message: ChatMessage): void {
    const { role } = message;
    if (role !== "tool" && message.name != null) this.lost.add("messages.name");
    if (role === "assistant") this.#assistant(message);
    else if (role === "tool" || role === "function") this.#result(message);
    else this.items.push({ type: "message", role, content: inputContent(message.content) });
  }

  #assistant(message: ChatMessage): void {
    const parts = saidBy(message);
    const calls = (message.tool_calls ?? []).map(callItem);
    for (const call of calls) if (call.type === "custom_tool_call") this.#customCalls.add(call.call_id);
    const said = parts.length > 0 ? [{ type: "message", role: "assistant", content: parts }] : [];
    const { items, isLost } = withThoughts(message.reasoning_details, [...said, ...calls]);
    if (isLost) this.lost.add("messages.reasoning_details");
    const hasText = textOrNull(message.reasoning) || textOrNull(message.reasoning_content);
    if (hasText && !message.reasoning_details?.length) this.lost.add("messages.reasoning");
    if (message.audio != null) this.lost.add("messages.audio");
    for (const item of items) this.items.push(item);
  }

  #result({ tool_call_id: id, content }: ChatMessage): void {
    const type = this.#customCalls.has(id) ? "custom_tool_call_output" : "function_call_output";
    this.items.push({ type, call_id: id, output: inputContent(content) });
  }
}

/**
 * The messages of a chat as input items of the responses operation, and the members of messages that it has no place
 * for. Throws `AttemptError` for calls of tools that it does not have.
 */
export function itemsOfChat(messages: readonly ChatMessage[]): {
  readonly items: readonly Json[];
  readonly lost: ReadonlySet<string>;
} {
  const items = new Items();
  for (const message of messages) items.add(message);
  return items;
}
