// What providers with OpenAI's chat completions have in common: shapes, order of messages, answers.
import { complete, stream } from "#test/dialects/openai.ts";
import { type Asked, type Refusal, type Route, type Rule, sceneOf, type Wanted } from "./mock.ts";
import {
  any,
  by,
  type Check,
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
  textOr,
} from "./shape.ts";

/** OpenAI's error body. */
export const openAiError = (
  status: number,
  message: string,
  own: { readonly type?: string; readonly param?: string | null; readonly code?: unknown } = {},
): Refusal => ({
  status,
  body: { error: { message, type: "invalid_request_error", param: null, code: null, ...own } },
});

/** As OpenAI's clients see it: a member at the top has neither `param` nor `code`, one further inside has both. */
export const unknownToOpenAi = ({ path, kind, message }: Problem): Refusal => {
  const param = pathText(path);
  if (kind !== "unknown")
    return openAiError(400, `Invalid '${param}': ${message}.`, { param, code: `${kind}_value` });
  return path.length === 1
    ? openAiError(400, `Unrecognized request argument supplied: ${param}`)
    : openAiError(400, `Unknown parameter: '${param}'.`, { param, code: "unknown_parameter" });
};

/** A rule over one field: refused when `wrong` says so. */
export const fieldRule =
  (
    param: string,
    wrong: (value: unknown, body: Json) => boolean,
    message: string,
    code: string | null = "invalid_value",
  ): Rule =>
  (body) =>
    body[param] !== undefined && wrong(body[param], body) ? openAiError(400, message, { param, code }) : null;

export const toolCall = object({
  id: text,
  type: oneOf("function"),
  function: object({ name: text, arguments: text }, ["name", "arguments"]),
});
export const textPart = object({ type: any, text }, ["text"]);
export const imagePart = object({ type: any, image_url: object({ url: text, detail: text }, ["url"]) });
const audioPart = object({
  type: any,
  input_audio: object({ data: text, format: text }, ["data", "format"]),
});
const filePart = object({ type: any, file: object({ file_data: text, file_id: text, filename: text }) });
const refusalPart = object({ type: any, refusal: text });

export const content = textOr(
  list(by("type", { text: textPart, image_url: imagePart, input_audio: audioPart, file: filePart }), {
    min: 1,
  }),
);
/** Messages by role; `own` are members of an assistant's turn beside OpenAI's common ones. */
export const messagesOf = (own: Readonly<Record<string, Check>>): Check =>
  list(
    by("role", {
      system: object({ role: any, content, name: text }, ["content"]),
      developer: object({ role: any, content, name: text }, ["content"]),
      user: object({ role: any, content, name: text }, ["content"]),
      assistant: object({
        role: any,
        content: nullable(textOr(list(by("type", { text: textPart, refusal: refusalPart })))),
        name: text,
        tool_calls: list(toolCall, { min: 1 }),
        ...own,
      }),
      // The name is in the vendors' examples and in what LangChain sends, and has no effect.
      tool: object({ role: any, content: textOr(list(textPart)), tool_call_id: text, name: text }, [
        "content",
        "tool_call_id",
      ]),
    }),
    { min: 1 },
  );

export const tools = list(
  object({
    type: oneOf("function"),
    function: object({ name: text, description: text, parameters: record, strict: nullable(flag) }, ["name"]),
  }),
);
export const responseFormat = by("type", {
  text: object({ type: any }),
  json_object: object({ type: any }),
  json_schema: object({
    type: any,
    json_schema: object({ name: text, description: text, schema: record, strict: nullable(flag) }, ["name"]),
  }),
});

/** Fields that every strict provider with this operation knows. */
export const commonFields: Readonly<Record<string, Check>> = {
  model: text,
  stream: nullable(flag),
  temperature: nullable(number(0, 2)),
  top_p: nullable(number(0, 1)),
  stop: nullable(textOr(list(text, { max: 4 }))),
  tools,
  tool_choice: textOr(record),
  parallel_tool_calls: flag,
  response_format: responseFormat,
  frequency_penalty: nullable(number(-2, 2)),
  presence_penalty: nullable(number(-2, 2)),
};

