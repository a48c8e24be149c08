import type { IncompleteReason } from "#contract/responses.ts";
import { type Usage, usageFromOpenAi } from "#server/billing/index.ts";
import { randomHex } from "#server/platform/ids.ts";
import { failureOfStatus, refusalBytesMax } from "../failures.ts";
import type { Part, Reader, Wire } from "../operation.ts";
import type { PreparedResponse } from "../prepared-response.ts";
import { type ChatPart, chatReader, nativeChat } from "./chat.ts";
import { ChatTranscriber } from "./chat-transcriber.ts";
import { copyFields, isJson, type Json, textOrNull } from "./json.ts";
import { Output, outputText, type ResponseEvent } from "./response-events.ts";
import { chatRequestOf, customToolsOf } from "./responses-to-chat.ts";

/** How an answer ended: whole, or why not. */
export interface ResponseEnding {
  readonly incomplete: IncompleteReason | null;
  /** The tier that really served, when the upstream tells. */
  readonly serviceTier: string | null;
}

export interface ResponsesPart extends Part {
  readonly events: readonly ResponseEvent[];
  /** Everything produced so far, this part included. */
  readonly output: Output;
  readonly ending: ResponseEnding | null;
}

type ResponsesWire = Wire<PreparedResponse, ResponsesPart>;

const newId = (prefix: string): string => `${prefix}_${randomHex(24)}`;

const reasonOf = (finish: string | null): IncompleteReason | null =>
  finish === "length" ? "max_output_tokens" : finish === "content_filter" ? "content_filter" : null;

