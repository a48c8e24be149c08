import type { ChatContentPart, ChatMessage, ChatRequest, ChatTool, ChatToolCall } from "#contract/chat.ts";
import type { ResponseItem, ResponsePart, ResponseTool } from "#contract/response-items.ts";
import type { TextFormat } from "#contract/responses.ts";
import { unpackDetails } from "#server/inference/reasoning/packed.ts";
import { tableOf } from "#server/platform/table.ts";
import type { PreparedResponse } from "../openai-responses/prepared-response.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";

/** Chat's form of a message part; a part without a row is not supported by chat. */
const chatParts = tableOf<(part: ResponsePart) => ChatContentPart | null>({
  input_text: ({ text }) => ({ type: "text", text: String(text) }),
  output_text: ({ text }) => ({ type: "text", text: String(text) }),
  refusal: ({ refusal }) => ({ type: "text", text: String(refusal) }),
  input_image: ({ image_url: url, detail }) =>
    typeof url === "string"
      ? { type: "image_url", image_url: { url, ...(detail != null && { detail }) } }
      : null,
  input_file: ({ file_data: data, file_url: url, filename }) =>
    data || url
      ? { type: "file", file: { ...(filename != null && { filename }), file_data: data || url } }
      : null,
  input_audio: ({ input_audio }) => ({ type: "input_audio", input_audio }),
});

const partsOf = (content: unknown): ResponsePart[] =>
  Array.isArray(content) ? content.filter((part): part is ResponsePart => isJson(part)) : [];

function chatContent(content: unknown): string | ChatContentPart[] {
  if (typeof content === "string") return content;
  const parts = partsOf(content).flatMap((part) => chatParts[part.type]?.(part) ?? []);
  // Many upstreams know nothing but plain text where plain text is meant.
  return parts.every(({ text }) => text !== undefined) ? parts.map(({ text }) => text).join("") : parts;
}

const textsOf = (list: unknown): string =>
  partsOf(list)
    .map(({ text }) => textOrNull(text) ?? "")
    .join("");

function assistantMessage(content: unknown): ChatMessage {
  const parts = partsOf(content);
  const refusal = parts.flatMap((part) => (part.type === "refusal" ? [String(part.refusal)] : [])).join("");
  const text = chatContent(
    typeof content === "string" ? content : parts.filter(({ type }) => type !== "refusal"),
  );
  return { role: "assistant", content: text === "" ? null : text, ...(refusal && { refusal }) };
}

const callOf = ({ call_id, name, arguments: text }: ResponseItem, given = text): ChatToolCall => ({
  id: String(call_id),
  type: "function",
  function: { name: String(name), arguments: String(given) },
});

/** Calls belong to the assistant's message before them. */
function addCall(messages: ChatMessage[], call: ChatToolCall): void {
  const last = messages.at(-1);
  if (last?.role === "assistant") last.tool_calls = [...(last.tool_calls ?? []), call];
  else messages.push({ role: "assistant", content: null, tool_calls: [call] });
}

/** Reasoning belongs to the assistant's turn it is part of. */
function addReasoning(
  messages: ChatMessage[],
  { content, summary, encrypted_content: packed }: ResponseItem,
): void {
  const details = unpackDetails(packed);
  const reasoning = textsOf(content) || textsOf(summary);
  if (!reasoning && details.length === 0) return;
  const said = {
    ...(reasoning && { reasoning }),
    ...(details.length > 0 && { reasoning_details: details.map((detail) => ({ ...detail })) }),
  };
  const last = messages.at(-1);
  if (last?.role !== "assistant") messages.push({ role: "assistant", content: null, ...said });
  else Object.assign(last, joinedReasoning(last, said));
}

interface Reasoning {
  readonly reasoning?: unknown;
  readonly reasoning_details?: ChatMessage["reasoning_details"];
}

/** The reasoning of two items of one turn. */
function joinedReasoning(first: Reasoning, second: Reasoning): Partial<ChatMessage> {
  const text = [textOrNull(first.reasoning), textOrNull(second.reasoning)].filter(Boolean).join("\n\n");
  const details = [...(first.reasoning_details ?? []), ...(second.reasoning_details ?? [])];
  return { ...(text && { reasoning: text }), ...(details.length > 0 && { reasoning_details: details }) };
}

/** An assistant's message of reasoning only, which a following message or call completes. */
const isReasoningOnly = ({
  role,
  content,
  tool_calls: calls,
  reasoning,
  reasoning_details,
}: ChatMessage): boolean =>
  role === "assistant" && content === null && !calls && (reasoning ?? reasoning_details) != null;

function addAssistant(messages: ChatMessage[], message: ChatMessage): void {
  const last = messages.at(-1);
  if (last && isReasoningOnly(last))
    messages[messages.length - 1] = { ...message, ...joinedReasoning(last, message) };
  else messages.push(message);
}

const addOutput = (messages: ChatMessage[], { call_id, output }: ResponseItem): void => {
  messages.push({ role: "tool", tool_call_id: String(call_id), content: chatContent(output) });
};

