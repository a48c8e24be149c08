// Anthropic: docs.claude.com (Messages API, extended thinking, errors), and the request types of @anthropic-ai/sdk.
import { anthropicMessages } from "#test/dialects/anthropic.ts";
import { claudeRules } from "./anthropic-models.ts";
import { type Mock, type Refusal, type Rule, sceneOf, shaped } from "./mock.ts";
import {
  any,
  by,
  flag,
  isJson,
  type Json,
  list,
  listOf,
  number,
  object,
  oneOf,
  record,
  text,
  textOr,
} from "./shape.ts";

const failure = (status: number, type: string, message: string): Refusal => ({
  status,
  body: { type: "error", error: { type, message }, request_id: "req_1" },
});
const refused = (message: string): Refusal => failure(400, "invalid_request_error", message);

const cache_control = object({ type: oneOf("ephemeral"), ttl: oneOf("5m", "1h") }, ["type"]);
const source = by("type", {
  base64: object({ type: any, media_type: text, data: text }),
  url: object({ type: any, url: text }),
  text: object({ type: any, media_type: text, data: text }),
  content: object({ type: any, content: any }),
  file: object({ type: any, file_id: text }),
});
const citations = any;
const textBlock = object({ type: any, text, cache_control, citations }, ["text"]);
const image = object({ type: any, source, cache_control }, ["source"]);
const document = object({ type: any, source, title: text, context: text, citations, cache_control });
const searchResult = object(
  { type: any, source: text, title: text, content: list(textBlock), citations, cache_control },
  ["source", "title", "content"],
);
const blocks = by("type", {
  search_result: searchResult,
  server_tool_use: object({ type: any, id: text, name: text, input: record, cache_control }),
  web_search_tool_result: object({ type: any, tool_use_id: text, content: any, cache_control }),
  container_upload: object({ type: any, file_id: text, cache_control }),
  text: textBlock,
  image,
  document,
  tool_use: object({ type: any, id: text, name: text, input: record, cache_control, caller: record }),
  tool_result: object({
    type: any,
    tool_use_id: text,
    content: textOr(list(by("type", { text: textBlock, image, document, search_result: searchResult }))),
    is_error: flag,
    cache_control,
  }),
  thinking: object({ type: any, thinking: text, signature: text }, ["thinking", "signature"]),
  redacted_thinking: object({ type: any, data: text }, ["data"]),
});

const tool = object({
  type: text,
  name: text,
  description: text,
  input_schema: record,
  strict: flag,
  cache_control,
  defer_loading: flag,
  input_examples: list(record),
  eager_input_streaming: flag,
});
/** A tool that Anthropic runs, with members of its own. */
const isServerTool = (value: unknown): boolean => isJson(value) && /_20\d{6}$/.test(String(value.type));

const fields = object(
  {
    model: text,
    max_tokens: number(1),
    messages: list(
      by("role", {
        user: object({ role: any, content: textOr(list(blocks, { min: 1 })) }, ["content"]),
        assistant: object({ role: any, content: textOr(list(blocks, { min: 1 })) }, ["content"]),
        system: object({ role: any, content: textOr(list(textBlock, { min: 1 })) }, ["content"]),
      }),
      { min: 1 },
    ),
    system: textOr(list(textBlock)),
    stop_sequences: list(text),
    stream: flag,
    temperature: number(0, 1),
    top_p: number(0, 1),
    top_k: number(0),
    metadata: object({ user_id: text }),
    cache_control,
    container: any,
    context_management: object({ edits: list(record) }),
    diagnostics: record,
    inference_geo: text,
    output_config: object({ effort: text, format: record, task_budget: record }),
    service_tier: oneOf("auto", "standard_only"),
    speed: oneOf("standard", "fast"),
    thinking: by("type", {
      enabled: object({ type: any, budget_tokens: number(1024), display: text }, ["budget_tokens"]),
      adaptive: object({ type: any, display: text }),
      disabled: object({ type: any }),
      between_tools: object({ type: any, display: text }),
    }),
    tool_choice: by("type", {
      auto: object({ type: any, disable_parallel_tool_use: flag }),
      any: object({ type: any, disable_parallel_tool_use: flag }),
      tool: object({ type: any, name: text, disable_parallel_tool_use: flag }, ["name"]),
      none: object({ type: any }),
    }),
    tools: list((value, path) => (isServerTool(value) ? null : tool(value, path))),
  },
  ["model", "max_tokens", "messages"],
);

const beginsWithSystem: Rule = ({ messages }) =>
  listOf(messages)[0]?.role === "system"
    ? refused("messages.0.role: instructions at the beginning belong in `system`")
    : null;

