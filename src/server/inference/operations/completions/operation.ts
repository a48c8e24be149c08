import type { Completion, CompletionChoice, CompletionRequest } from "#contract/completions.ts";
import { carriersOf } from "#contract/inference-operations.ts";
import { estimateTokens } from "#server/billing/index.ts";
import { assertExtras } from "#server/inference/parameters/extras.ts";
import { usedParameters } from "#server/inference/parameters/used.ts";
import type { Operation } from "#server/inference/pipeline/operation.ts";
import type { NotInChat, RequestEstimate } from "#server/inference/pipeline/request.ts";
import { completionUsage, servedBy } from "#server/inference/pipeline/result.ts";
import { bytesPerTokenMax, templateTokens } from "#server/inference/pipeline/token-bounds.ts";
import { assertReasoning } from "#server/inference/reasoning/form.ts";
import {
  type CompletionChunk,
  completionFields,
  completionsAsChat,
  nativeCompletions,
  promptsOf,
  withLogprobs,
} from "#server/inference/wires/openai-completions/wire.ts";
import { recordedSampling, samplingParameters } from "#server/inference/wires/shared/json.ts";
import { AppError } from "#server/platform/errors.ts";
import { prefixedId } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { choicesPresenter } from "../shared/choices-presenter.ts";
import { textContent } from "./content.ts";

/** A token is at least one byte, or one number of a token array. */
const tokensMax = (one: string | readonly number[]): number =>
  templateTokens + (typeof one === "string" ? Buffer.byteLength(one) : one.length);
const tokensMin = (one: string | readonly number[]): number =>
  typeof one === "string" ? Math.floor(Buffer.byteLength(one) / bytesPerTokenMax) : one.length;
const tokensOf = (one: string | readonly number[]): number =>
  typeof one === "string" ? estimateTokens(one) : one.length;
const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);

/** Why chat does not support a prompt; undefined if it does: with one request per text. */
function promptNotInChat(prompt: CompletionRequest["prompt"]): NotInChat | undefined {
  const { bodiesMax } = limits.upstream;
  const prompts = promptsOf(prompt);
  const repair =
    (prompts.some((one) => typeof one !== "string") && "send text, not tokens") ||
    (prompts.length > bodiesMax && `send at most ${bodiesMax} prompts`);
  return repair ? { param: "prompt", repair } : undefined;
}

/** Whether a request uses a field that chat does not have. */
const fieldsNotInChat: readonly (readonly [
  param: string,
  isUsed: (request: CompletionRequest) => boolean,
])[] = [
  ["suffix", ({ suffix }) => !!suffix],
  ["echo", ({ echo }) => !!echo],
  ["best_of", ({ best_of: bestOf }) => (bestOf ?? 1) > 1],
  ["logprobs", ({ logprobs }) => logprobs != null],
  ["top_logprobs", ({ top_logprobs: top }) => top != null],
];

/** What chat does not support; undefined if it supports the request. */
function notInChat(request: CompletionRequest): NotInChat | undefined {
  const field = fieldsNotInChat.find(([, isUsed]) => isUsed(request));
  return field ? { param: field[0], repair: "leave it out" } : promptNotInChat(request.prompt);
}

const optional = [
  ...samplingParameters,
  "n",
  "logprobs",
  "echo",
  "suffix",
  "best_of",
  "reasoning",
  "user",
] as const;
const either = [nativeCompletions, completionsAsChat];
const nativeWires = [nativeCompletions];

const head = "text_completion";

const failedChoice: CompletionChoice = {
  text: "",
  index: 0,
  finish_reason: "error",
  native_finish_reason: null,
  reasoning: null,
  logprobs: null,
};

/** `POST /completions`: text in, text out. */
export const completions: Operation<CompletionRequest, CompletionChunk, Completion> = {
  name: "completions",
  recorded: new Set([...recordedSampling, "max_tokens", "seed", "n", "best_of"]),
  estimate(request): RequestEstimate {
    const { prompt, n, best_of: bestOf } = request;
    assertReasoning(request);
    // The best of several answers is known only when all are complete, so nothing can be streamed.
    if (request.stream && (bestOf ?? 1) > 1)
      throw new AppError("BAD_REQUEST", "best_of: cannot be streamed; leave it out, or leave stream out", {
        param: "best_of",
      });
    assertExtras(request, completionFields);
    const prompts = promptsOf(prompt);
    const tokens = prompts.map(tokensMax);
    const unsaid = notInChat(request);
    return {
      apis: unsaid ? ["completions"] : carriersOf("completions"),
      notInChat: unsaid,
      promptTokensMin: Math.max(...prompts.map(tokensMin)),
      promptTokensMax: sum(tokens),
      promptTokensEach: Math.max(...tokens),
      maxTokens: request.max_tokens ?? null,
      answers: Math.max(n ?? 1, bestOf ?? 1) * prompts.length,
      searchUnits: 0,
      parameters: usedParameters(withLogprobs(request), optional),
    };
  },
  estimatePrompt: ({ prompt }) => sum(promptsOf(prompt).map(tokensOf)),
  wires: (request) => (notInChat(request) ? nativeWires : either),
  content: textContent,
  complete: (answer, generation, _request, { usage, cost }) => ({
    ...answer.extras,
    id: prefixedId("cmpl", generation.id),
    object: head,
    ...servedBy(generation),
    system_fingerprint: answer.systemFingerprint,
    choices: [...answer.choices],
    usage: completionUsage(usage, cost),
  }),
  present: (generation) =>
    choicesPresenter(
      { id: prefixedId("cmpl", generation.id), object: head, ...servedBy(generation) },
      failedChoice,
    ),
};
