import type { IncompleteReason } from "#contract/response-object.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { type Usage, usageFromOpenAi } from "#server/billing/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { Lost } from "#server/inference/parameters/lost.ts";
import { sendExtras, sendFields } from "#server/inference/parameters/send.ts";
import { malformed, unsupportedField } from "#server/inference/pipeline/failures.ts";
import type { Chunk, Reader, Wire } from "#server/inference/pipeline/operation.ts";
import { isPacked } from "#server/inference/reasoning/packed.ts";
import { isReasoning, sendResponsesReasoning } from "#server/inference/reasoning/send.ts";
import { randomHex } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { CollectedFacts } from "../openai-chat/collected-facts.ts";
import { reportLostInChat, reportStreamOptions, textFor } from "../openai-chat/responses-lost.ts";
import { chatRequestOf, customToolsOf } from "../openai-chat/responses-to-chat.ts";
import { ChatTranscriber } from "../openai-chat/transcriber.ts";
import { type ChatChunk, chatReader, nativeChat } from "../openai-chat/wire.ts";
import { failureOfError } from "../shared/error-body.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import { Output, outputText, type ResponseEvent } from "./events.ts";
import type { PreparedResponse } from "./prepared-response.ts";
import { repairedEvent, repairedItem } from "./repair.ts";

/** How an answer ended: whole, or why not. */
export interface ResponseEnding {
  readonly incomplete: IncompleteReason | null;
  /** The service tier that was used, if the upstream reports it. */
  readonly serviceTier: string | null;
  /** What a chat answer says beside its content, as members of the response. */
  readonly facts?: Json | null;
}

export interface ResponsesChunk extends Chunk {
  readonly events: readonly ResponseEvent[];
  /** Everything produced so far, this part included. */
  readonly output: Output;
  readonly ending: ResponseEnding | null;
}

type ResponsesWire = Wire<PreparedResponse, ResponsesChunk>;

const newId = (prefix: string): string => `${prefix}_${randomHex(24)}`;

const reasonOf = (finish: string | null): IncompleteReason | null =>
  finish === "length" ? "max_output_tokens" : finish === "content_filter" ? "content_filter" : null;

const logprobsOf = (logprobs: unknown): readonly unknown[] =>
  isJson(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : [];

function transcribed(request: PreparedResponse): Reader<ResponsesChunk> {
  // One answer is what this operation has; upstreams are asked for no more.
  const chat = chatReader(1);
  const transcriber = new ChatTranscriber({
    summary: request.reasoning?.summary != null || request.reasoning?.generate_summary != null,
    customTools: customToolsOf(request),
    newId,
  });
  const facts = new CollectedFacts("annotations");
  const transcribe = (chunk: ChatChunk): ResponsesChunk => {
    let ending: ResponseEnding | null = null;
    facts.add(chunk);
    for (const { message, delta, logprobs, finish_reason: finish } of chunk.choices) {
      transcriber.write(message ?? delta ?? {}, logprobsOf(logprobs));
      if (finish === null) continue;
      const incomplete = reasonOf(finish);
      transcriber.end(incomplete === null);
      ending = { incomplete, serviceTier: facts.serviceTier(), facts: facts.facts() };
    }
    const { usage, hasContent, text, finishReason, nativeFinishReason, serviceTier } = chunk;
    const part = { usage, hasContent, text, finishReason, nativeFinishReason, serviceTier };
    return { ...part, events: transcriber.take(), output: transcriber.output, ending };
  };
  return {
    answer: (value) => transcribe(chat.answer(value)),
    event(value) {
      const part = chat.event(value);
      return part && transcribe(part);
    },
    finished: chat.finished,
    end: () => transcribe(chat.end()),
  };
}

/** Fields that the schema of chat does not have, and some providers of chat do. */
const besideChat = ["max_tool_calls", "prompt_cache_retention", "prompt_cache_options"] as const;

/** Upstreams that only chat: the conversation goes as messages, the answer is written down as a response. */
export const responsesAsChat: ResponsesWire = {
  api: "chat",
  encode(request, endpoint, sending) {
    const to = { endpoint, api: "chat", sending };
    const lost = (name: string) => sending.changes.drop(name);
    reportLostInChat(request, lost);
    reportStreamOptions(request, lost);
    const body = nativeChat.encode(chatRequestOf(request), endpoint, sending);
    sendFields(request, besideChat, body, to);
    sendExtras(request, responseFields, body, to);
    return body;
  },
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
  "max_tool_calls",
  "service_tier",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
  "user",
] as const;

/** What every upstream of this operation understands. */
const ownFields = ["instructions", "text"] as const;

/** The names of the fields that a request for a response may have, and of the one that we add. */
export const responseFields: ReadonlySet<string> = new Set([...Object.keys(ResponseRequest.shape), "items"]);

/** What asks for log probabilities, without which the answer is not what was asked for. */
const outputLogprobs = "message.output_text.logprobs";
/** What asks for reasoning that can be sent back although nothing is stored. */
export const sealedThoughts = "reasoning.encrypted_content";

/**
 * Nothing is stored upstream, so thoughts can only go on when they come sealed: they are asked for where the model
 * is known to think.
 */
function includeOf({ include, reasoning }: PreparedResponse, endpoint: Endpoint, lost: Lost): string[] {
  const { supportedParameters: listed, rules } = endpoint;
  const isTaken = (name: string) => rules.includes?.includes(name) ?? true;
  const isListed = listed.has("reasoning") || listed.has("reasoning_effort");
  const thinks = isReasoning(endpoint) || (reasoning != null && isListed);
  const asked = include ?? [];
  for (const name of asked) {
    if (isTaken(name)) continue;
    if (name === outputLogprobs) throw unsupportedField("include");
    lost("include");
  }
  return [...new Set([...asked, ...(thinks ? [sealedThoughts] : [])])].filter(isTaken);
}

/** Thoughts that are not sealed would be looked for upstream, where nothing is stored; ours it cannot read. */
const understood = ({ type, encrypted_content: content }: Json): boolean =>
  type !== "reasoning" || (typeof content === "string" && !isPacked(content));

/** Members that OpenAI's clients add to what they are given, and send back with it. */
const ofClients = new Set(["parsed", "parsed_arguments"]);

/** An item as it was given out: what is null, or a client's own, is refused by strict providers. */
function withoutClientMembers(item: Json): Json {
  const stored = Object.entries(item).filter(([name, value]) => value !== null && !ofClients.has(name));
  const content = Array.isArray(item.content) ? item.content : null;
  return {
    ...Object.fromEntries(stored),
    ...(content && {
      content: content.map((part: unknown) => (isJson(part) ? withoutClientMembers(part) : part)),
    }),
  };
}

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

/** How a response object says that it ended. Throws `AttemptError` when it did not end well. */
function endingOf(response: Json, output: Output): ResponsesChunk {
  const { status } = response;
  if (status === "failed" || status === "cancelled") throw failureOfError(response.error);
  if (status !== "completed" && status !== "incomplete")
    throw malformed("it ended before it was complete", 200);
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
    events: [],
    output,
    ending: { incomplete, serviceTier: textOrNull(response.service_tier) },
  };
}

