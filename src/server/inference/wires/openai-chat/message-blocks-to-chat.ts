import type { ChatContentPart, ChatMessage, ChatRequest, ChatToolCall } from "#contract/chat.ts";
import type { MessageBlock } from "#contract/message-blocks.ts";
import { formats, type ReasoningDetail } from "#server/inference/reasoning/details.ts";
import { isPacked, unpackDetails } from "#server/inference/reasoning/packed.ts";
import { tableOf } from "#server/platform/table.ts";
import { isSigned } from "../anthropic-messages/own-signature.ts";
import { chatToolName } from "../anthropic-messages/tool-names.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import { attachedTo } from "./conversation-for.ts";

type Content = readonly ChatContentPart[];

const textPart = (text: string): ChatContentPart => ({ type: "text", text });

/** The mark for prompt caching stays on the part, for providers that know it. */
function marked(parts: Content, { cache_control: control }: Json): Content {
  const last = parts.at(-1);
  return last && isJson(control) ? [...parts.slice(0, -1), { ...last, cache_control: control }] : parts;
}

function addressOf(source: Json): string | null {
  if (source.type === "url") return textOrNull(source.url);
  if (source.type !== "base64") return null;
  return `data:${textOrNull(source.media_type) ?? ""};base64,${textOrNull(source.data) ?? ""}`;
}

function imageParts({ source }: Json): Content | null {
  const url = isJson(source) ? addressOf(source) : null;
  return url === null ? null : [{ type: "image_url", image_url: { url } }];
}

/** The name of a document that has none. */
export const defaultFilename = "document.pdf";

/** What stands in a document: a file, or the text and images of which it consists. */
function documentBody(source: Json, title: string | null): Content | null {
  if (source.type === "text") return [textPart(String(source.data))];
  if (source.type === "content")
    return typeof source.content === "string" ? [textPart(source.content)] : partsOf(source.content);
  const address = addressOf(source);
  if (address === null) return null;
  return [{ type: "file", file: { filename: title ?? defaultFilename, file_data: address } }];
}

function documentParts({ source, title, context }: Json): Content | null {
  const name = textOrNull(title);
  const body = isJson(source) ? documentBody(source, name) : null;
  if (!body) return null;
  const about = [name, textOrNull(context)].filter(Boolean).join("\n");
  return about === "" ? body : [textPart(about), ...body];
}

function searchResultParts({ source, title, content }: Json): Content | null {
  const body = partsOf(content);
  return body && [textPart(`${textOrNull(title) ?? ""}\n${textOrNull(source) ?? ""}`), ...body];
}

/** Chat's form of a block that says something; null if chat has none. */
const spoken = tableOf<(block: Json) => Content | null>({
  text: ({ text }) => [textPart(String(text))],
  image: imageParts,
  document: documentParts,
  search_result: searchResultParts,
});

/** The parts of a list of blocks; null if chat does not support one of them. */
export function partsOf(blocks: unknown): Content | null {
  const parts: ChatContentPart[] = [];
  for (const block of Array.isArray(blocks) ? blocks : []) {
    if (!isJson(block)) return null;
    const own = spoken[String(block.type)]?.(block) ?? null;
    if (!own) return null;
    parts.push(...marked(own, block));
  }
  return parts;
}

const isText = ({ text }: ChatContentPart): boolean => text !== undefined;
const textsOf = (parts: Content): string =>
  parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n\n");

/** Content without marks as plain text where it is nothing else: some upstreams know only that. */
export const plainContent = (parts: Content): string | ChatContentPart[] =>
  parts.every(isText) ? textsOf(parts) : [...parts];

const unmarked = <T extends Json>({ cache_control: _, ...rest }: T): Omit<T, "cache_control"> => rest;

function unmarkedMessage({ content, tool_calls: calls, ...message }: ChatMessage): ChatMessage {
  return {
    ...message,
    ...(content !== undefined && {
      content: Array.isArray(content)
        ? plainContent(content.map((part) => ({ ...unmarked(part), type: part.type })))
        : content,
    }),
    ...(calls && {
      tool_calls: calls.map((call) => ({ ...unmarked(call), id: call.id, type: call.type })),
    }),
  };
}

