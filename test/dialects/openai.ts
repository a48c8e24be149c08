import { at, type Dialect, joined, json, type Scene, sse } from "./dialect.ts";

const usageOf = ({ usage }: Scene) => ({
  prompt_tokens: usage.prompt,
  completion_tokens: usage.completion,
  total_tokens: usage.prompt + usage.completion,
  prompt_tokens_details: { cached_tokens: usage.cacheRead },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
});

const finishOf = ({ call }: Scene): string => (call ? "tool_calls" : "stop");
const head = { id: "cmpl-1", created: 1_790_000_000, model: "model-of-theirs" };

export function complete(scene: Scene, reasoningField: string | null) {
  const { call, text, reasoning } = scene;
  const message = {
    role: "assistant",
    content: call ? null : joined(text),
    ...(reasoningField !== null && reasoning.length > 0 && { [reasoningField]: joined(reasoning) }),
    ...(call && {
      tool_calls: [
        { id: call.id, type: "function", function: { name: call.name, arguments: joined(call.input) } },
      ],
    }),
  };
  return json({
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finishOf(scene) }],
    usage: usageOf(scene),
  });
}

const usageChunk = (scene: Scene) =>
  [null, { ...head, object: "chat.completion.chunk", choices: [], usage: usageOf(scene) }] as const;

/** Mistral reports usage in the chunk that ends a choice, OpenAI in a separate one after it. */
export function stream(scene: Scene, ended: boolean, reasoningField: string | null, usageApart = true) {
  const { call, text, reasoning } = scene;
  const chunk = (delta: object, rest: object = { finish_reason: null }) =>
    [null, { ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, ...rest }] }] as const;
  return sse([
    chunk({ role: "assistant", content: "" }),
    ...(reasoningField === null ? [] : reasoning.map((piece) => chunk({ [reasoningField]: piece }))),
    ...(call
      ? [
          chunk({
            tool_calls: [
              { index: 0, id: call.id, type: "function", function: { name: call.name, arguments: "" } },
            ],
          }),
          ...call.input.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
        ]
      : text.map((piece) => chunk({ content: piece }))),
    ...(ended
      ? ([
          ...(usageApart
            ? ([
                chunk({}, { finish_reason: finishOf(scene) }),
                ...(scene.usageAsked === false ? [] : [usageChunk(scene)]),
              ] as const)
            : [
                [
                  null,
                  { ...chunk({}, { finish_reason: finishOf(scene) })[1], usage: usageOf(scene) },
                ] as const,
              ]),
          [null, "[DONE]"],
        ] as const)
      : []),
  ]);
}

const asked: Dialect["asked"] = {
  text: (body) => at(body, "messages", 0, "content"),
  maxTokens: (body) => at(body, "max_tokens") ?? at(body, "max_completion_tokens"),
  toolNames: (body) => [at(body, "tools", 0, "function", "name")],
  toolAnswer: (body) => at(body, "messages", 2, "content"),
};

const embeddings: Dialect["embeddings"] = {
  path: "/embeddings",
  answer: (vectors) =>
    json({
      object: "list",
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      usage: { prompt_tokens: 7, total_tokens: 7 },
    }),
};

export const openAi: Dialect = {
  kind: "openai-compatible",
  basePath: "/v1",
  credential: "sk-test-openai",
  auth: ["authorization", "Bearer sk-test-openai"],
  completePath: "/v1/chat/completions",
  streamPath: "/v1/chat/completions",
  asked,
  complete: (scene) => complete(scene, "reasoning_content"),
  stream: (scene, ended) => stream(scene, ended, "reasoning_content"),
  overloaded: sse([
    [null, { error: { message: "Overloaded", type: "overloaded_error", param: null, code: null } }],
  ]),
  hasReasoning: true,
  embeddings: { ...embeddings, path: "/v1/embeddings" },
};

export const azureChat: Dialect = {
  ...openAi,
  kind: "azure",
  basePath: "/openai/v1",
  credential: "azure-test-key",
  auth: ["api-key", "azure-test-key"],
  completePath: "/openai/v1/chat/completions",
  streamPath: "/openai/v1/chat/completions",
  complete: (scene) => complete(scene, null),
  stream: (scene, ended) => stream(scene, ended, null),
  hasReasoning: false,
  embeddings: { ...embeddings, path: "/openai/v1/embeddings" },
};

/** Cohere's OpenAI-compatible way, beside its own version 2. */
export const cohereChat: Dialect = {
  ...openAi,
  kind: "cohere",
  basePath: "/v2",
  completePath: "/compatibility/v1/chat/completions",
  streamPath: "/compatibility/v1/chat/completions",
  complete: (scene) => complete(scene, null),
  stream: (scene, ended) => stream(scene, ended, null),
  hasReasoning: false,
  embeddings: {
    path: "/v2/embed",
    answer: (vectors) =>
      json({ embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 7 } } }),
  },
};

export const mistralChat: Dialect = {
  ...openAi,
  kind: "mistral",
  credential: "mistral-test-key",
  auth: ["authorization", "Bearer mistral-test-key"],
  asked: { ...asked, text: (body) => at(body, "messages", 0, "content", 0, "text") },
  complete: (scene) => complete(scene, null),
  stream: (scene, ended) => stream(scene, ended, null, false),
  hasReasoning: false,
};
