// Cerebras: inference-docs.cerebras.ai, and the request types of @cerebras/cerebras_cloud_sdk (chat completions). The
// words of errors are those of public issues and of routers' tests with live requests. Unknown, and therefore taken here:
// messages of the developer, which these types do not have.
import type { Mock, Refusal } from "./mock.ts";
import { shaped } from "./mock.ts";
import {
  chatRoute,
  commonFields,
  content,
  hasTools,
  logprobsRule,
  orderRule,
  textPart,
  toolCall,
  toolRules,
} from "./openai-chat.ts";
import {
  any,
  by,
  flag,
  isJson,
  list,
  nullable,
  number,
  object,
  oneOf,
  type Problem,
  record,
  text,
  textOr,
} from "./shape.ts";

/** Errors are flat. */
const failure = (status: number, message: string, own: object = {}): Refusal => ({
  status,
  body: {
    message,
    type: "invalid_request_error",
    param: "validation_error",
    code: "wrong_api_format",
    ...own,
  },
});
const refuse = ({ path, kind, message }: Problem): Refusal => {
  const name = ["body", ...path].join(".");
  return failure(400, `${name}: ${kind === "unknown" ? `property '${name}' is unsupported` : message}`);
};

const said = textOr(list(by("type", { text: textPart })));
const fields = object(
  {
    ...commonFields,
    messages: list(
      by("role", {
        system: object({ role: any, content, name: text }, ["content"]),
        developer: object({ role: any, content, name: text }, ["content"]),
        user: object({ role: any, content, name: text }, ["content"]),
        assistant: object({
          role: any,
          content: nullable(said),
          name: text,
          reasoning: nullable(said),
          tool_calls: list(toolCall, { min: 1 }),
        }),
        tool: object({ role: any, content: said, tool_call_id: text, name: text }, [
          "content",
          "tool_call_id",
        ]),
      }),
      { min: 1 },
    ),
    temperature: nullable(number(0, 1.5)),
    clear_thinking: nullable(flag),
    disable_reasoning: nullable(flag),
    logit_bias: nullable(record),
    logprobs: nullable(flag),
    top_logprobs: nullable(number(0, 20)),
    max_completion_tokens: nullable(number(1)),
    max_tokens: nullable(number(1)),
    min_completion_tokens: nullable(number(-1)),
    min_tokens: nullable(number(-1)),
    n: nullable(number(1)),
    prediction: nullable(object({ type: oneOf("content"), content: any }, ["type", "content"])),
    prompt_cache_key: nullable(text),
    reasoning_effort: nullable(oneOf("low", "medium", "high")),
    reasoning_format: oneOf("none", "parsed", "text_parsed", "raw", "hidden"),
    seed: nullable(number()),
    service_tier: nullable(oneOf("auto", "default", "flex", "priority")),
    stream_options: nullable(object({ include_usage: nullable(flag) })),
    user: nullable(text),
  },
  ["model"],
);

export const cerebras: Mock = {
  name: "cerebras",
  kind: "openai-compatible",
  basePath: "/v1",
  models: ["gpt-oss-120b"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    chatRoute({
      path: /^\/v1\/chat\/completions$/,
      thinks: ({ disable_reasoning: off }) => off !== true,
      reasoning: "reasoning",
      rules: [
        shaped(fields, refuse),
        ({ max_tokens: older, max_completion_tokens: newer }) =>
          older != null && newer != null
            ? failure(400, "max_tokens and max_completion_tokens cannot both be set")
            : null,
        (body) =>
          hasTools(body) && isJson(body.response_format) && body.response_format.type !== "text"
            ? failure(400, '"tools" is incompatible with "response_format"')
            : null,
        ...toolRules,
        logprobsRule,
        orderRule,
      ],
    }),
  ],
  unauthorized: failure(401, "Wrong API Key", { param: "api_key", code: "wrong_api_key" }),
  notFound: failure(404, "Not found", { type: "not_found_error", param: null, code: "not_found" }),
  failures: {
    "too long": failure(400, "Please reduce the length of the messages or completion.", {
      param: "messages",
      code: "context_length_exceeded",
    }),
    "rate limit": {
      ...failure(429, "Tokens per minute limit exceeded.", {
        type: "too_many_tokens_error",
        param: "quota",
        code: "token_quota_exceeded",
      }),
      headers: { "retry-after": "1" },
    },
    overloaded: failure(429, "We're experiencing high traffic right now.", {
      type: "too_many_requests_error",
      param: "queue",
      code: "queue_exceeded",
    }),
  },
};