/** A chat without marks for prompt caching. A message that is nothing but text is sent as text. */
export const withoutMarks = (chat: ChatRequest): ChatRequest => ({
  ...chat,
  messages: chat.messages.map(unmarkedMessage),
  ...(chat.tools && { tools: chat.tools.map((tool) => ({ ...unmarked(tool), type: tool.type })) }),
});

/** A tool's result: its text in a message of its own, and what is not text, which only users can send. */
function resultOf(block: Json): { readonly message: ChatMessage; readonly attached: Content } {
  const { tool_use_id: id, content, is_error: failed } = block;
  const parts = (typeof content === "string" ? [textPart(content)] : partsOf(content)) ?? [];
  const text = textsOf(parts);
  const media = parts.filter((part) => !isText(part));
  const said = failed === true ? `Error: ${text}` : text;
  return {
    message: {
      role: "tool",
      tool_call_id: String(id),
      content: isJson(block.cache_control) ? [...marked([textPart(said)], block)] : said,
    },
    attached: media.length > 0 ? [attachedTo(id), ...media] : [],
  };
}

/** The messages of a user's turn: the results of tools first, then what the user says. */
export function userMessages(role: "user" | "system", blocks: readonly MessageBlock[]): ChatMessage[] {
  const results = blocks.filter(({ type }) => type === "tool_result").map(resultOf);
  const said = partsOf(blocks.filter(({ type }) => type !== "tool_result")) ?? [];
  const content = [...results.flatMap(({ attached }) => attached), ...said];
  const messages = results.map(({ message }) => message);
  return content.length > 0 ? [...messages, { role, content }] : messages;
}

const callOf = ({ id, name, input, cache_control: control }: Json): ChatToolCall => ({
  ...(isJson(control) && { cache_control: control }),
  id: String(id),
  type: "function",
  function: { name: chatToolName(String(name)), arguments: JSON.stringify(input ?? {}) },
});

/** Thinking as OpenRouter writes it down: text with its signature, or what only the provider can read. */
const thoughts = tableOf<(block: Json, index: number) => readonly ReasoningDetail[]>({
  thinking: ({ thinking, signature }, index) =>
    isSigned(signature)
      ? [{ type: "reasoning.text", text: String(thinking), signature, format: formats.claude, index }]
      : unpackDetails(signature),
  redacted_thinking: ({ data }, index) =>
    isPacked(data)
      ? unpackDetails(data)
      : [{ type: "reasoning.encrypted", data: String(data), format: formats.claude, index }],
});

/** The message of an assistant's turn; null if nothing of it can be sent. */
export function assistantMessage(blocks: readonly MessageBlock[]): ChatMessage | null {
  const text = partsOf(blocks.filter(({ type }) => type === "text")) ?? [];
  const calls = blocks.filter(({ type }) => type === "tool_use").map(callOf);
  const reasoning = blocks
    .flatMap(({ type, thinking }) => (type === "thinking" ? [String(thinking)] : []))
    .filter((thought) => thought !== "")
    .join("\n\n");
  const details = blocks.flatMap((block, index) => thoughts[block.type]?.(block, index) ?? []);
  if (text.length === 0 && calls.length === 0) return null;
  return {
    role: "assistant",
    content: text.length > 0 ? [...text] : null,
    ...(reasoning !== "" && { reasoning }),
    ...(details.length > 0 && { reasoning_details: details.map((detail) => ({ ...detail })) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

const ofAssistant = new Set(["tool_use", "thinking", "redacted_thinking"]);

/** The path in `content` of the first block that chat does not support; null if there is none. */
export function unsupportedBlock(blocks: readonly MessageBlock[]): string | null {
  for (const [at, block] of blocks.entries()) {
    if (ofAssistant.has(block.type)) continue;
    if (block.type !== "tool_result") {
      if (!partsOf([block])) return `${at}`;
    } else if (Array.isArray(block.content)) {
      const inner = block.content.findIndex((part) => !partsOf([part]));
      if (inner !== -1) return `${at}.content.${inner}`;
    }
  }
  return null;
}
