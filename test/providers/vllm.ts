// vLLM: docs.vllm.ai (OpenAI-compatible server), and vllm/entrypoints/openai/chat_completion/protocol.py. Unknown
// fields are ignored.

import { completionsRoute } from "./completions.ts";
import { embeddingsOf, rerankOf } from "./embeddings.ts";
import { reading } from "./heard.ts";
import type { Mock, Refusal, Rule } from "./mock.ts";
import { chatRoute, hasTools, logprobsRule, toolRules } from "./openai-chat.ts";
import { responsesRoute } from "./openai-responses.ts";
import { any, type Check, isJson, type Json, listOf } from "./shape.ts";

/** Codes are numbers here. */
const failure = (status: number, message: string, param: string | null = null): Refusal => ({
  status,
  body: { error: { message, type: "BadRequestError", param, code: status } },
});
/** Rules that are OpenAI's, in vLLM's form. */
const asVllm =
  (rule: Rule): Rule =>
  (body, asked) => {
    const refusal = rule(body, asked);
    const error = isJson(refusal?.body) && isJson(refusal.body.error) ? refusal.body.error : {};
    return refusal && failure(400, String(error.message), String(error.param));
  };

const named: Rule = (body) => {
  const { tool_choice: choice } = body;
  const name = isJson(choice) && isJson(choice.function) ? choice.function.name : null;
  const names = listOf(body.tools).map(({ function: one }) => (isJson(one) ? one.name : null));
  return name !== null && hasTools(body) && !names.includes(name)
    ? failure(400, "The tool specified in `tool_choice` does not match any of the specified `tools`")
    : null;
};
/** The fields of ResponsesRequest that are used; `service_tier`, `prompt_cache_key` and `user` are only declared. */
const responses = {
  ...reading(
    "background",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "model",
  ),
  ...reading("logit_bias", "parallel_tool_calls", "previous_response_id", "prompt", "store", "stream"),
  ...reading("temperature", "tool_choice", "tools", "top_logprobs", "top_p", "top_k", "truncation", "stop"),
  ...reading("repetition_penalty", "seed", "structured_outputs", "metadata"),
  reasoning: reading("effort"),
  text: reading("format"),
};
/** The fields of CompletionRequest; there is no `best_of`. */
const completions = {
  ...reading("model", "prompt", "echo", "frequency_penalty", "logit_bias", "logprobs", "max_tokens", "n"),
  ...reading("presence_penalty", "seed", "stop", "stream", "stream_options", "temperature", "top_p", "user"),
  ...reading("top_k", "min_p", "repetition_penalty", "response_format"),
};
/** The literals of `include`. */
const includes = [
  ...["code_interpreter_call.outputs", "computer_call_output.output.image_url", "file_search_call.results"],
  ...["message.input_image.image_url", "message.output_text.logprobs", "reasoning.encrypted_content"],
];
const includeRule: Rule = ({ include }) => {
  const other = [include ?? []].flat().find((one) => !includes.includes(String(one)));
  return other === undefined ? null : failure(400, `include: Input should be one of ${includes}`, "include");
};
const lenient: Readonly<Record<string, Check>> = new Proxy({}, { get: () => any });

export const vllm: Mock = {
  name: "vllm",
  kind: "openai-compatible",
  basePath: "/v1",
  models: ["Qwen/Qwen3-32B"],
  auth: ["authorization", "Bearer "],
  isStrict: false,
  reads: { completions, responses },
  routes: [
    chatRoute({
      path: /^\/v1\/chat\/completions$/,
      thinks: ({ chat_template_kwargs: kwargs, reasoning_effort: effort }: Json) =>
        (isJson(kwargs) && kwargs.enable_thinking === true) || (effort != null && effort !== "none"),
      reasoning: "reasoning",
      rules: [...toolRules.map(asVllm), asVllm(logprobsRule), named],
    }),
    completionsRoute(/^\/v1\/completions$/, [
      ({ suffix }) => (suffix == null ? null : failure(400, "suffix is not currently supported", "suffix")),
      ({ stream_options: options, stream }) =>
        options != null && stream !== true
          ? failure(400, "Stream options can only be defined when `stream=True`.", "stream_options")
          : null,
    ]),
    responsesRoute(/^\/v1\/responses$/, [includeRule]),
    embeddingsOf({
      path: /^\/v1\/embeddings$/,
      fields: lenient,
      refuse: ({ message }) => failure(400, message),
    }),
    rerankOf({ path: /^\/v1\/rerank$/, fields: lenient, refuse: ({ message }) => failure(400, message) }),
  ],
  unauthorized: { status: 401, body: { error: "Unauthorized" } },
  notFound: { status: 404, body: { detail: "Not Found" } },
  failures: {
    "too long": failure(400, "This model's maximum context length is 8192 tokens.", "input_tokens"),
    "no such model": {
      status: 404,
      body: {
        error: { message: "The model does not exist.", type: "NotFoundError", param: "model", code: 404 },
      },
    },
    overloaded: failure(503, "The server is overloaded."),
  },
};