/** The upstream's own words on its output win over what its events made of it. */
function outputOf({ output: given }: Json, made: Output): Output {
  if (!Array.isArray(given) || given.length === 0) return made;
  if (given.length > limits.upstream.partsMax) throw malformed("it has too many items", 200);
  const output = new Output();
  for (const [output_index, item] of given.entries())
    output.apply({ type: "response.output_item.done", output_index, item: repairedItem(item) });
  return output;
}

const lifecycle = new Set(["response.created", "response.in_progress", "response.queued"]);
const endings = new Set(["response.completed", "response.incomplete", "response.failed"]);

function nativeReader(): Reader<ResponsesChunk> {
  const output = new Output();
  let ended: ResponsesChunk | null = null;
  const pass = ({ sequence_number: _, obfuscation: __, ...given }: ResponseEvent): ResponsesChunk => {
    const event = repairedEvent(given);
    output.apply(event);
    const delta = event.type.endsWith(".delta") ? (textOrNull(event.delta) ?? "") : "";
    const hasContent = delta !== "" || event.type === "response.output_item.done";
    return { ...nothing, text: delta, hasContent, events: [event], output };
  };
  return {
    answer(value) {
      if (!isJson(value)) throw malformed("it is no object", 200);
      const answer = endingOf(value, outputOf(value, output));
      return { ...answer, text: outputText(answer.output.items()) };
    },
    event(value) {
      if (!isJson(value)) throw malformed("an event is no object", 200);
      const type = textOrNull(value.type);
      if (type === null || lifecycle.has(type)) return null;
      if (endings.has(type)) {
        if (!isJson(value.response)) throw malformed("it ends without a response", 200);
        const end = endingOf(value.response, outputOf(value.response, output));
        ended ??= end;
        return { ...nothing, usage: end.usage, events: [], output };
      }
      if (!ended) return pass({ ...value, type });
      if (value.output_index !== undefined) throw malformed("it goes on after its end", 200);
      return null;
    },
    finished: () => ended !== null,
    end() {
      if (ended) return { ...ended, hasContent: true };
      throw malformed("it ended before it was complete", 200);
    },
  };
}

/** Upstreams that speak this operation: events pass as they come. */
export const nativeResponses: ResponsesWire = {
  api: "responses",
  serves: (_, { rules, apis }) => !(rules.responsesOverChat && apis.has("chat")),
  encode(request, endpoint, sending) {
    const to = { endpoint, api: "responses", sending };
    const body: Json = {
      model: endpoint.upstreamModel,
      input: request.items.filter(understood).map(withoutClientMembers),
      ...(sending.maxTokens !== null && { max_output_tokens: sending.maxTokens }),
      store: false,
      ...(sending.stream && { stream: true }),
    };
    const lost = (name: string) => sending.changes.drop(name);
    const include = includeOf(request, endpoint, lost);
    if (include.length > 0) body.include = include;
    for (const name of ownFields) if (request[name] != null) body[name] = request[name];
    if (request.text != null) body.text = textFor(request.text, endpoint.rules, lost);
    if (!request.items.every(understood)) lost("input.reasoning");
    reportStreamOptions(request, lost);
    sendFields(request, optionalParameters, body, to);
    sendResponsesReasoning(request, body, to);
    sendExtras(request, responseFields, body, to);
    return body;
  },
  reader: nativeReader,
};
