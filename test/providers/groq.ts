// Groq: console.groq.com/docs (API reference, reasoning, errors), and the request types of groq-sdk.
import type { Mock, Rule } from "./mock.ts";
import { shaped } from "./mock.ts";
import {
  chatRoute,
  commonFields,
  fieldRule,
  hasFields,
  hasTools,
  messagesOf,
  notFound,
  openAiError,
  openAiFailures,
  orderRule,
  toolRules,
  tools,
  unauthorized,
} from "./openai-chat.ts";
import {
  any,
  flag,
  isJson,
  type Json,
  list,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  type Problem,
  pathText,
  record,
  text,
} from "./shape.ts";

const refuse = ({ path, kind, message }: Problem) =>
  openAiError(
    400,
    kind === "unknown" ? `property '${pathText(path)}' is unsupported` : `'${pathText(path)}' : ${message}`,
  );

const fields = object(
  {
    ...commonFields,
    messages: messagesOf({ reasoning: text }),
    citation_options: oneOf("enabled", "disabled"),
    compound_custom: record,
    disable_tool_validation: flag,
    documents: list(record),
    exclude_domains: list(text),
    include_domains: list(text),
    function_call: any,
    functions: list(record),
    include_reasoning: nullable(flag),
    logit_bias: record,
    logprobs: nullable(flag),
    top_logprobs: nullable(number(0, 20)),
    max_completion_tokens: nullable(number(1)),
    max_tokens: nullable(number(1)),
    metadata: record,
    n: nullable(number(1)),
    reasoning_effort: nullable(oneOf("none", "default", "low", "medium", "high")),
    reasoning_format: nullable(oneOf("hidden", "raw", "parsed")),
    search_settings: record,
    seed: nullable(number()),
    service_tier: nullable(oneOf("auto", "on_demand", "flex", "performance")),
    store: nullable(flag),
    stream_options: object({ include_usage: flag }),
    tools: (value, path) => tools(value, path) ?? list(any, { max: 128 })(value, path),
    user: text,
  },
  ["model", "messages"],
);

const efforts: readonly (readonly [family: RegExp, efforts: readonly string[]])[] = [
  [/gpt-oss/, ["low", "medium", "high"]],
  [/qwen3/, ["none", "default"]],
];
const effortsOf = ({ model }: Json) => efforts.find(([family]) => family.test(String(model)))?.[1] ?? [];

const noReasoning: Rule = (body) =>
  effortsOf(body).length === 0 && listOf(body.messages).some(({ reasoning }) => reasoning !== undefined)
    ? openAiError(400, "'messages' : reasoning is not supported with this model")
    : null;
/** Models without vision want a text. */
const textOnly: Rule = ({ model, messages }) => {
  const image = listOf(messages).some(({ content }) =>
    listOf(content).some(({ type }) => type === "image_url"),
  );
  return image && !/llama-4/.test(String(model))
    ? openAiError(400, "'messages[0].content' : value must be a string", { param: "messages" })
    : null;
};

export const groq: Mock = {
  name: "groq",
  kind: "openai-compatible",
  basePath: "/openai/v1",
  models: ["llama-3.3-70b-versatile", "openai/gpt-oss-120b", "qwen/qwen3-32b"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    chatRoute({
      path: /^\/openai\/v1\/chat\/completions$/,
      thinks: (body) => effortsOf(body).length > 0 && body.reasoning_effort !== "none",
      reasoning: "reasoning",
      rules: [
        shaped(fields, refuse),
        fieldRule("n", (n) => n !== null && n !== 1, "'n' : number must be at most 1"),
        fieldRule("logprobs", (value) => value === true, "logprobs is not supported with this model"),
        fieldRule("top_logprobs", (value) => value != null, "top_logprobs is not supported"),
        fieldRule("logit_bias", hasFields, "logit_bias is not supported with this model"),
        fieldRule(
          "reasoning_effort",
          (effort, body) => effort !== null && !effortsOf(body).includes(String(effort)),
          "reasoning_effort is not supported with this value and model",
        ),
        fieldRule(
          "reasoning_format",
          (_, { include_reasoning: include }) => include !== undefined,
          "cannot specify both reasoning_format and include_reasoning",
        ),
        fieldRule(
          "reasoning_format",
          (format, body) =>
            format === "raw" &&
            (hasTools(body) || (isJson(body.response_format) && body.response_format.type !== "text")),
          "reasoning_format raw is not supported with tools or JSON mode",
        ),
        noReasoning,
        textOnly,
        ...toolRules,
        orderRule,
      ],
    }),
  ],
  unauthorized,
  notFound,
  failures: {
    ...openAiFailures,
    "bad tool call": openAiError(400, "Failed to call a function.", { code: "tool_use_failed" }),
    "too large": openAiError(413, "Request too large for model.", {
      type: "tokens",
      code: "rate_limit_exceeded",
    }),
    "no capacity": openAiError(498, "Flex capacity exceeded.", { code: "capacity_exceeded" }),
  },
};
