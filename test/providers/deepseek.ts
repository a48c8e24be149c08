// DeepSeek: api-docs.deepseek.com (chat completion, thinking mode, tool calls, error codes). Unknown fields are ignored.
import { reading } from "./heard.ts";
import type { Mock, Rule } from "./mock.ts";
import {
  chatRoute,
  fieldRule,
  notFound,
  openAiError,
  openAiFailures,
  orderRule,
  toolRules,
  unauthorized,
} from "./openai-chat.ts";
import { isJson, type Json, listOf } from "./shape.ts";

/** On unless it is switched off, and off where the model's name says so. */
const thinks = ({ thinking, model }: Json): boolean =>
  isJson(thinking) ? thinking.type !== "disabled" : model !== "deepseek-chat";

const replayed: Rule = (body) => {
  const at = listOf(body.messages).findIndex(
    ({ role, tool_calls: calls, reasoning_content: thought }) =>
      role === "assistant" && listOf(calls).length > 0 && typeof thought !== "string",
  );
  return thinks(body) && at >= 0
    ? openAiError(400, `Missing reasoning_content field in the assistant message at message index ${at}.`)
    : null;
};

/** Sampling is read only without thinking. */
const reads = reading(
  "model",
  "messages",
  "thinking",
  "reasoning_effort",
  "max_tokens",
  "response_format",
  "stop",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "frequency_penalty",
  "presence_penalty",
  "tools",
  "tool_choice",
  "logprobs",
  "top_logprobs",
);

export const deepseek: Mock = {
  name: "deepseek",
  kind: "openai-compatible",
  basePath: "/v1",
  models: ["deepseek-reasoner", "deepseek-chat"],
  auth: ["authorization", "Bearer "],
  isStrict: false,
  reads: { chat: reads },
  routes: [
    chatRoute({
      path: /^\/v1\/chat\/completions$/,
      thinks,
      reasoning: "reasoning_content",
      rules: [
        fieldRule(
          "response_format",
          (format) => isJson(format) && format.type === "json_schema",
          "This response_format type is unavailable now",
        ),
        fieldRule(
          "tool_choice",
          (choice, body) => thinks(body) && (choice === "required" || isJson(choice)),
          "This tool_choice is not supported in thinking mode.",
        ),
        fieldRule(
          "reasoning_effort",
          (effort) => typeof effort !== "string" || !/^(minimal|low|medium|high|xhigh|max)$/.test(effort),
          "Invalid reasoning_effort",
        ),
        fieldRule(
          "logprobs",
          (value, body) => value === true && thinks(body),
          "deepseek-reasoner does not support the parameter logprobs",
        ),
        fieldRule(
          "top_logprobs",
          (value, body) => value != null && thinks(body),
          "deepseek-reasoner does not support the parameter top_logprobs",
        ),
        ...toolRules,
        orderRule,
        replayed,
      ],
    }),
  ],
  unauthorized,
  notFound,
  failures: {
    ...openAiFailures,
    "no credit": openAiError(402, "Insufficient Balance", { code: "invalid_request_error" }),
    invalid: openAiError(422, "Invalid parameters"),
  },
};
