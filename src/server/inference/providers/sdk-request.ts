import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ChatContentPart, ChatMessage, ChatRequest, ChatTool } from "#contract/chat.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { tableOf } from "#server/platform/table.ts";
import { isForced } from "../parameters/used.ts";
import { unsupported, unsupportedField } from "../pipeline/failures.ts";
import { reasoningOf } from "../reasoning/form.ts";
import { hasUnsignedCalls, replayedReasoning } from "../reasoning/replay.ts";
import { type SdkModel, sdkReasoning } from "../reasoning/sdk-options.ts";
import { dataUrlOf } from "../wires/shared/data-url.ts";
import { isJson, type Json, textOrNull } from "../wires/shared/json.ts";
import { parseEvent } from "./answer-json.ts";
import { addLost } from "./sdk-lost.ts";
import { hasOwnOptions, packageOptions } from "./sdk-own-options.ts";

type UserPart = Extract<LanguageModelV4Prompt[number], { role: "user" }>["content"][number];
type AssistantPart = Extract<LanguageModelV4Prompt[number], { role: "assistant" }>["content"][number];

/** The maximum length of a file's address. */
const addressCharsMax = 8_192;

/** A file given as data or by its address, which is passed on and never fetched by us. */
function filePart(address: string, mediaType: string, filename?: string): UserPart {
  const inline = dataUrlOf(address);
  const name = filename === undefined ? {} : { filename };
  if (inline?.isBase64) {
    const { type, data } = inline;
    return { type: "file", mediaType: type || mediaType, data: { type: "data", data }, ...name };
  }
  if (address.length > addressCharsMax || !URL.canParse(address)) throw unsupportedField("messages.content");
  return { type: "file", mediaType, data: { type: "url", url: new URL(address) }, ...name };
}

/** How each kind of message part is converted for the SDK. */
const parts = tableOf<(part: ChatContentPart) => UserPart>({
  text: ({ text }) => ({ type: "text", text: text ?? "" }),
  image_url({ image_url: image }) {
    const { url, detail } = isJson(image) ? image : { url: image };
    const part = filePart(textOrNull(url) ?? "", "image/*");
    // Azure's package takes it so.
    return textOrNull(detail) === null
      ? part
      : { ...part, providerOptions: { openai: { imageDetail: textOrNull(detail) } } };
  },
  video_url: ({ video_url: video }) =>
    filePart((isJson(video) ? textOrNull(video.url) : textOrNull(video)) ?? "", "video/mp4"),
  input_audio({ input_audio: audio }) {
    const { data, format } = isJson(audio) ? audio : {};
    const mediaType = `audio/${textOrNull(format) ?? "wav"}`;
    return { type: "file", mediaType, data: { type: "data", data: textOrNull(data) ?? "" } };
  },
  file({ file }) {
    const { file_data: data, filename } = isJson(file) ? file : {};
    return filePart(textOrNull(data) ?? "", "application/pdf", textOrNull(filename) ?? undefined);
  },
});

/** The mark for prompt caching, in the form of each provider. */
function cacheOptions(marked: Json): { providerOptions?: SharedV4ProviderOptions } {
  const control = marked.cache_control;
  if (!isJson(control)) return {};
  const ttl = control.ttl === "1h" ? { ttl: "1h" } : {};
  return {
    providerOptions: {
      anthropic: { cacheControl: { type: "ephemeral", ...ttl } },
      bedrock: { cachePoint: { type: "default", ...ttl } },
    },
  };
}

function userParts(content: ChatMessage["content"]): UserPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (content ?? []).map((part) => {
    const say = parts[part.type];
    if (!say) throw unsupportedField("messages.content");
    const said = say(part);
    const { providerOptions: marks } = cacheOptions(part);
    return marks ? { ...said, providerOptions: { ...said.providerOptions, ...marks } } : said;
  });
}

const plainText = (content: ChatMessage["content"]): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("");

/** Arguments as the value of their JSON; invalid or too large JSON remains a text. */
function parsed(text: string): unknown {
  try {
    return parseEvent(text || "{}");
  } catch {
    return text;
  }
}

const mistralId = /^[A-Za-z0-9]{9}$/;

/** The id of a call for a model. Mistral refuses those of other providers, so it gets a digest, the same each time. */
const callIdFor = ({ kind }: SdkModel, id: string): string =>
  kind !== "mistral" || mistralId.test(id)
    ? id
    : Buffer.from(sha256(id), "base64url").toString("hex").slice(0, 9);
/** The last mark for prompt caching in a content whose texts are sent as one. */
function lastMark(content: ChatMessage["content"]): SharedV4ProviderOptions | undefined {
  const marked = Array.isArray(content) ? content.findLast((part) => isJson(part.cache_control)) : undefined;
  return marked && cacheOptions(marked).providerOptions;
}