export const hasTools: (body: Json) => boolean = ({ tools: given }) => listOf(given).length > 0;
export const hasFields = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

/** Rules that OpenAI and every server after its model enforce: vLLM's, Mistral's and Groq's references say the same. */
export const toolRules: readonly Rule[] = [
  fieldRule(
    "tools",
    (given) => Array.isArray(given) && given.length === 0,
    "[] is too short - 'tools'",
    "empty_array",
  ),
  fieldRule(
    "tool_choice",
    (choice, body) => choice !== "none" && choice !== null && !hasTools(body),
    "'tool_choice' is only allowed when 'tools' are specified.",
  ),
  fieldRule(
    "stream_options",
    (options, { stream: streamed }) => options !== null && streamed !== true,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ),
];
export const logprobsRule = fieldRule(
  "top_logprobs",
  (top, { logprobs }) => top !== null && logprobs !== true,
  "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
);

/** Each call is answered before anything else is said, and nothing is answered that was not called. */
export const orderRule: Rule = ({ messages }) => {
  let open = new Set<unknown>();
  for (const [at, { role, tool_calls: calls, tool_call_id: id }] of listOf(messages).entries()) {
    if (role === "tool") {
      if (!open.delete(id))
        return openAiError(
          400,
          "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
          { param: `messages.[${at}].role` },
        );
    } else if (open.size > 0) break;
    if (role === "assistant") open = new Set(listOf(calls).map((call) => call.id));
  }
  return open.size === 0
    ? null
    : openAiError(
        400,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        { param: "messages" },
      );
};

/** What a body of OpenAI's chat asks for. */
export const wantedOfChat = (
  { messages, tools: given, tool_choice: choice }: Json,
  thinks: boolean,
): Wanted => {
  const [tool] = choice === "none" ? [] : listOf(given);
  const name = isJson(tool?.function) ? tool.function.name : null;
  return {
    tool: typeof name === "string" ? name : null,
    results: listOf(messages).filter(({ role }) => role === "tool").length,
    thinks,
  };
};

/** Differences between providers in how they answer. */
interface Answers {
  readonly path: RegExp;
  readonly rules: readonly Rule[];
  readonly thinks?: (body: Json) => boolean;
  /** The member of a message that has its reasoning; null if it is not returned. */
  readonly reasoning?: string | null;
  /** Usage is in the chunk that ends a choice, not in a separate one. */
  readonly usageInLast?: boolean;
  /** The id of the call after so many results. */
  readonly callId?: (results: number) => string;
}
export const chatRoute = ({
  path,
  rules,
  thinks = () => false,
  reasoning = null,
  usageInLast = false,
  callId = (results) => `call_${results}`,
}: Answers): Route => ({
  api: "chat",
  path,
  rules,
  streams: ({ body }) => body.stream === true,
  answer({ body }: Asked, streamed, toolCalls) {
    const wanted = wantedOfChat(body, thinks(body));
    const usageAsked = isJson(body.stream_options) && body.stream_options.include_usage === true;
    const scene = { ...sceneOf(wanted, toolCalls, callId(wanted.results)), usageAsked };
    return streamed ? stream(scene, true, reasoning, !usageInLast) : complete(scene, reasoning);
  },
});

export const unauthorized = openAiError(401, "Incorrect API key provided.", { code: "invalid_api_key" });
export const notFound = openAiError(404, "Invalid URL.", { code: "unknown_url" });
/** Errors in OpenAI's form, by its error code reference. */
export const openAiFailures: Readonly<Record<string, Refusal>> = {
  "too long": openAiError(400, "This model's maximum context length is 8192 tokens.", {
    param: "messages",
    code: "context_length_exceeded",
  }),
  "no such model": openAiError(404, "The model does not exist.", { code: "model_not_found" }),
  "rate limit": {
    ...openAiError(429, "Rate limit reached.", { type: "requests", code: "rate_limit_exceeded" }),
    headers: { "retry-after": "1", "x-ratelimit-reset-requests": "1s" },
  },
  "no credit": openAiError(429, "You exceeded your current quota.", {
    type: "insufficient_quota",
    code: "insufficient_quota",
  }),
  overloaded: openAiError(503, "The engine is currently overloaded.", { type: "server_error" }),
};
