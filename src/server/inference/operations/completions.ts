import type { Completion, CompletionChoice, CompletionRequest } from "#contract/completions.ts";
import { estimateTokens } from "#server/billing/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Operation } from "../operation.ts";
import { choicesPresenter } from "../present-choices.ts";
import type { Demand, NotInChat } from "../request.ts";
import { completionUsage, servedBy } from "../result.ts";
import { bytesPerTokenMax, templateTokens } from "../token-bounds.ts";
import { type CompletionPart, completionsAsChat, nativeCompletions } from "../wire/completions.ts";
import { samplingParameters } from "../wire/json.ts";
import { textContent } from "../wire/text-content.ts";

type Prompt = CompletionRequest["prompt"];

const promptCount = (prompt: Prompt): number =>
  typeof prompt === "string" || typeof prompt[0] === "number" ? 1 : prompt.length;

/** A token is at least one byte, or one number of a token array. */
function promptTokensMax(prompt: Prompt): number {
  if (typeof prompt === "string") return Buffer.byteLength(prompt) + templateTokens;
  let tokens = templateTokens * promptCount(prompt);
  for (const part of prompt) {
    tokens += typeof part === "string" ? Buffer.byteLength(part) : typeof part === "number" ? 1 : part.length;
  }
  return tokens;
}

function promptTokensMin(prompt: Prompt): number {
  const parts = typeof prompt === "string" ? [prompt] : prompt;
  if (typeof parts[0] === "number") return parts.length;
  // Several prompts have a window each.
  let longest = 0;
  for (const part of parts) {
    if (typeof part === "number") continue;
    const tokens = typeof part === "string" ? Buffer.byteLength(part) / bytesPerTokenMax : part.length;
    longest = Math.max(longest, tokens);
  }
  return Math.floor(longest);
}

const isText = (prompt: Prompt): boolean => typeof prompt === "string" || typeof prompt[0] === "string";

const tokensNotInChat: NotInChat = { param: "prompt", mend: "send text, not tokens" };

/** What chat cannot say needs a native endpoint. */
function asChat({ prompt, suffix, echo, best_of: bestOf, logprobs }: CompletionRequest): boolean {
  return isText(prompt) && !suffix && !echo && (bestOf ?? 1) <= 1 && logprobs == null;
}

const optional = [...samplingParameters, "logprobs", "top_logprobs", "reasoning"] as const;
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

/** `POST /completions`: text in, text out (interface.md 9.2). */
export const completions: Operation<CompletionRequest, CompletionPart, Completion> = {
  name: "completions",
  recorded: [...samplingParameters.slice(0, 7), "max_tokens", "seed", "n", "best_of"],
  demand(request): Demand {
    const { prompt, n, best_of: bestOf } = request;
    // The best of several is known when all are there: nothing could be streamed until then.
    if (request.stream && (bestOf ?? 1) > 1)
      throw new AppError("BAD_REQUEST", "best_of: cannot be streamed; leave it out, or leave stream out", {
        param: "best_of",
      });
    return {
      apis: asChat(request) ? ["completions", "chat"] : ["completions"],
      notInChat: isText(prompt) ? undefined : tokensNotInChat,
      promptTokensMin: promptTokensMin(prompt),
      promptTokensMax: promptTokensMax(prompt),
      maxTokens: request.max_tokens ?? null,
      answers: Math.max(n ?? 1, bestOf ?? 1) * promptCount(prompt),
      searchUnits: 0,
      parameters: optional.filter((name) => request[name] != null),
    };
  },
  estimatePrompt: ({ prompt }) =>
    typeof prompt === "string" ? estimateTokens(prompt) : promptTokensMax(prompt),
  wires: (request) => (asChat(request) ? either : nativeWires),
  content: textContent,
  whole: (answer, generation, _request, { usage, cost }) => ({
    id: `cmpl-${generation.id}`,
    object: head,
    ...servedBy(generation),
    system_fingerprint: answer.systemFingerprint,
    choices: [...answer.choices],
    usage: completionUsage(usage, cost),
  }),
  present: (generation) =>
    choicesPresenter({ id: `cmpl-${generation.id}`, object: head, ...servedBy(generation) }, failedChoice),
};
