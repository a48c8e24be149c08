import { json } from "#test/dialects/dialect.ts";
import {
  asSse,
  type FactCase,
  type Json,
  merged,
  openAiFigures,
  openAiRow,
  places,
  stopped,
} from "./fact-case.ts";

const openAiUsage = {
  prompt_tokens: 100,
  completion_tokens: 50,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 30, audio_tokens: 5 },
  completion_tokens_details: {
    ...{ reasoning_tokens: 20, audio_tokens: 7 },
    ...{ accepted_prediction_tokens: 3, rejected_prediction_tokens: 2 },
  },
};
const openAiParts = { audioPrompt: 5, audioCompletion: 7, predictionAccepted: 3, predictionRejected: 2 };

/** An answer in OpenAI's form, whole and in chunks. */
function openAi(answer: Json, choice: Json, message: Json, usage: Json, content: unknown = "Hi") {
  const head = { id: "1", created: 1, model: "m" };
  const chunk = (more: Json, ...choices: Json[]) => ({
    ...{ ...head, object: "chat.completion.chunk", choices },
    ...more,
  });
  return {
    complete: json({
      ...{ ...head, object: "chat.completion", usage, ...answer },
      choices: [
        { index: 0, message: { role: "assistant", content, ...message }, finish_reason: "stop", ...choice },
      ],
    }),
    stream: asSse(
      [
        // Azure's first chunk has no choice.
        ...(answer.prompt_filter_results ? [chunk(answer)] : []),
        chunk(answer, { index: 0, delta: { role: "assistant", content, ...message }, finish_reason: null }),
        chunk({ usage }, { index: 0, delta: {}, finish_reason: "stop", ...choice }),
      ],
      true,
    ),
  };
}

const safe = { hate: { filtered: false, severity: "safe" } };
const azureAnswer = {
  service_tier: "priority",
  system_fingerprint: "fp_1",
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }],
};
const azureChoice = { content_filter_results: safe };
const cited = { start_index: 1, end_index: 2, url: "https://eu.example", title: "EU" };
const azureMessage = { annotations: [{ type: "url_citation", url_citation: cited }] };
const { system_fingerprint: _, ...azureShown } = azureAnswer;

const reference = { type: "reference", reference_ids: [1, 2] };
const mistralUsage = {
  ...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150, num_cached_tokens: 30 },
  prompt_tokens_details: { audio_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 20 },
};

const deepSeekUsage = {
  ...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
  ...{ prompt_cache_hit_tokens: 30, prompt_cache_miss_tokens: 70 },
  completion_tokens_details: { reasoning_tokens: 20 },
};

/** Providers whose answers are in OpenAI's form. */
export const openAiKinds: readonly FactCase[] = [
  {
    name: "azure",
    title: "Azure",
    kind: "azure",
    ...openAi(azureAnswer, azureChoice, azureMessage, openAiUsage),
    facts: places(azureShown, azureChoice, azureMessage, {}),
    usage: openAiUsage,
    figures: { ...openAiFigures, ...openAiParts },
    row: openAiRow,
  },
  {
    name: "mistral",
    title: "Mistral",
    kind: "mistral",
    ...openAi(
      { guardrails: [{ name: "moderation" }] },
      {},
      {},
      { ...mistralUsage, service_tier: "priority" },
      [{ type: "text", text: "Hi" }, reference],
    ),
    facts: places(
      { guardrails: [{ name: "moderation" }], service_tier: "priority" },
      {},
      { references: [reference] },
    ),
    usage: { prompt_tokens_details: { cached_tokens: 30 } },
    figures: { ...openAiFigures, audioPrompt: 5 },
    row: openAiRow,
  },
  {
    name: "deepseek",
    title: "DeepSeek",
    kind: "openai-compatible",
    ...openAi({}, {}, {}, deepSeekUsage),
    facts: places({}, {}, {}),
    usage: {
      prompt_tokens_details: { cached_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 20 },
    },
    figures: openAiFigures,
    row: openAiRow,
  },
  {
    name: "vllm",
    title: "vLLM",
    kind: "openai-compatible",
    ...openAi(
      { citations: ["https://eu.example"], service_tier: "flex" },
      { stop_reason: "END" },
      {},
      openAiUsage,
    ),
    facts: merged(places({ citations: ["https://eu.example"], service_tier: "flex" }, {}, {}), stopped),
    usage: openAiUsage,
    figures: { ...openAiFigures, ...openAiParts },
    row: openAiRow,
  },
];
