import type { Dialect, FieldRules } from "./dialect.ts";
import { formats, lacks, takes, tools } from "./fields.ts";

/** What servers of open models take, and their hosts unless they say otherwise. */
const vllmFields: FieldRules = {
  ...tools,
  ...formats,
  ...takes("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed", "stop", "n", "logit_bias"),
  ...takes("frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "parallel_tool_calls"),
  ...takes("reasoning", "reasoning_effort", "user", "echo"),
  ...lacks("top_a", "verbosity", "prediction", "service_tier", "modalities", "audio", "store"),
  ...lacks("inference_geo", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"),
  ...lacks("prompt_cache_options", "max_tool_calls"),
};
const servesResponses = takes("reasoning", "max_tool_calls");

/** vLLM ignores fields that it does not know. */
export const vllm: Dialect = {
  name: "vllm",
  unknownFields: "ignored",
  source:
    "github.com/vllm-project/vllm vllm/entrypoints/openai: chat_completion, completion, responses protocol.py",
  asOf: "2026-11-24",
  fields: { ...vllmFields, ...lacks("suffix", "best_of") },
  responses: {
    ...servesResponses,
    ...lacks("min_p", "frequency_penalty", "presence_penalty", "logprobs", "n", "user"),
  },
  includes: [
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "message.output_text.logprobs",
    "reasoning.encrypted_content",
  ],
};

/** Ollama ignores fields that it does not know, and some that it lists. */
export const ollama: Dialect = {
  name: "ollama",
  unknownFields: "ignored",
  imagesAsDataOnly: true,
  responsesOverChat: true,
  onePrompt: true,
  source: "github.com/ollama/ollama openai/openai.go, openai/responses.go",
  asOf: "2026-11-24",
  fields: {
    ...formats,
    ...takes("temperature", "top_p", "seed", "stop", "frequency_penalty", "presence_penalty", "tools"),
    ...takes("logprobs", "top_logprobs", "reasoning", "reasoning_effort", "suffix"),
    ...lacks("tool_choice", "forced_tool_choice", "parallel_tool_calls", "n", "logit_bias", "top_k", "min_p"),
    ...lacks("top_a", "repetition_penalty", "verbosity", "prediction", "service_tier"),
    ...lacks("modalities", "audio", "store", "inference_geo", "user", "safety_identifier", "echo", "best_of"),
    ...lacks("prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "max_tool_calls"),
  },
  responses: servesResponses,
};

/** llama.cpp's server takes every sampling field. */
export const llamacpp: Dialect = {
  name: "llama-cpp",
  unknownFields: "ignored",
  source: "github.com/ggml-org/llama.cpp tools/server/README.md",
  asOf: "2026-11-20",
  fields: vllmFields,
  responses: servesResponses,
};

/** Scaleway lists what it ignores. */
export const scaleway: Dialect = {
  name: "scaleway",
  unknownFields: "ignored",
  source: "scaleway.com/en/docs/generative-apis, supported features",
  asOf: "2026-11-20",
  fields: {
    ...vllmFields,
    ...lacks("frequency_penalty", "n", "top_logprobs", "logit_bias", "user", "echo", "suffix", "best_of"),
  },
  responses: servesResponses,
};

/** IONOS documents these fields and no others. */
export const ionos: Dialect = {
  name: "ionos",
  unknownFields: "ignored",
  source: "api.ionos.com/docs/inference-openai/v1",
  asOf: "2026-11-20",
  fields: {
    ...tools,
    ...formats,
    ...takes(
      "temperature",
      "top_p",
      "stop",
      "n",
      "presence_penalty",
      "frequency_penalty",
      "logit_bias",
      "user",
    ),
    ...lacks("service_tier", "store", "inference_geo", "modalities", "audio"),
  },
};

/** Hosts of open models with vLLM or a similar server, of which no list of fields was found. */
export const openModelHost: Dialect = {
  name: "open-model-host",
  unknownFields: "ignored",
  source: "github.com/vllm-project/vllm; the host publishes no list of fields",
  asOf: "2026-11-20",
  fields: {
    ...takes("temperature", "top_p", "stop"),
    ...lacks("service_tier", "store", "inference_geo", "modalities", "audio"),
  },
};

/** Any server with OpenAI's HTTP API: nothing is known, so everything is sent. */
export const openaiCompatible: Dialect = {
  name: "openai-compatible",
  unknownFields: "ignored",
  source: "no document: the operator's own provider",
  asOf: "2026-11-20",
  fields: {},
};
