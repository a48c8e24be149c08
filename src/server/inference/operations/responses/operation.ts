import { carriersOf } from "#contract/inference-operations.ts";
import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import { tokensOfBytes } from "#server/billing/index.ts";
import { assertExtras } from "#server/inference/parameters/extras.ts";
import { hasSchema, isJsonObject, usedParameters } from "#server/inference/parameters/used.ts";
import type { Operation } from "#server/inference/pipeline/operation.ts";
import type { RequestEstimate } from "#server/inference/pipeline/request.ts";
import { bytesPerTokenMax, ownTools, templateTokens } from "#server/inference/pipeline/token-bounds.ts";
import { assertReasoning } from "#server/inference/reasoning/form.ts";
import { hasAudio, nativeOnly } from "#server/inference/wires/openai-chat/responses-to-chat.ts";
import type { PreparedResponse } from "#server/inference/wires/openai-responses/prepared-response.ts";
import {
  nativeResponses,
  optionalParameters,
  type ResponsesChunk,
  responseFields,
  responsesAsChat,
} from "#server/inference/wires/openai-responses/wire.ts";
import { isJson } from "#server/inference/wires/shared/json.ts";
import { jsonBytes } from "#server/platform/long-json.ts";
import { countMedia, type MediaCount, noMedia } from "../shared/media-tokens.ts";
import { assertShort, jsonBytesOf } from "../shared/setting-sizes.ts";
import { responsesContent } from "./content.ts";
import { answeredState, begunBy, responsePresenter } from "./presenter.ts";
import { responseUsage, settingsOf } from "./response-object.ts";

interface Size {
  bytes: number;
  readonly media: MediaCount;
}

/** Adds the size of a text, or of the parts of a message. */
function weigh(size: Size, content: unknown): void {
  if (typeof content === "string") size.bytes += Buffer.byteLength(content);
  if (!Array.isArray(content)) return;
  for (const part of content) {
    const text: unknown = isJson(part) ? (part.text ?? part.refusal) : null;
    if (typeof text === "string") size.bytes += Buffer.byteLength(text);
    else countMedia(size.media, part);
  }
}

function weighItem(size: Size, item: ResponseItem): void {
  const { type, content, output } = item;
  if (type === undefined || type === "message") weigh(size, content);
  else if (type === "function_call_output" || type === "custom_tool_call_output") weigh(size, output);
  else size.bytes += jsonBytes(item);
}

/** Bytes of text and number of pictures and files in everything that is sent. */
export function sizeOf({ items, instructions, tools, text }: PreparedResponse): Size {
  const size: Size = {
    bytes: Buffer.byteLength(instructions ?? ""),
    media: noMedia(),
  };
  for (const item of items) weighItem(size, item);
  const settings = { tools: tools?.length ? jsonBytes(tools) : 0, "text.format": jsonBytesOf(text?.format) };
  assertShort(settings);
  size.bytes += settings.tools + settings["text.format"];
  return size;
}

const either = [nativeResponses, responsesAsChat];
const native = [nativeResponses];
/** OpenAI takes audio in chat only. */
const chatFirst = [responsesAsChat, nativeResponses];
/** What to send instead of what chat does not have, by field. */
const repairs = {
  input:
    "send messages with text, pictures or files, reasoning, and calls of functions or custom tools with their outputs",
  tools: "use functions and custom tools of text, or a model that is served over responses",
  tool_choice: "name a function or a custom tool, or use a model that is served over responses",
};

function estimate(request: PreparedResponse): RequestEstimate {
  assertReasoning(request);
  const { bytes, media } = sizeOf(request);
  const { text } = request;
  assertExtras(request, responseFields);
  const beyondChat = nativeOnly(request);
  const parameters = usedParameters(request, optionalParameters);
  if (text?.format && text.format.type !== "text") parameters.push("response_format");
  if (isJsonObject(text?.format)) parameters.push("json_object");
  if (hasSchema(text?.format)) parameters.push("structured_outputs");
  if (text?.verbosity) parameters.push("verbosity");
  return {
    apis: beyondChat === null ? carriersOf("responses") : ["responses"],
    notInChat: beyondChat === null ? undefined : { param: beyondChat, repair: repairs[beyondChat] },
    promptTokensMin: Math.floor(bytes / bytesPerTokenMax),
    promptTokensMax: bytes + templateTokens * (request.items.length + 2),
    media,
    hostedTools: request.tools?.some(({ type }) => !ownTools.has(type)) ?? false,
    maxTokens: request.max_output_tokens ?? null,

    answers: 1,
    searchUnits: 0,
    parameters,
  };
}

/** The client's names of fields of chat. */
const fieldNames = {
  messages: "input",
  "messages.": "input.",
  "messages.content.file.filename": "input.content.filename",
  "messages.content.image_url.detail": "input.content.detail",
  "response_format.json_schema.description": "text.format.description",
  response_format: "text.format",
  verbosity: "text.verbosity",
  reasoning_effort: "reasoning.effort",
  max_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  logprobs: "top_logprobs",
};
/** With a number of log probabilities, that field asks for them; else `include` does. */
const namesWithInclude = { ...fieldNames, logprobs: "include", top_logprobs: "include" };

/** `POST /responses`. `ended` gets the final object of a stream before the client does. */
export const responsesWith = (
  ended: (response: ResponseObject) => void,
): Operation<PreparedResponse, ResponsesChunk, ResponseObject> => ({
  name: "responses",
  fieldNames: ({ top_logprobs: count }) => (count == null ? namesWithInclude : fieldNames),
  recorded: new Set([
    "temperature",
    "top_p",
    "top_k",
    "max_output_tokens",
    "reasoning",
    "truncation",
    "store",
    "background",
  ]),
  estimate,
  estimatePrompt: (request) => tokensOfBytes(jsonBytes(request.items)),
  wires(request) {
    if (nativeOnly(request) !== null) return native;
    return hasAudio(request) ? chatFirst : either;
  },
  complete(answer, generation, request, { usage, cost }) {
    const ending = answer.ending ?? { incomplete: null, serviceTier: null };
    const state = answeredState(
      begunBy(generation, request),
      ending,
      answer.output,
      responseUsage(usage, cost),
    );
    const response = { ...state, ...settingsOf(request) };
    ended(response);
    return response;
  },
  content: responsesContent,
  present: (generation, request) => responsePresenter(generation, request, ended),
});
