import { CompletionChoice, CompletionRequest, FinishReason } from "#contract/completions.ts";
import { reportLost } from "#server/inference/parameters/lost.ts";
import { type Sending, sendExtras, sendFields } from "#server/inference/parameters/send.ts";
import { malformed, unsupportedField } from "#server/inference/pipeline/failures.ts";
import type { Wire } from "#server/inference/pipeline/operation.ts";
import { reasoningOf } from "#server/inference/reasoning/form.ts";
import { reasoningNames, sendReasoning } from "#server/inference/reasoning/send.ts";
import { completeMessage, Deltas, type Spoken } from "../shared/assistant-message.ts";
import {
  type ChoicesChunk,
  choicesReader,
  finishReason,
  nativeReason,
  type Shown,
} from "../shared/choices.ts";
import { isJson, type Json, notStored, samplingParameters, streaming, tokenLimit } from "../shared/json.ts";
import { providerText } from "../shared/provider-text.ts";

export type CompletionChunk = ChoicesChunk<CompletionChoice>;
type CompletionWire = Wire<CompletionRequest, CompletionChunk>;

const nativeOnly = ["logprobs", "echo", "suffix", "best_of"] as const;
const forwarded = [...samplingParameters, "n", "user"] as const;
const forwardedNatively = [...forwarded, ...nativeOnly] as const;
/** The names of the fields that a completion request may have. */
export const completionFields: ReadonlySet<string> = new Set(Object.keys(CompletionRequest.shape));

const Logprobs = CompletionChoice.shape.logprobs.unwrap().extend({
  top_logprobs: CompletionChoice.shape.logprobs.unwrap().shape.top_logprobs.catch(null),
  text_offset: CompletionChoice.shape.logprobs.unwrap().shape.text_offset.catch([]),
});

/** Reports fields that this operation has no place for. */
function dropSet(request: CompletionRequest, names: Iterable<string>, { changes }: Sending) {
  for (const name of names) if (request[name] != null) changes.drop(name);
}

/** The most log probabilities that the operation has for one token. */
const logprobsMax = 5;

/** A request whose `top_logprobs`, the name of chat, is its `logprobs`. It is reported if `sending` is given. */
export function withLogprobs(request: CompletionRequest, sending?: Sending): CompletionRequest {
  const { top_logprobs: top, logprobs } = request;
  if (top == null) return request;
  sending?.changes.translate("top_logprobs", "logprobs");
  if (top > logprobsMax) sending?.changes.clamp("top_logprobs");
  return { ...request, logprobs: Math.max(logprobs ?? 0, Math.min(top, logprobsMax)) };
}

const streamMembers = new Set(["include_usage"]);

/** Usage is always asked for; nothing else of a stream's options is sent. */
function reportStreamOptions({ stream_options: options }: CompletionRequest, { changes }: Sending): void {
  if (options != null) reportLost(options, streamMembers, "stream_options", (name) => changes.drop(name));
}

type Prompt = CompletionRequest["prompt"];

/** Each prompt has a window of its own. By the schema all of a list are what its first is, which types cannot tell. */
export const promptsOf = (prompt: Prompt): readonly (string | readonly number[])[] => {
  if (typeof prompt === "string") return [prompt];
  return typeof prompt[0] === "number" ? [prompt as number[]] : (prompt as string[] | number[][]);
};

/** A text completion never ends in a tool call. */
const textFinish = (native: unknown): FinishReason | null => {
  const reason = finishReason(native);
  return reason === null ? null : (FinishReason.safeParse(reason).data ?? "stop");
};

const choiceOf = (
  upstream: Json,
  index: number,
  own: Pick<CompletionChoice, "text" | "reasoning" | "logprobs">,
): Shown<CompletionChoice> => ({
  choice: {
    ...own,
    index,
    finish_reason: textFinish(upstream.finish_reason),
    native_finish_reason: nativeReason(upstream),
  },
  text: own.reasoning ? own.text + own.reasoning : own.text,
  hasContent: own.text !== "" || !!own.reasoning,
});

const empty = (index: number): CompletionChoice => ({
  text: "",
  index,
  finish_reason: null,
  native_finish_reason: null,
  reasoning: null,
  logprobs: null,
});

