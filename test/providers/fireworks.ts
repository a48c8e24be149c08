// Fireworks: docs.fireworks.ai (chat completions, completions, responses, reasoning), and errors in public issues.
// Unknown, and therefore as lenient here as the reference allows: which efforts a model outside of gpt-oss takes, whether
// `prompt_cache_key` and `service_tier` are taken, and whether responses and embeddings reject unknown fields as chat does.
import { completionFields, completionRules, completionsRoute } from "./completions.ts";
import { embeddingsOf } from "./embeddings.ts";
import type { Mock, Refusal, Rule } from "./mock.ts";
import { shaped } from "./mock.ts";
import { chatRoute, commonFields, fieldRule, messagesOf, orderRule, toolRules } from "./openai-chat.ts";
import { responseShape, responsesRoute } from "./openai-responses.ts";
import {
  any,
  type Check,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  type Problem,
  pathText,
  record,
  text,
  textOr,
} from "./shape.ts";

const failure = (status: number, message: string, type = "invalid_request_error"): Refusal => ({
  status,
  body: { error: { object: "error", type, code: type, message } },
});
const refuse = ({ path, kind, message }: Problem): Refusal =>
  failure(
    400,
    kind === "unknown"
      ? `Extra inputs are not permitted, field: '${pathText(path)}', value: ...`
      : `${message}, field: '${pathText(path)}'`,
  );

/** What chat and completions have beside OpenAI's fields. */
const sampling: Readonly<Record<string, Check>> = {
  top_k: nullable(number(0, 100)),
  min_p: nullable(number(0, 1)),
  typical_p: nullable(number(0, 1)),
  repetition_penalty: nullable(number(0, 2)),
  mirostat_target: nullable(number()),
  mirostat_lr: nullable(number()),
  seed: nullable(number()),
  n: nullable(number(1, 128)),
  logit_bias: nullable(record),
  max_tokens: nullable(number(0)),
  max_completion_tokens: nullable(number(0)),
  top_logprobs: nullable(number(0, 20)),
  echo: nullable(flag),
  echo_last: nullable(number(0)),
  ignore_eos: nullable(flag),
  context_length_exceeded_behavior: oneOf("truncate", "error"),
  prompt_truncate_len: nullable(number(0)),
  prediction: nullable(object({ type: oneOf("content"), content: any })),
  speculation: any,
  metadata: nullable(record),
  reasoning_effort: any,
  reasoning_history: nullable(text),
  thinking: object({ type: oneOf("enabled", "disabled"), budget_tokens: number(1_024) }),
  prompt_cache_isolation_key: nullable(text),
  prompt_cache_key: nullable(text),
  service_tier: nullable(text),
  perf_metrics_in_response: nullable(flag),
  raw_output: nullable(flag),
  return_token_ids: nullable(flag),
  user: nullable(text),
};
const fields = object(
  {
    ...commonFields,
    ...sampling,
    messages: messagesOf({ reasoning_content: text, function_call: record }),
    logprobs: nullable(any),
    stream_options: object({ include_usage: flag }),
  },
  ["model", "messages"],
);
const legacyFields = object(
  {
    ...completionFields,
    ...sampling,
    logprobs: nullable(number(0, 5)),
    images: list(text),
    response_format: record,
  },
  ["model", "prompt"],
);

const known = [
  ...["model", "input", "previous_response_id", "instructions", "max_output_tokens", "max_tool_calls"],
  ...[
    "metadata",
    "parallel_tool_calls",
    "reasoning",
    "store",
    "stream",
    "temperature",
    "text",
    "tool_choice",
  ],
  ...["tools", "top_p", "truncation", "user"],
];
const responseFields = object(Object.fromEntries(known.map((name) => [name, responseShape[name] ?? any])), [
  "model",
  "input",
]);

const effort: Rule = fieldRule(
  "reasoning_effort",
  (value, { model }) =>
    value !== null && /gpt-oss/.test(String(model)) && !["low", "medium", "high"].includes(String(value)),
  "reasoning_effort must be low, medium or high",
);
/** The guide on reasoning: an effort and a budget exclude each other. */
const one: Rule = ({ thinking, reasoning_effort: asked }) =>
  thinking != null && asked != null
    ? failure(400, "Cannot specify both 'thinking' and 'reasoning_effort'")
    : null;

export const fireworks: Mock = {
  name: "fireworks",
  kind: "openai-compatible",
  basePath: "/inference/v1",
  models: ["accounts/fireworks/models/gpt-oss-120b", "accounts/fireworks/models/glm-5p2"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    chatRoute({
      path: /^\/inference\/v1\/chat\/completions$/,
      thinks: ({ reasoning_effort: asked }) => asked !== "none",
      reasoning: "reasoning_content",
      rules: [shaped(fields, refuse), effort, one, ...toolRules, orderRule],
    }),
    completionsRoute(/^\/inference\/v1\/completions$/, [
      shaped(legacyFields, refuse),
      ...completionRules.slice(2),
      effort,
      one,
    ]),
    responsesRoute(/^\/inference\/v1\/responses$/, [shaped(responseFields, refuse)]),
    embeddingsOf({
      path: /^\/inference\/v1\/embeddings$/,
      fields: {
        model: text,
        input: textOr(list(any)),
        dimensions: number(1),
        user: text,
        encoding_format: text,
        prompt_template: text,
        normalize: flag,
        return_logits: list(number()),
      },
      refuse,
    }),
  ],
  unauthorized: failure(401, "The API key you provided is invalid.", "UNAUTHORIZED"),
  notFound: failure(404, "Path not found", "NOT_FOUND"),
  failures: {
    "too long": failure(400, "The prompt is too long: 9000, model maximum context length: 8191"),
    "rate limit": {
      ...failure(429, "Rate limit exceeded", "rate_limit_exceeded"),
      headers: { "retry-after": "1" },
    },
    suspended: failure(412, "Account is suspended."),
    overloaded: failure(503, "Service overloaded", "service_unavailable"),
  },
};
