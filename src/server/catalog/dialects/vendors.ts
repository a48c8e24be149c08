import type { Dialect, FieldRules } from "./dialect.ts";
import { completionsOnly, foreignSampling, formats, lacks, penalties, takes, tools, upTo } from "./fields.ts";

/** What no package has a way for. */
const noPackage: FieldRules = lacks(
  ...completionsOnly,
  "n",
  "logprobs",
  "top_logprobs",
  "modalities",
  "audio",
  "min_p",
  "top_a",
  "repetition_penalty",
  "logit_bias",
  "verbosity",
  "prediction",
  "service_tier",
  "store",
  "inference_geo",
  "max_tool_calls",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
);
const reasoning = takes("reasoning", "reasoning_effort");

/** Claude refuses sampling and a begun answer since 4.7, and a forced tool since the models of 5.5. */
const samplingItself = lacks("temperature", "top_p", "top_k");
/** Claude takes one of these two since 4.1. */
const eitherSampling: FieldRules = { top_p: { support: "supported", insteadOf: "temperature" } };
const unforced = { ...samplingItself, ...lacks("forced_tool_choice") };
const claudeFamilies = [
  { models: /claude-((opus|sonnet|haiku)-5-5|fable-5)/, fields: unforced, withoutPrefill: true },
  { models: /claude-(opus-4-[78]|(opus|sonnet|haiku)-5)/, fields: samplingItself, withoutPrefill: true },
  { models: /claude-(opus|sonnet)-4-6/, fields: eitherSampling, withoutPrefill: true },
  { models: /claude-(opus-4-1|(opus|sonnet|haiku)-4-5)/, fields: eitherSampling },
] as const;

/** Anthropic's Messages API, through the vendor's package. */
export const anthropic: Dialect = {
  name: "anthropic",
  unknownFields: "rejected",
  systemMessages: "anywhere",
  source:
    "npm @ai-sdk/anthropic 4.0.105; github.com/anthropics/anthropic-sdk-typescript src/resources/messages",
  asOf: "2026-11-20",
  fields: {
    ...noPackage,
    ...tools,
    ...formats,
    ...lacks("json_object"),
    ...reasoning,
    ...takes("top_p", "top_k", "stop"),
    ...upTo("temperature", 1),
    ...lacks("seed", ...penalties),
    ...takes("parallel_tool_calls"),
  },
  families: claudeFamilies,
};

/** Gemini's own API, through the vendor's package. */
export const google: Dialect = {
  name: "google",
  unknownFields: "rejected",
  systemMessages: "first",
  imagesAsDataOnly: true,
  source: "npm @ai-sdk/google 4.0.121",
  asOf: "2026-11-20",
  fields: {
    ...noPackage,
    ...tools,
    ...formats,
    ...reasoning,
    ...takes("temperature", "top_p", "top_k", "seed", "stop", ...penalties),
    ...lacks("parallel_tool_calls"),
  },
  families: [
    // For a schema, its package makes a tool of it.
    { models: /^gemini-2\.5/, fields: lacks(...penalties), formatsWithoutTools: ["json_object"] },
  ],
};

/** Bedrock's Converse API, through the vendor's package. */
export const bedrock: Dialect = {
  name: "bedrock",
  unknownFields: "rejected",
  systemMessages: "first",
  imagesAsDataOnly: true,
  source: "npm @ai-sdk/amazon-bedrock 5.0.101",
  asOf: "2026-11-20",
  fields: {
    ...noPackage,
    ...tools,
    ...formats,
    ...lacks("json_object"),
    ...reasoning,
    ...takes("top_p", "stop"),
    ...upTo("temperature", 1),
    ...lacks("top_k", "seed", ...penalties, "parallel_tool_calls"),
  },
  families: [
    ...claudeFamilies,
    { models: /gpt-(4|5|6)|openai\.gpt-(4|5|6)/, fields: lacks("temperature", "top_p", "stop") },
  ],
};

/** Mistral's API, through the vendor's package. */
export const mistral: Dialect = {
  name: "mistral",
  unknownFields: "rejected",
  systemMessages: "first",
  source: "npm @ai-sdk/mistral 4.0.87; github.com/mistralai/client-ts",
  asOf: "2026-11-20",
  fields: {
    ...noPackage,
    ...tools,
    ...formats,
    ...reasoning,
    ...takes("top_p", "stop", "seed", "parallel_tool_calls", "prompt_cache_key", ...penalties),
    ...upTo("temperature", 1.5),
    ...lacks("top_k"),
  },
};

/** DeepSeek ignores what it does not know, and has no JSON schemas. */
export const deepseek: Dialect = {
  name: "deepseek",
  unknownFields: "ignored",
  systemMessages: "anywhere",
  toolTypes: ["function"],
  source: "api-docs.deepseek.com, create chat completion and thinking mode",
  asOf: "2026-11-20",
  fields: {
    ...takes(
      "tools",
      "tool_choice",
      "response_format",
      "json_object",
      "stop",
      "reasoning",
      "reasoning_effort",
    ),
    ...takes("temperature", "top_p"),
    ...lacks(
      ...foreignSampling,
      "structured_outputs",
      "forced_tool_choice",
      "logprobs",
      "top_logprobs",
      "n",
      "seed",
      "logit_bias",
    ),
    ...lacks("parallel_tool_calls", "verbosity", "prediction", "service_tier", "modalities"),
    ...lacks("audio", "store", "inference_geo", "user", "safety_identifier", "prompt_cache_key"),
    ...lacks("prompt_cache_retention", "prompt_cache_options", "best_of", "max_tool_calls"),
  },
  families: [{ models: /reasoner/, fields: lacks("logprobs", "top_logprobs") }],
};

/** Cohere's compatibility API ignores what it does not know. */
export const cohere: Dialect = {
  name: "cohere",
  unknownFields: "ignored",
  source: "docs.cohere.com, compatibility API",
  asOf: "2026-11-20",
  fields: {
    ...tools,
    ...formats,
    ...takes("seed", "stop", "reasoning", "reasoning_effort"),
    ...upTo("temperature", 1),
    ...upTo("top_p", 0.99),
    ...upTo("frequency_penalty", 1),
    ...upTo("presence_penalty", 1),
    ...lacks(...foreignSampling, ...completionsOnly, "n", "logprobs", "top_logprobs", "logit_bias"),
    ...lacks("parallel_tool_calls", "verbosity", "prediction", "service_tier", "modalities"),
    ...lacks("audio", "store", "inference_geo", "user", "safety_identifier", "prompt_cache_key"),
    ...lacks("prompt_cache_retention", "max_tool_calls", "prompt_cache_options"),
  },
};
