import type { Dialect, FieldRules, ModelFamily } from "./dialect.ts";
import {
  completionsOnly,
  foreignSampling,
  formats,
  lacks,
  takes,
  takesWithoutReasoning,
  tools,
} from "./fields.ts";

const common: FieldRules = {
  ...tools,
  ...formats,
  ...takes(
    "n",
    "seed",
    "parallel_tool_calls",
    "reasoning",
    "reasoning_effort",
    "verbosity",
    "prediction",
    "modalities",
  ),
  ...takes("audio", "service_tier", "store", "user", "safety_identifier", "prompt_cache_key"),
  ...takes("prompt_cache_retention", "prompt_cache_options"),
  ...lacks(...foreignSampling, "inference_geo", "max_tool_calls"),
};

const sampled: FieldRules = takes(
  "temperature",
  "top_p",
  "frequency_penalty",
  "presence_penalty",
  "stop",
  "logprobs",
  "top_logprobs",
  "logit_bias",
);

const reasoningOnly = lacks("frequency_penalty", "presence_penalty", "stop", "logit_bias");

/** Models that have only the legacy completions operation. */
const legacy: FieldRules = {
  ...takes("echo", "best_of"),
  ...lacks("reasoning", "reasoning_effort", "verbosity", "prediction", "modalities", "audio", "store"),
  ...lacks("service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"),
  ...lacks("prompt_cache_options", "parallel_tool_calls"),
};

/** Models that reason, by what their sampling allows. */
const reasoningFamilies: readonly ModelFamily[] = [
  {
    models: /^(gpt-5\.[1-9]|gpt-6(-luna|-sol|\.1-terra))/,
    fields: {
      ...reasoningOnly,
      ...takesWithoutReasoning("temperature", "top_p", "logprobs", "top_logprobs"),
    },
  },
  {
    models: /^(o\d|gpt-5|gpt-6)/,
    fields: { ...reasoningOnly, ...lacks("temperature", "top_p", "logprobs", "top_logprobs") },
  },
];
const otherFamilies: readonly ModelFamily[] = [
  { models: /^gpt-3\.5-turbo-instruct/, fields: { ...legacy, ...takes("suffix") } },
  { models: /^(davinci|babbage)-002/, fields: { ...legacy, ...lacks("suffix") } },
  {
    models: /^gpt-4/,
    fields: lacks("reasoning", "reasoning_effort", "verbosity"),
    responses: lacks("reasoning"),
  },
];

/** OpenAI's models by what they take. */
export const openAiFamilies: readonly ModelFamily[] = [...reasoningFamilies, ...otherFamilies];

/** The vendor's package does not know the models behind deployments, and takes no log probabilities of reasoning ones. */
const azureFamilies: readonly ModelFamily[] = [
  ...reasoningFamilies.map(({ models, fields }) => ({
    models,
    fields: { ...fields, ...lacks("logprobs", "top_logprobs") },
  })),
  ...otherFamilies,
];

/** What the responses operation takes in another way than chat, at OpenAI and at Azure. */
const responses: FieldRules = {
  ...takes("reasoning", "max_tool_calls"),
  ...lacks("n", "seed", "frequency_penalty", "presence_penalty", "stop", "logit_bias", "prediction"),
  ...lacks("modalities", "audio", "logprobs", "reasoning_effort"),
};

/**
 * OpenAI's own API. It rejects unknown fields, and fields that a model does not take. Its guide "Migrate to the
 * Responses API" says that it stores the chats of new accounts unless `store` is false.
 */
export const openai: Dialect = {
  name: "openai",
  unknownFields: "rejected",
  systemMessages: "anywhere",
  toolTypes: ["function", "custom"],
  allowedTools: true,
  source: "github.com/openai/openai-node src/resources; npm @ai-sdk/openai 4.0.118",
  asOf: "2026-11-20",
  fields: { ...common, ...sampled },
  responses,
  toolsWithReasoning: "responses",
  storesChats: true,
  families: openAiFamilies,
};

/** OpenAI's models at Azure. Chat goes through the vendor's package, which has no way for the other fields. */
export const azure: Dialect = {
  name: "azure",
  unknownFields: "rejected",
  systemMessages: "anywhere",
  source: "npm @ai-sdk/azure 4.0.85",
  asOf: "2026-11-20",
  fields: {
    ...common,
    ...sampled,
    ...takes("reasoning"),
    ...lacks(...completionsOnly, "n", "prediction", "modalities", "audio", "store"),
    ...lacks("service_tier", "prompt_cache_retention", "prompt_cache_options"),
  },
  responses: { ...responses, ...takes("prompt_cache_retention") },
  toolsWithReasoning: "responses",
  families: azureFamilies,
};