/** An assistant's turn: its reasoning first, as every provider had it. `dropped` gets what the model cannot read. */
function assistantParts(message: ChatMessage, model: SdkModel, dropped: Set<string>): AssistantPart[] {
  const { content, refusal, tool_calls: calls } = message;
  const reasoning = replayedReasoning(message, model);
  for (const name of reasoning.dropped) dropped.add(name);
  const textOptions = { ...reasoning.textOptions, ...lastMark(content) };
  const hasOptions = Object.keys(textOptions).length > 0;
  const text = plainText(content) || (textOrNull(refusal) ?? "");
  const said: AssistantPart[] = [...reasoning.parts];
  if (text !== "" || reasoning.textOptions)
    said.push({ type: "text", text, ...(hasOptions && { providerOptions: textOptions }) });
  for (const call of calls ?? []) {
    const { id, function: called } = call;
    if (!called) throw unsupported("tool calls that are no functions");
    const options = { ...reasoning.callOptions(id, call), ...cacheOptions(call).providerOptions };
    said.push({
      type: "tool-call",
      toolCallId: callIdFor(model, id),
      toolName: called.name,
      input: parsed(called.arguments),
      ...(Object.keys(options).length > 0 && { providerOptions: options }),
    });
  }
  // A turn of reasoning alone is omitted, because it led to nothing.
  return said.some(({ type }) => type !== "reasoning") ? said : [];
}

/** OpenAI's messages as a prompt. A tool's answer gets the name of its call. */
function promptOf(
  messages: readonly ChatMessage[],
  model: SdkModel,
  dropped: Set<string>,
): LanguageModelV4Prompt {
  const toolNames = new Map<string, string>();
  return messages.flatMap((message): LanguageModelV4Prompt => {
    const { role, content, tool_call_id: id, name } = message;
    if (role === "user") return [{ role, content: userParts(content) }];
    if (role === "assistant") {
      for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function?.name ?? "");
      const said = assistantParts(message, model, dropped);
      // Empty turns are refused.
      return said.length > 0 ? [{ role, content: said }] : [];
    }
    if (role === "tool" || role === "function") {
      const callId = id ?? name ?? "";
      const toolName = toolNames.get(callId) ?? name ?? callId;
      const output = { type: "text" as const, value: plainText(content) };
      const providerOptions = lastMark(content);
      const result = {
        type: "tool-result" as const,
        toolCallId: callIdFor(model, callId),
        toolName,
        output,
        ...(providerOptions && { providerOptions }),
      };
      return [{ role: "tool", content: [result] }];
    }
    const providerOptions = lastMark(content);
    return [{ role: "system", content: plainText(content), ...(providerOptions && { providerOptions }) }];
  });
}

// A JSON schema is not checked here; the provider judges it.
const schemaOf = (given: unknown): JSONSchema7 => (isJson(given) ? given : { type: "object" }) as JSONSchema7;

function toolOf(tool: ChatTool) {
  const { function: declared } = tool;
  if (!declared) throw unsupportedField("tools");
  const { name, description, parameters, strict } = declared;
  return {
    type: "function" as const,
    name,
    inputSchema: schemaOf(parameters),
    ...(description != null && { description }),
    ...(strict != null && { strict }),
    ...cacheOptions(tool),
  };
}

function toolChoiceOf(choice: ChatRequest["tool_choice"]): LanguageModelV4ToolChoice | undefined {
  if (choice == null) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  const named = isJson(choice) && isJson(choice.function) ? textOrNull(choice.function.name) : null;
  if (named === null) throw unsupported("this tool_choice");
  return { type: "tool", toolName: named };
}

function responseFormatOf(
  format: ChatRequest["response_format"],
): LanguageModelV4CallOptions["responseFormat"] {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema") throw unsupported(`response_format ${format.type}`);
  const given = isJson(format.json_schema) ? format.json_schema : {};
  const name = textOrNull(given.name);
  const description = textOrNull(given.description);
  return {
    type: "json",
    schema: schemaOf(given.schema),
    ...(name !== null && { name }),
    ...(description !== null && { description }),
  };
}

/**
 * The standard chat body as the SDK's call options. `dropped` gets the fields of which the package makes nothing.
 * Throws `AttemptError` for unsupported parts.
 */
export function callOptions(
  standard: Json,
  model: SdkModel,
  dropped = new Set<string>(),
): LanguageModelV4CallOptions {
  // The wires create the standard body from a request its schema has accepted.
  const body = standard as unknown as ChatRequest;
  if ((body.n ?? 1) > 1) throw unsupported("more than one answer (n)");
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? null;
  const reasoning = sdkReasoning({
    form: reasoningOf(body),
    model,
    maxTokens,
    hasUnsignedCalls: hasUnsignedCalls(body.messages, model),
    isForced: (body.tools?.length ?? 0) > 0 && isForced(body.tool_choice),
  });
  for (const name of reasoning.dropped) dropped.add(name);
  addLost(body, model, dropped);
  if (body.parallel_tool_calls === false && !hasOwnOptions(model)) dropped.add("parallel_tool_calls");
  return {
    prompt: promptOf(body.messages, model, dropped),
    maxOutputTokens: reasoning.maxOutputTokens ?? maxTokens ?? undefined,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    stopSequences: typeof body.stop === "string" ? [body.stop] : (body.stop ?? undefined),
    seed: body.seed ?? undefined,
    responseFormat: responseFormatOf(body.response_format),
    tools: body.tools?.length ? body.tools.map(toolOf) : undefined,
    toolChoice: body.tools?.length ? toolChoiceOf(body.tool_choice) : undefined,
    reasoning: reasoning.reasoning,
    providerOptions: packageOptions(body, model, reasoning.providerOptions),
  };
}
