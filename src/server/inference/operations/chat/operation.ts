import type { ChatChoice, ChatCompletion, ChatRequest } from "#contract/chat.ts";
import { carriersOf } from "#contract/inference-operations.ts";
import { tokensOfBytes } from "#server/billing/index.ts";
import { assertExtras } from "#server/inference/parameters/extras.ts";
import { usedParameters } from "#server/inference/parameters/used.ts";
import type { Generation } from "#server/inference/pipeline/generation.ts";
import type { Operation, Presenter } from "#server/inference/pipeline/operation.ts";
import { completionUsage, servedBy } from "#server/inference/pipeline/result.ts";
import { bytesPerTokenMax, ownTools, templateTokens } from "#server/inference/pipeline/token-bounds.ts";
import { assertReasoning } from "#server/inference/reasoning/form.ts";
import {
  type ChatChunk,
  chatFields,
  chatMaxTokens,
  chatParameters,
  nativeChat,
} from "#server/inference/wires/openai-chat/wire.ts";
import { chatAsResponse } from "#server/inference/wires/openai-responses/chat-wire.ts";
import { recordedSampling } from "#server/inference/wires/shared/json.ts";
import { prefixedId } from "#server/platform/ids.ts";
import { jsonBytes } from "#server/platform/long-json.ts";
import { chatContent } from "../shared/chat-content.ts";
import { chatSize } from "../shared/chat-size.ts";
import { choicesPresenter } from "../shared/choices-presenter.ts";
import { outputModalitiesOf } from "../shared/media-tokens.ts";

const wires = [chatAsResponse, nativeChat];
const failedChoice = {
  index: 0,
  delta: { content: "" },
  finish_reason: "error",
  native_finish_reason: null,
  logprobs: null,
};

const choicesOf = ({ choices }: ChatChunk): ChatChoice[] =>
  choices.flatMap(({ delta: _, message, ...choice }) => (message ? [{ ...choice, message }] : []));

export const chatPresenter = (generation: Generation): Presenter<ChatChunk> =>
  choicesPresenter(
    { id: prefixedId("gen", generation.id), object: "chat.completion.chunk", ...servedBy(generation) },
    failedChoice,
  );

type AnyOperation = Operation<ChatRequest, ChatChunk, ChatCompletion>;
type ChatOperation = AnyOperation & Required<Pick<AnyOperation, "present">>;

/** `POST /chat/completions`. */
export const chat: ChatOperation = {
  name: "chat",
  recorded: new Set([
    ...recordedSampling,
    "repetition_penalty",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "n",
    "reasoning_effort",
    "service_tier",
    "store",
    "transforms",
  ]),
  estimate(request) {
    assertReasoning(request);
    assertExtras(request, chatFields);
    const { bytes, media } = chatSize(request);
    return {
      apis: carriersOf("chat"),
      promptTokensMin: Math.floor(bytes / bytesPerTokenMax),
      promptTokensMax: bytes + templateTokens * (request.messages.length + 1),
      media,
      outputModalities: outputModalitiesOf(request),
      hostedTools: request.tools?.some(({ type }) => !ownTools.has(type)) ?? false,
      maxTokens: chatMaxTokens(request),

      answers: request.n ?? 1,
      searchUnits: 0,
      parameters: usedParameters(request, chatParameters),
    };
  },
  estimatePrompt: (request) => tokensOfBytes(jsonBytes(request.messages)),
  wires: () => wires,
  content: chatContent,
  complete: (answer, generation, _request, { usage, cost }) => ({
    ...answer.extras,
    id: prefixedId("gen", generation.id),
    object: "chat.completion",
    ...servedBy(generation),
    system_fingerprint: answer.systemFingerprint,
    choices: choicesOf(answer),
    usage: completionUsage(usage, cost),
  }),
  present: chatPresenter,
};
