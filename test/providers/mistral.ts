// Mistral: docs.mistral.ai/api, and the request types of @mistralai/mistralai.
import { joined, json, type Scene, type Sent, sse } from "#test/dialects/dialect.ts";
import { embeddingsOf } from "./embeddings.ts";
import { type Mock, type Refusal, type Rule, sceneOf, shaped } from "./mock.ts";
import { commonFields, orderRule, wantedOfChat } from "./openai-chat.ts";
import {
  any,
  by,
  flag,
  list,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  type Problem,
  record,
  text,
  textOr,
} from "./shape.ts";

/** Validation errors have pydantic's form. */
const detail = ({ path, kind, message }: Problem): Refusal => ({
  status: 422,
  body: {
    detail: [
      {
        type: kind === "unknown" ? "extra_forbidden" : kind === "missing" ? "missing" : "value_error",
        loc: ["body", ...path],
        msg: kind === "unknown" ? "Extra inputs are not permitted" : message,
      },
    ],
  },
});
const failure = (status: number, message: string, type = "invalid_request_error"): Refusal => ({
  status,
  body: { object: "error", message, type, param: null, code: null },
});

const textChunk = object({ type: any, text });
const chunks = by("type", {
  text: textChunk,
  thinking: object({ type: any, thinking: list(textChunk), closed: flag, signature: text }),
  image_url: object({ type: any, image_url: textOr(object({ url: text, detail: text })) }),
  input_audio: object({ type: any, input_audio: any }),
  document_url: object({ type: any, document_url: text, document_name: text }),
  file: object({ type: any, file_id: text }),
});
const content = textOr(list(chunks));
const call = object({
  id: text,
  type: oneOf("function"),
  index: number(),
  function: object({ name: text, arguments: textOr(record) }),
});
const fields = object(
  {
    ...commonFields,
    temperature: nullable(number(0, 1.5)),
    stop: nullable(textOr(list(text))),
    tools: list(
      object({
        type: oneOf("function"),
        function: object({ name: text, description: text, parameters: record, strict: flag }, ["name"]),
      }),
    ),
    messages: list(
      by("role", {
        system: object({ role: any, content }),
        user: object({ role: any, content }),
        assistant: object({ role: any, content: nullable(content), tool_calls: list(call), prefix: flag }),
        tool: object({ role: any, content, tool_call_id: text, name: text }),
      }),
      { min: 1 },
    ),
    tool_choice: textOr(record),
    max_tokens: nullable(number(0)),
    random_seed: nullable(number(0)),
    n: nullable(number(1)),
    metadata: record,
    prediction: object({ type: oneOf("content"), content: text }),
    reasoning_effort: nullable(oneOf("none", "low", "medium", "high", "max")),
    prompt_mode: oneOf("reasoning"),
    guardrails: list(record),
    prompt_cache_key: text,
    service_tier: text,
    safe_prompt: flag,
  },
  ["model", "messages"],
);

const callIds: Rule = ({ messages }) => {
  const ids = listOf(messages).flatMap(({ tool_calls: calls, tool_call_id: id }) => [
    ...listOf(calls).map((one) => one.id),
    ...(id === undefined ? [] : [id]),
  ]);
  return ids.every((id) => /^[A-Za-z0-9]{9}$/.test(String(id)))
    ? null
    : failure(400, "Tool call id must be a-z, A-Z, 0-9, with a length of 9.");
};
const effort: Rule = ({ model, reasoning_effort: asked }) =>
  asked == null || (/^mistral-(medium|small)/.test(String(model)) && /^(none|high)$/.test(String(asked)))
    ? null
    : failure(400, `reasoning_effort ${asked} is not supported for this model.`);
const lastRole: Rule = ({ messages }) => {
  const last = listOf(messages).at(-1);
  return last?.role === "user" || last?.role === "tool" || last?.prefix === true
    ? null
    : failure(400, "Expected last role User or Tool (or Assistant with prefix True).");
};

const chunk = (delta: object, rest: object = {}) =>
  [
    null,
    {
      id: "m",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: null, ...rest }],
    },
  ] as const;
const usageOf = ({ usage }: Scene) => ({
  prompt_tokens: usage.prompt,
  completion_tokens: usage.completion,
  total_tokens: usage.prompt + usage.completion,
  num_cached_tokens: usage.cacheRead,
});
const thinking = (said: string) => ({ type: "thinking", thinking: [{ type: "text", text: said }] });
const callOf = ({ call: made }: Scene) =>
  made && [
    { id: made.id, type: "function", index: 0, function: { name: made.name, arguments: joined(made.input) } },
  ];
const finishOf = ({ call: made }: Scene) => (made ? "tool_calls" : "stop");

/** Thinking is a chunk of the content; without it the content is a text. */
function complete(scene: Scene): Sent {
  const { reasoning, text: said } = scene;
  const words = joined(said);
  const message = {
    role: "assistant",
    content:
      reasoning.length > 0
        ? [thinking(joined(reasoning)), ...(words ? [{ type: "text", text: words }] : [])]
        : words,
    tool_calls: callOf(scene),
  };
  return json({
    id: "m",
    object: "chat.completion",
    model: "model-of-theirs",
    choices: [{ index: 0, message, finish_reason: finishOf(scene) }],
    usage: usageOf(scene),
  });
}
/** A call arrives whole; usage is in the last chunk, asked for or not. */
const stream = (scene: Scene): Sent =>
  sse([
    chunk({ role: "assistant", content: "" }),
    ...scene.reasoning.map((said) => chunk({ content: [thinking(said)] })),
    ...scene.text.map((said) => chunk({ content: said })),
    ...(scene.call ? [chunk({ content: "", tool_calls: callOf(scene) })] : []),
    [null, { ...chunk({ content: "" }, { finish_reason: finishOf(scene) })[1], usage: usageOf(scene) }],
    [null, "[DONE]"],
  ]);

export const mistral: Mock = {
  name: "mistral",
  kind: "mistral",
  basePath: "/v1",
  models: ["mistral-medium-latest", "voxtral-small-latest"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    {
      api: "chat",
      path: /^\/v1\/chat\/completions$/,
      rules: [
        shaped(fields, detail),
        callIds,
        ({ tools }) =>
          Array.isArray(tools) && tools.length === 0 ? failure(400, "Tools must not be empty.") : null,
        lastRole,
        effort,
        orderRule,
      ],
      streams: ({ body }) => body.stream === true,
      answer({ body }, streamed, toolCalls) {
        const effortAsked = body.reasoning_effort;
        const wanted = wantedOfChat(body, effortAsked != null && effortAsked !== "none");
        const scene = sceneOf(wanted, toolCalls, `call${String(wanted.results).padStart(5, "0")}`);
        return streamed ? stream(scene) : complete(scene);
      },
    },
    embeddingsOf({
      path: /^\/v1\/embeddings$/,
      fields: {
        model: text,
        input: textOr(list(text)),
        metadata: record,
        output_dimension: number(1),
        output_dtype: text,
        encoding_format: oneOf("float", "base64"),
      },
      refuse: detail,
    }),
  ],
  unauthorized: { status: 401, body: { detail: "Unauthorized" } },
  notFound: { status: 404, body: { detail: "Not Found" } },
  failures: {
    "too long": failure(
      400,
      "Prompt contains 9000 tokens, too large for model with 8192 maximum context length.",
    ),
    "rate limit": {
      ...failure(429, "Requests rate limit exceeded", "rate_limited"),
      headers: { "ratelimitbysize-reset": "1" },
    },
    overloaded: failure(503, "Service unavailable", "internal_server_error"),
  },
};