function nativeChoice(upstream: Json, index: number): Shown<CompletionChoice> {
  const { logprobs } = upstream;
  return choiceOf(upstream, index, {
    text: providerText(upstream.text) ?? "",
    reasoning: null,
    logprobs: logprobs == null ? null : (Logprobs.safeParse(logprobs).data ?? null),
  });
}

/** How many answers a request is owed. */
export const choicesMaxOf = ({ prompt, n }: CompletionRequest): number => (n ?? 1) * promptsOf(prompt).length;

/** A prompt for servers that take one text. Throws `AttemptError` for tokens. */
function loneText(prompt: string | readonly number[]): string {
  if (typeof prompt === "string") return prompt;
  throw unsupportedField("prompt");
}

/** Upstreams with the legacy completions operation: text in, text out. */
export const nativeCompletions: CompletionWire = {
  api: "completions",
  split: (request, { rules }) =>
    rules.onePrompt && Array.isArray(request.prompt)
      ? promptsOf(request.prompt).map((prompt) => ({ ...request, prompt: loneText(prompt) }))
      : [request],
  encode(request, endpoint, sending) {
    const to = { endpoint, api: "completions", sending };
    reportStreamOptions(request, sending);
    const body: Json = {
      model: endpoint.upstreamModel,
      prompt: request.prompt,
      ...(sending.maxTokens !== null && { max_tokens: sending.maxTokens }),
      ...(sending.stream && streaming),
    };
    dropSet(request, reasoningNames, sending);
    sendFields(withLogprobs(request, sending), forwardedNatively, body, to);
    sendExtras(request, completionFields, body, to);
    return body;
  },
  reader: (request) =>
    choicesReader(choicesMaxOf(request), {
      complete(upstream, index) {
        if (upstream.text == null) throw malformed("a choice has no text", 200);
        return nativeChoice(upstream, index);
      },
      piece: nativeChoice,
      empty,
    }),
};

const textOf = (prompt: unknown): string => {
  if (typeof prompt !== "string") throw new TypeError("Token prompts cannot be sent as chat");
  return prompt;
};

/** The text of a chat message. Throws `AttemptError` for anything but text. */
function spokenChoice(
  upstream: Json,
  index: number,
  spoken: Spoken,
  excludeReasoning: boolean,
): Shown<CompletionChoice> {
  const { content, refusal, reasoning, tool_calls: calls } = spoken;
  if (calls) throw malformed("it calls a tool where a text was asked for", 200);
  const shown = choiceOf(upstream, index, {
    text: (content ?? "") + (refusal ?? ""),
    reasoning: reasoning ?? null,
    logprobs: null,
  });
  return excludeReasoning ? { ...shown, choice: { ...shown.choice, reasoning: null } } : shown;
}

/** Upstreams that only chat: a prompt becomes one user message, several prompts as many requests. */
export const completionsAsChat: CompletionWire = {
  api: "chat",
  split: (request) =>
    typeof request.prompt === "string"
      ? [request]
      : request.prompt.map((prompt) => ({ ...request, prompt: textOf(prompt) })),
  encode(request, endpoint, sending) {
    const to = { endpoint, api: "chat", sending };
    reportStreamOptions(request, sending);
    const body: Json = {
      model: endpoint.upstreamModel,
      messages: [{ role: "user", content: textOf(request.prompt) }],
      ...tokenLimit(endpoint, sending, { name: "max_tokens", tokens: request.max_tokens ?? null }),
      ...(sending.stream && streaming),
      ...(endpoint.rules.storesChats && notStored),
    };
    sendReasoning(request, false, body, to);
    sendFields(request, forwarded, body, to);
    sendExtras(request, completionFields, body, to);
    return body;
  },
  reader(request) {
    // No tools are offered, so a delta needs none of the ones before it.
    const deltas = new Deltas();
    const { exclude } = reasoningOf(request);
    return choicesReader(choicesMaxOf(request), {
      complete(upstream, index) {
        if (!isJson(upstream.message)) throw malformed("a choice has no message", 200);
        return spokenChoice(upstream, index, completeMessage(upstream.message), exclude);
      },
      piece: (upstream, index) =>
        spokenChoice(upstream, index, isJson(upstream.delta) ? deltas.next(upstream.delta) : {}, exclude),
      empty,
      end: () => deltas.end(),
    });
  },
};
