import type { CompletionChoice, CompletionRequest } from "#contract/completions.ts";
import { usageFromOpenAi } from "#server/billing/index.ts";
import type { Api, Endpoint } from "#server/catalog/index.ts";
import { choicesOf, finishReason, type Generated, isJson, type Json, textOrNull } from "./generated.ts";

/** How a text completion travels over one of the operations an endpoint serves. */
export interface CompletionWire {
  readonly api: Api;
  /** The upstream's request body. */
  encode(request: CompletionRequest, endpoint: Endpoint, maxTokens: number, stream: boolean): Json;
  /** Reads an answer or one event of a stream; null when it is not what the protocol promises. */
  decode(value: unknown): Generated | null;
}

/** Request fields both wires know by the same name. */
const shared = [
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "top_a",
  "frequency_penalty",
  "presence_penalty",
  "repetition_penalty",
  "seed",
  "stop",
  "logit_bias",
  "n",
  "user",
] as const satisfies readonly (keyof CompletionRequest)[];

const nativeOnly = [
  "logprobs",
  "echo",
  "suffix",
  "best_of",
] as const satisfies readonly (keyof CompletionRequest)[];

type ForwardedField = (typeof shared)[number] | (typeof nativeOnly)[number];

/** Copies the fields that are set; those the endpoint is known not to take are left out (interface.md 1.1). */
function copyFields(
  request: CompletionRequest,
  endpoint: Endpoint,
  fields: readonly ForwardedField[],
  into: Json,
): Json {
  const known = endpoint.supportedParameters;
  for (const field of fields) {
    const value = request[field];
    if (value != null && (known.size === 0 || field === "n" || field === "user" || known.has(field)))
      into[field] = value;
  }
  return into;
}

const streaming = { stream: true, stream_options: { include_usage: true } };

function logprobsOf(value: unknown): CompletionChoice["logprobs"] {
  if (!isJson(value) || !Array.isArray(value.tokens) || !Array.isArray(value.token_logprobs)) return null;
  return {
    tokens: value.tokens,
    token_logprobs: value.token_logprobs,
    top_logprobs: Array.isArray(value.top_logprobs) ? value.top_logprobs : null,
    text_offset: Array.isArray(value.text_offset) ? value.text_offset : [],
  };
}

function generated(
  value: unknown,
  choice: (upstream: Json, index: number) => CompletionChoice,
): Generated | null {
  if (!isJson(value)) return null;
  const upstream = choicesOf(value);
  if (!upstream) return null;
  return {
    choices: upstream.map(choice),
    usage: usageFromOpenAi(value.usage),
    systemFingerprint: textOrNull(value.system_fingerprint),
  };
}

const indexOf = (upstream: Json, fallback: number): number =>
  typeof upstream.index === "number" ? upstream.index : fallback;

/** Upstreams with the legacy completions operation: text in, text out. */
export const nativeCompletions: CompletionWire = {
  api: "completions",
  encode: (request, endpoint, maxTokens, stream) =>
    copyFields(request, endpoint, [...shared, ...nativeOnly], {
      model: endpoint.upstreamModel,
      prompt: request.prompt,
      max_tokens: maxTokens,
      ...(stream && streaming),
    }),
  decode: (value) =>
    generated(value, (upstream, position) => ({
      text: textOrNull(upstream.text) ?? "",
      index: indexOf(upstream, position),
      finish_reason: finishReason(upstream.finish_reason),
      native_finish_reason: textOrNull(upstream.finish_reason),
      reasoning: null,
      logprobs: logprobsOf(upstream.logprobs),
    })),
};

const onlyPrompt = (prompt: CompletionRequest["prompt"]): string => {
  const first = typeof prompt === "string" ? prompt : prompt[0];
  if (typeof first !== "string") throw new TypeError("Token prompts cannot be sent as chat");
  return first;
};

/** Upstreams that only chat: the prompt becomes one user message. */
export const completionsAsChat: CompletionWire = {
  api: "chat",
  encode: (request, endpoint, maxTokens, stream) =>
    copyFields(request, endpoint, shared, {
      model: endpoint.upstreamModel,
      messages: [{ role: "user", content: onlyPrompt(request.prompt) }],
      max_tokens: maxTokens,
      ...(stream && streaming),
    }),
  decode: (value) =>
    generated(value, (upstream, position) => {
      const message = isJson(upstream.message)
        ? upstream.message
        : isJson(upstream.delta)
          ? upstream.delta
          : {};
      return {
        text: textOrNull(message.content) ?? "",
        index: indexOf(upstream, position),
        finish_reason: finishReason(upstream.finish_reason),
        native_finish_reason: textOrNull(upstream.finish_reason),
        reasoning: textOrNull(message.reasoning_content) ?? textOrNull(message.reasoning),
        logprobs: null,
      };
    }),
};

const isOnePrompt = (prompt: CompletionRequest["prompt"]): boolean =>
  typeof prompt === "string" || (prompt.length === 1 && typeof prompt[0] === "string");

/** The wires that can carry this request, best first. What chat cannot say needs a native endpoint. */
export function wiresFor(request: CompletionRequest): readonly CompletionWire[] {
  const { prompt, suffix, echo, best_of: bestOf, logprobs } = request;
  const asChat = isOnePrompt(prompt) && !suffix && !echo && (bestOf ?? 1) <= 1 && logprobs == null;
  return asChat ? either : nativeOnlyWires;
}
const either = [nativeCompletions, completionsAsChat];
const nativeOnlyWires = [nativeCompletions];
