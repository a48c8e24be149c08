// OpenAI: platform.openai.com/docs/api-reference/chat, and the request types of the package openai.
import { completionFields, completionRules, completionsRoute } from "./completions.ts";
import { embeddingsOf } from "./embeddings.ts";
import type { Mock, Rule } from "./mock.ts";
import { shaped } from "./mock.ts";
import {
  chatRoute,
  commonFields,
  fieldRule,
  hasTools,
  logprobsRule,
  messagesOf,
  notFound,
  openAiError,
  openAiFailures,
  orderRule,
  toolRules,
  unauthorized,
  unknownToOpenAi,
} from "./openai-chat.ts";
import { chatModelRules } from "./openai-models.ts";
import { responsesRoute } from "./openai-responses.ts";
import {
  any,
  by,
  flag,
  isJson,
  type Json,
  list,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  record,
  text,
} from "./shape.ts";

const fields = object(
  {
    ...commonFields,
    messages: messagesOf({ refusal: text, audio: object({ id: text }), function_call: record }),
    tools: list(
      by("type", {
        function: object({
          type: any,
          function: object({ name: text, description: text, parameters: record, strict: nullable(flag) }, [
            "name",
          ]),
        }),
        custom: object({ type: any, custom: record }),
      }),
      { max: 128 },
    ),
    audio: object({ voice: any, format: text }, ["voice", "format"]),
    function_call: any,
    functions: list(record, { min: 1, max: 128 }),
    logit_bias: record,
    logprobs: nullable(flag),
    max_completion_tokens: nullable(number(1)),
    max_tokens: nullable(number(1)),
    metadata: record,
    modalities: list(oneOf("text", "audio")),
    moderation: record,
    n: nullable(number(1, 128)),
    prediction: object({ type: oneOf("content"), content: any }, ["type", "content"]),
    prompt_cache_key: text,
    prompt_cache_options: record,
    prompt_cache_retention: oneOf("in_memory", "24h"),
    reasoning_effort: any,
    safety_identifier: text,
    seed: nullable(number()),
    service_tier: oneOf("auto", "default", "flex", "scale", "priority", "fast"),
    store: nullable(flag),
    stream_options: object({ include_usage: flag, include_obfuscation: flag }),
    top_logprobs: nullable(number(0, 20)),
    user: text,
    verbosity: oneOf("low", "medium", "high"),
    web_search_options: record,
  },
  ["model", "messages"],
);

const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const toolNames: Rule = ({ tools }) => {
  const at = listOf(tools).findIndex(
    ({ function: declared }) => isJson(declared) && !toolName.test(String(declared.name)),
  );
  const param = `tools[${at}].function.name`;
  return at < 0
    ? null
    : openAiError(400, `Invalid '${param}': string does not match pattern.`, {
        param,
        code: "invalid_value",
      });
};

/** The subset of JSON schema that strict output takes: every property required, and no others. */
const isClosed = (schema: unknown): boolean => {
  if (!isJson(schema)) return true;
  const { properties, additionalProperties: others, required, items } = schema;
  if (!isClosed(items)) return false;
  if (!isJson(properties)) return true;
  const names = Object.keys(properties);
  return (
    others === false &&
    Array.isArray(required) &&
    names.every((name) => required.includes(name)) &&
    Object.values(properties).every(isClosed)
  );
};
const strictSchema = (body: Json): Json | null => {
  const { response_format: format, tools } = body;
  const inFormat = isJson(format) && isJson(format.json_schema) ? format.json_schema : null;
  if (inFormat?.strict === true && !isClosed(inFormat.schema)) return inFormat;
  const declared = listOf(tools).map(({ function: one }) => (isJson(one) ? one : {}));
  return declared.find(({ strict, parameters }) => strict === true && !isClosed(parameters)) ?? null;
};

/** Also Azure's, whose resources speak OpenAI's API. */
export const openAiChatRules: readonly Rule[] = [
  shaped(fields, unknownToOpenAi),
  ({ max_tokens: older, max_completion_tokens: newer }) =>
    older != null && newer != null
      ? openAiError(
          400,
          "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
          {
            code: "invalid_parameter_combination",
          },
        )
      : null,
  ...chatModelRules,
  ...toolRules,
  fieldRule(
    "parallel_tool_calls",
    (_, body) => !hasTools(body),
    "'parallel_tool_calls' is only allowed when 'tools' are specified.",
  ),
  logprobsRule,
  toolNames,
  orderRule,
  fieldRule(
    "response_format",
    (format, { messages }) =>
      isJson(format) && format.type === "json_object" && !/json/i.test(JSON.stringify(messages)),
    "'messages' must contain the word 'json' in some form.",
    null,
  ),
  (body) =>
    strictSchema(body)
      ? openAiError(
          400,
          "Invalid schema: 'additionalProperties' must be false and every property required.",
          {
            code: "invalid_json_schema",
          },
        )
      : null,
];

export const openai: Mock = {
  name: "openai",
  kind: "openai-compatible",
  basePath: "/v1",
  models: ["gpt-4.1", "gpt-5", "gpt-5.4", "o4-mini"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    chatRoute({ path: /^\/v1\/chat\/completions$/, rules: openAiChatRules }),
    responsesRoute(/^\/v1\/responses$/),
    completionsRoute(/^\/v1\/completions$/, [
      shaped(
        object({ ...completionFields, best_of: nullable(number(0, 20)), suffix: nullable(text) }, [
          "model",
          "prompt",
        ]),
        unknownToOpenAi,
      ),
      ...completionRules,
      ({ model, suffix }) =>
        suffix != null && model !== "gpt-3.5-turbo-instruct"
          ? openAiError(400, "Model does not support suffix.", { param: "suffix" })
          : null,
    ]),
    embeddingsOf({
      path: /^\/v1\/embeddings$/,
      fields: {
        input: any,
        model: text,
        dimensions: number(1),
        encoding_format: oneOf("float", "base64"),
        user: text,
      },
      refuse: unknownToOpenAi,
    }),
  ],
  unauthorized,
  notFound,
  failures: openAiFailures,
};