/** How each type of item stands in a chat. */
const chatItems = tableOf<(messages: ChatMessage[], item: ResponseItem) => void>({
  message(messages, { role, content }) {
    const said = role === "system" || role === "developer" || role === "assistant" ? role : "user";
    if (said === "assistant") addAssistant(messages, assistantMessage(content));
    else messages.push({ role: said === "developer" ? "system" : said, content: chatContent(content) });
  },
  function_call: (messages, item) => addCall(messages, callOf(item)),
  function_call_output: addOutput,
  custom_tool_call: (messages, item) =>
    addCall(messages, callOf(item, JSON.stringify({ input: item.input }))),
  custom_tool_call_output: addOutput,
  reasoning: addReasoning,
});

const customParameters: Json = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

function chatTool({ type, name, description, parameters, strict }: ResponseTool): ChatTool {
  const made: Json = { name, parameters: type === "custom" ? customParameters : (parameters ?? {}) };
  if (description != null) made.description = description;
  if (strict != null) made.strict = strict;
  return { type: "function", function: made as ChatTool["function"] };
}

function chatFormat(format: TextFormat): ChatRequest["response_format"] {
  if (format.type === "text") return null;
  if (format.type === "json_object") return { type: "json_object" };
  const { name, schema, description, strict } = format;
  return {
    type: "json_schema",
    json_schema: {
      name,
      schema,
      ...(description != null && { description }),
      ...(strict != null && { strict }),
    },
  };
}

const namesOf = (tools: unknown): Set<unknown> =>
  new Set(Array.isArray(tools) ? tools.filter(isJson).map(({ name }) => name) : []);

/** Tools and choice as chat has them: a list of allowed tools becomes the list of tools. */
function chatTools({
  tools,
  tool_choice: choice,
}: PreparedResponse): Pick<ChatRequest, "tools" | "tool_choice"> {
  if (!tools?.length) return {};
  if (typeof choice === "string" || choice == null)
    return { tools: tools.map(chatTool), ...(choice && { tool_choice: choice }) };
  if (choice.type === "allowed_tools") {
    const allowed = namesOf(choice.tools);
    const left = tools.filter(({ name }) => allowed.has(name)).map(chatTool);
    return { tools: left, tool_choice: textOrNull(choice.mode) ?? "auto" };
  }
  return { tools: tools.map(chatTool), tool_choice: { type: "function", function: { name: choice.name } } };
}

const choices = new Set(["function", "custom", "allowed_tools"]);

const speaksChat = (content: unknown): boolean =>
  partsOf(content).every((part) => chatParts[part.type]?.(part) != null);

function fitsChat(item: ResponseItem): boolean {
  const type = item.type ?? "message";
  // What chat cannot say of it, such as encrypted content, another provider could not read either.
  if (type === "reasoning") return true;
  return type in chatItems && speaksChat(item.content) && speaksChat(item.output);
}

/** The path of the first part of a request that chat does not support; null if there is none. */
export function nativeOnly({
  items,
  tools,
  tool_choice: choice,
}: PreparedResponse): "input" | "tools" | "tool_choice" | null {
  if (!items.every(fitsChat)) return "input";
  const said = ({ type, format }: ResponseTool) =>
    type === "function" || (type === "custom" && (!isJson(format) || format.type === "text"));
  if (!(tools ?? []).every(said)) return "tools";
  return isJson(choice) && !choices.has(String(choice.type)) ? "tool_choice" : null;
}

/** Whether a message holds audio. */
export const hasAudio = ({ items }: PreparedResponse): boolean =>
  items.some(({ content }) => partsOf(content).some(({ type }) => type === "input_audio"));

/** Custom tools by name: they come back as functions. */
export const customToolsOf = ({ tools }: PreparedResponse): ReadonlySet<string> =>
  new Set((tools ?? []).flatMap(({ type, name }) => (type === "custom" ? [String(name)] : [])));

/** A request for a response as a request for a chat completion. Of what `nativeOnly` names, nothing is sent. */
export function chatRequestOf(request: PreparedResponse): ChatRequest {
  const { instructions, items, reasoning, text, include, top_logprobs: topLogprobs } = request;
  const messages: ChatMessage[] = instructions ? [{ role: "system", content: instructions }] : [];
  for (const item of items) chatItems[item.type ?? "message"]?.(messages, item);
  const { effort, max_tokens: budget, enabled } = reasoning ?? {};
  const logprobs = topLogprobs != null || (include?.includes("message.output_text.logprobs") ?? false);
  const verbosity = text?.verbosity;
  const {
    temperature,
    top_p,
    top_k,
    presence_penalty,
    frequency_penalty,
    parallel_tool_calls,
    user,
    safety_identifier,
    prompt_cache_key,
    service_tier,
  } = request;
  return {
    // Reasoning that was cut off led to nothing, and providers refuse turns without content.
    messages: messages.filter((message) => !isReasoningOnly(message)),
    temperature,
    top_p,
    top_k,
    presence_penalty,
    frequency_penalty,
    user,
    safety_identifier,
    prompt_cache_key,
    service_tier,
    ...chatTools(request),
    ...(request.tools?.length && { parallel_tool_calls }),
    ...(text?.format && { response_format: chatFormat(text.format) }),
    ...(verbosity && { verbosity: verbosity === "low" || verbosity === "medium" ? verbosity : "high" }),
    ...(effort && { reasoning_effort: effort }),
    ...((budget != null || enabled != null) && {
      reasoning: {
        ...(effort && { effort }),
        ...(budget != null && { max_tokens: budget }),
        ...(enabled != null && { enabled }),
      },
    }),
    ...(logprobs && { logprobs: true, top_logprobs: topLogprobs ?? 0 }),
  };
}
