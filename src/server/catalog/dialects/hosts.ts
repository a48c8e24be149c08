// Hosts of open models that document which fields they take.
import type { Dialect } from "./dialect.ts";
import {
  completionsOnly,
  foreignSampling,
  formats,
  lacks,
  oneOf,
  penalties,
  renames,
  takes,
  tools,
  upTo,
} from "./fields.ts";

/** Groq's API rejects unknown fields and more than one choice; it ignores penalties. */
export const groq: Dialect = {
  name: "groq",
  unknownFields: "rejected",
  systemMessages: "anywhere",
  source: "github.com/groq/groq-typescript src/resources/chat",
  asOf: "2026-11-20",
  fields: {
    ...tools,
    ...formats,
    ...takes("temperature", "top_p", "seed", "stop", "parallel_tool_calls", "reasoning", "reasoning_effort"),
    ...takes("user"),
    ...oneOf("service_tier", ["auto", "on_demand", "flex", "performance"]),
    ...lacks(
      ...foreignSampling,
      ...penalties,
      ...completionsOnly,
      "n",
      "logprobs",
      "top_logprobs",
      "logit_bias",
    ),
    ...lacks("verbosity", "prediction", "modalities", "audio", "store", "inference_geo", "max_tool_calls"),
    ...lacks("safety_identifier", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options"),
  },
};

/** Cerebras rejects unknown fields. */
export const cerebras: Dialect = {
  name: "cerebras",
  unknownFields: "rejected",
  formatsWithoutTools: ["json_object", "json_schema"],
  source: "github.com/Cerebras/cerebras-cloud-sdk-node src/resources/chat",
  asOf: "2026-11-20",
  fields: {
    ...tools,
    ...formats,
    ...upTo("temperature", 1.5),
    ...takes("top_p", "seed", "stop", "n", "logprobs", "top_logprobs", "logit_bias", "user"),
    ...takes(
      "parallel_tool_calls",
      "reasoning",
      "reasoning_effort",
      "service_tier",
      "prompt_cache_key",
      "prediction",
    ),
    ...takes(...penalties),
    ...lacks(...foreignSampling, ...completionsOnly, "verbosity", "modalities", "audio", "store"),
    ...lacks(
      "inference_geo",
      "max_tool_calls",
      "safety_identifier",
      "prompt_cache_retention",
      "prompt_cache_options",
    ),
  },
};

/** Fireworks rejects unknown fields. */
export const fireworks: Dialect = {
  name: "fireworks",
  unknownFields: "rejected",
  source: "docs.fireworks.ai, chat completions, completions and responses; npm @ai-sdk/fireworks",
  asOf: "2026-11-24",
  includes: [],
  fields: {
    ...tools,
    ...formats,
    ...takes("temperature", "top_p", "min_p", "seed", "stop", "n", "logprobs", "top_logprobs", "echo"),
    ...upTo("top_k", 100),
    ...takes(
      "logit_bias",
      "repetition_penalty",
      "parallel_tool_calls",
      "reasoning",
      "reasoning_effort",
      "user",
    ),
    ...takes("prompt_cache_key", "service_tier", "prediction", ...penalties),
    ...lacks("top_a", "verbosity", "modalities", "audio", "store", "inference_geo", "max_tool_calls"),
    ...lacks("safety_identifier", "prompt_cache_retention", "prompt_cache_options", "suffix", "best_of"),
  },
  responses: {
    ...takes("max_tool_calls", "reasoning"),
    ...lacks("top_k", "min_p", "repetition_penalty", "seed", "stop", "n", "logprobs", "top_logprobs"),
    ...lacks("logit_bias", "reasoning_effort", "prompt_cache_key", "service_tier", "prediction"),
    ...lacks(...penalties),
  },
};

/** Together ignores most of what it does not know; its number of log probabilities is `logprobs`. */
export const together: Dialect = {
  name: "together",
  unknownFields: "ignored",
  source: "github.com/togethercomputer/together-typescript src/resources/chat",
  asOf: "2026-11-20",
  fields: {
    ...tools,
    ...formats,
    ...takes(
      "top_p",
      "top_k",
      "min_p",
      "repetition_penalty",
      "seed",
      "stop",
      "n",
      "logit_bias",
      ...penalties,
    ),
    ...takes("temperature", "reasoning", "reasoning_effort"),
    ...renames("top_logprobs", "logprobs"),
    ...lacks(
      "top_a",
      "parallel_tool_calls",
      "verbosity",
      "prediction",
      "service_tier",
      "modalities",
      "audio",
    ),
    ...lacks("store", "inference_geo", "user", "safety_identifier", "prompt_cache_key"),
    ...lacks("prompt_cache_retention", "max_tool_calls", "prompt_cache_options"),
  },
};