const logprobsOf = (logprobs: unknown): readonly unknown[] =>
  isJson(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : [];

function transcribed(request: PreparedResponse): Reader<ResponsesPart> {
  const chat = chatReader();
  const transcriber = new ChatTranscriber({
    summary: request.reasoning?.summary != null || request.reasoning?.generate_summary != null,
    customTools: customToolsOf(request),
    newId,
  });
  const transcribe = ({ choices }: ChatPart): ResponseEnding | null => {
    let ending: ResponseEnding | null = null;
    for (const { index, message, delta, logprobs, finish_reason: finish } of choices) {
      // One answer is what this operation has; upstreams are asked for no more.
      if (index !== 0) continue;
      if (finish === "error") throw failureOfStatus(500, undefined);
      transcriber.write(message ?? delta ?? {}, logprobsOf(logprobs));
      if (finish === null) continue;
      const incomplete = reasonOf(finish);
      transcriber.end(incomplete === null);
      ending = { incomplete, serviceTier: null };
    }
    return ending;
  };
  return {
    read(value) {
      const part = chat.read(value);
      if (!part) return null;
      const { usage, hasContent, text, finishReason, nativeFinishReason } = part;
      const ending = transcribe(part);
      const common = { usage, hasContent, text, finishReason, nativeFinishReason };
      return { ...common, events: transcriber.take(), output: transcriber.output, ending };
    },
    complete: () => chat.complete(),
  };
}

/** Upstreams that only chat: the conversation goes as messages, the answer is written down as a response. */
export const responsesAsChat: ResponsesWire = {
  api: "chat",
  encode: (request, endpoint, maxTokens, stream) =>
    nativeChat.encode(chatRequestOf(request), endpoint, maxTokens, stream),
  reader: transcribed,
};

/** Request fields that reach an upstream unless it is known not to take them. */
export const optionalParameters = [
  "temperature",
  "top_p",
  "top_k",
  "presence_penalty",
  "frequency_penalty",
  "top_logprobs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
] as const;

/** What every upstream of this operation understands. */
const passedOn = [
  "instructions",
  "max_tool_calls",
  "text",
  "service_tier",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
  "user",
] as const;
const everything: ReadonlySet<string> = new Set();

const sealedThoughts = "reasoning.encrypted_content";

/**
 * Nothing is stored upstream, so thoughts can only go on when they come sealed: they are asked for where the model
 * is known to think.
 */
function includeOf({ include, reasoning }: PreparedResponse, thinks: boolean): string[] {
  const asked = include ?? [];
  return reasoning && thinks && !asked.includes(sealedThoughts) ? [...asked, sealedThoughts] : [...asked];
}

/** Thoughts that are not sealed would be looked for upstream, where nothing is stored. */
const understood = (item: Json): boolean =>
  item.type !== "reasoning" || typeof item.encrypted_content === "string";

function usageOf(value: unknown): Usage | null {
  if (!isJson(value)) return null;
  return usageFromOpenAi({
    prompt_tokens: value.input_tokens,
    completion_tokens: value.output_tokens,
    prompt_tokens_details: value.input_tokens_details,
    completion_tokens_details: value.output_tokens_details,
  });
}

const nothing = {
  usage: null,
  hasContent: false,
  text: "",
  finishReason: null,
  nativeFinishReason: null,
  ending: null,
};

/** Statuses that stand for the reasons a response gives for its failure. */
const failureStatus: Record<string, number> = { rate_limit_exceeded: 429, server_error: 500 };

function failed(error: unknown): Error {
  const { code, message } = isJson(error) ? error : {};
  if (typeof code !== "string") return failureOfStatus(500, undefined);
  const words = `${code} ${textOrNull(message) ?? ""}`.slice(0, refusalBytesMax);
  return failureOfStatus(failureStatus[code] ?? 400, undefined, words);
}

/** What a whole response object says, when it is one that ended well. */
function endingOf(response: Json, output: Output, events: readonly ResponseEvent[]): ResponsesPart | null {
  const { status } = response;
  if (status === "failed" || status === "cancelled") throw failed(response.error);
  if (status !== "completed" && status !== "incomplete") return null;
  const details = isJson(response.incomplete_details) ? response.incomplete_details.reason : null;
  const incomplete: IncompleteReason | null =
    status === "completed" ? null : details === "content_filter" ? "content_filter" : "max_output_tokens";
  const called = output.items().some(({ type }) => type === "function_call" || type === "custom_tool_call");
  return {
    usage: usageOf(response.usage),
    hasContent: output.length() > 0 || incomplete !== null,
    text: "",
    finishReason:
      incomplete === "max_output_tokens" ? "length" : (incomplete ?? (called ? "tool_calls" : "stop")),
    nativeFinishReason: textOrNull(details) ?? status,
    events,
    output,
    ending: { incomplete, serviceTier: textOrNull(response.service_tier) },
  };
}

/** The upstream's own words on its output win over what its events made of it. */
function outputOf(response: Json, made: Output): Output {
  const given = Array.isArray(response.output) ? response.output.filter(isJson) : [];
  if (given.length === 0) return made;
  const output = new Output();
  for (const [output_index, item] of given.entries())
    output.apply({ type: "response.output_item.done", output_index, item });
  return output;
}

const lifecycle = new Set(["response.created", "response.in_progress", "response.queued"]);
const endings = new Set(["response.completed", "response.incomplete", "response.failed"]);

function nativeReader(): Reader<ResponsesPart> {
  const output = new Output();
  let ended = false;
  const end = (response: unknown): ResponsesPart | null => {
    if (!isJson(response)) return null;
    ended = true;
    return endingOf(response, outputOf(response, output), []);
  };
  const pass = ({ sequence_number: _, obfuscation: __, ...event }: ResponseEvent): ResponsesPart => {
    output.apply(event);
    const delta = event.type.endsWith(".delta") ? (textOrNull(event.delta) ?? "") : "";
    const hasContent = delta !== "" || event.type === "response.output_item.done";
    return { ...nothing, text: delta, hasContent, events: [event], output };
  };
  return {
    read(value) {
      if (!isJson(value)) return null;
      if (value.object === "response") {
        const whole = end(value);
        return whole && { ...whole, text: outputText(whole.output.items()) };
      }
      const type = textOrNull(value.type);
      if (type === null || lifecycle.has(type)) return null;
      if (type === "error") throw failed(value);
      return endings.has(type) ? end(value.response) : pass({ ...value, type });
    },
    complete: () => ended,
  };
}

/** Upstreams that speak this operation: events pass as they come. */
export const nativeResponses: ResponsesWire = {
  api: "responses",
  encode(request, { upstreamModel, supportedParameters }, maxTokens, stream) {
    const body: Json = {
      model: upstreamModel,
      input: request.items.filter(understood),
      max_output_tokens: maxTokens,
      store: false,
      ...(stream && { stream: true }),
    };
    const include = includeOf(
      request,
      supportedParameters.has("reasoning") || supportedParameters.has("reasoning_effort"),
    );
    if (include.length > 0) body.include = include;
    copyFields(request, everything, passedOn, body);
    return copyFields(request, supportedParameters, optionalParameters, body);
  },
  reader: nativeReader,
};