/** Fields that are taken only with their beta. */
const ofBetas: Rule = ({ context_management: edits }, { headers }) =>
  edits === undefined || String(headers["anthropic-beta"]).includes("context-management-")
    ? null
    : refused("context_management: Extra inputs are not permitted");

const blocksOf = (message: Json | undefined): readonly Json[] => listOf(message?.content);
const idsOf = (message: Json | undefined, type: string, member: string): readonly unknown[] =>
  blocksOf(message).flatMap((block) => (block.type === type ? [block[member]] : []));

/** Every call has its result in the next turn, and every result its call in the one before. */
const adjoining: Rule = ({ messages }) => {
  const turns = listOf(messages);
  for (const [at, turn] of turns.entries()) {
    const results = idsOf(turns[at + 1], "tool_result", "tool_use_id");
    if (idsOf(turn, "tool_use", "id").some((id) => !results.includes(id)))
      return refused(`messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks after.`);
    const calls = idsOf(turns[at - 1], "tool_use", "id");
    if (idsOf(turn, "tool_result", "tool_use_id").some((id) => !calls.includes(id)))
      return refused(`messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks.`);
  }
  return null;
};

const marksOf = (value: unknown): readonly Json[] => {
  if (Array.isArray(value)) return value.flatMap(marksOf);
  if (!isJson(value)) return [];
  const own = isJson(value.cache_control) ? [value.cache_control] : [];
  return [...own, ...["content"].flatMap((name) => marksOf(value[name]))];
};
/** In the order of the cache: tools, system, messages. */
const allMarks = ({ tools, system, messages }: Json) => [tools, system, messages].flatMap(marksOf);

const emptyText: Rule = ({ messages }) => {
  const at = listOf(messages).findIndex((turn) =>
    blocksOf(turn).some(({ type, text: said }) => type === "text" && said === ""),
  );
  return at < 0 ? null : refused(`messages.${at}: text content blocks must be non-empty`);
};

const thinks = ({ thinking }: Json): boolean => isJson(thinking) && thinking.type !== "disabled";

export const anthropic: Mock = {
  name: "anthropic",
  kind: "anthropic",
  basePath: "/v1",
  models: ["claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-4-7", "claude-sonnet-5-5"],
  auth: ["x-api-key", ""],
  isStrict: true,
  routes: [
    {
      api: "chat",
      path: /^\/v1\/messages$/,
      rules: [
        (_, { headers }) =>
          headers["anthropic-version"] ? null : refused("anthropic-version: header is required"),
        shaped(fields, ({ path, kind, message }) =>
          refused(
            kind === "unknown"
              ? `${path.join(".")}: Extra inputs are not permitted`
              : `${path.join(".")}: ${kind === "missing" ? "Field required" : message}`,
          ),
        ),
        ofBetas,
        beginsWithSystem,
        ...claudeRules(refused),
        adjoining,
        (body) =>
          allMarks(body).length > 4
            ? refused("A maximum of 4 blocks with cache_control may be provided.")
            : null,
        (body) => {
          const ttls = allMarks(body).map(({ ttl }) => ttl ?? "5m");
          return ttls.indexOf("5m") >= 0 && ttls.lastIndexOf("1h") > ttls.indexOf("5m")
            ? refused("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.")
            : null;
        },
        emptyText,
      ],
      streams: ({ body }) => body.stream === true,
      answer({ body }, streamed, toolCalls) {
        const choice = isJson(body.tool_choice) ? body.tool_choice.type : "auto";
        const [tool] = choice === "none" ? [] : listOf(body.tools);
        const results = listOf(body.messages).flatMap((turn) => idsOf(turn, "tool_result", "tool_use_id"));
        const wanted = {
          tool: typeof tool?.name === "string" ? tool.name : null,
          results: results.length,
          thinks: thinks(body),
        };
        const scene = sceneOf(wanted, toolCalls, `toolu_${wanted.thinks ? "thought" : ""}${results.length}`);
        return streamed ? anthropicMessages.stream(scene, true) : anthropicMessages.complete(scene);
      },
    },
  ],
  unauthorized: failure(401, "authentication_error", "invalid x-api-key"),
  notFound: failure(404, "not_found_error", "Not found"),
  failures: {
    "too long": refused("prompt is too long: 250000 tokens > 200000 maximum"),
    "no credit": failure(402, "billing_error", "Your credit balance is too low."),
    "too large": failure(413, "request_too_large", "Request exceeds the maximum size"),
    "rate limit": {
      ...failure(429, "rate_limit_error", "This request would exceed your rate limit."),
      headers: { "retry-after": "1" },
    },
    overloaded: failure(529, "overloaded_error", "Overloaded"),
  },
};
