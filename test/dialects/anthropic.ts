import { at, type Dialect, joined, json, type Scene, signatureOf, sse } from "./dialect.ts";

const usageOf = ({ usage }: Scene) => ({
  input_tokens: usage.prompt - usage.cacheRead,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cacheRead,
  output_tokens: usage.completion,
});
const stopOf = ({ call }: Scene): string => (call ? "tool_use" : "end_turn");
const head = { id: "msg_1", type: "message", role: "assistant", model: "model-of-theirs" };

/** Blocks of a streamed message: how each opens, and its deltas. */
function blocksOf({ reasoning, call, text }: Scene) {
  return [
    ...(reasoning.length === 0
      ? []
      : [
          {
            opening: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              ...reasoning.map((thinking) => ({ type: "thinking_delta", thinking })),
              { type: "signature_delta", signature: signatureOf(joined(reasoning)) },
            ],
          },
        ]),
    call
      ? {
          opening: { type: "tool_use", id: call.id, name: call.name, input: {} },
          deltas: call.input.map((partial_json) => ({ type: "input_json_delta", partial_json })),
        }
      : {
          opening: { type: "text", text: "" },
          deltas: text.map((piece) => ({ type: "text_delta", text: piece })),
        },
  ];
}

export const anthropicMessages: Dialect = {
  kind: "anthropic",
  basePath: "/v1",
  credential: "sk-ant-test",
  auth: ["x-api-key", "sk-ant-test"],
  completePath: "/v1/messages",
  streamPath: "/v1/messages",
  asked: {
    text: (body) => at(body, "messages", 0, "content", 0, "text"),
    maxTokens: (body) => at(body, "max_tokens"),
    toolNames: (body) => [at(body, "tools", 0, "name")],
    toolAnswer: (body) => at(body, "messages", 2, "content", 0, "content"),
  },
  complete: (scene) =>
    json({
      ...head,
      content: [
        ...(scene.reasoning.length === 0
          ? []
          : [
              {
                type: "thinking",
                thinking: joined(scene.reasoning),
                signature: signatureOf(joined(scene.reasoning)),
              },
            ]),
        scene.call
          ? {
              type: "tool_use",
              id: scene.call.id,
              name: scene.call.name,
              input: JSON.parse(joined(scene.call.input)),
            }
          : { type: "text", text: joined(scene.text) },
      ],
      stop_reason: stopOf(scene),
      stop_sequence: null,
      usage: usageOf(scene),
    }),
  stream: (scene, ended) =>
    sse([
      [
        "message_start",
        {
          type: "message_start",
          message: {
            ...head,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { ...usageOf(scene), output_tokens: 1 },
          },
        },
      ],
      ["ping", { type: "ping" }],
      ...blocksOf(scene).flatMap(({ opening, deltas }, index) => [
        ["content_block_start", { type: "content_block_start", index, content_block: opening }] as const,
        ...deltas.map(
          (delta) => ["content_block_delta", { type: "content_block_delta", index, delta }] as const,
        ),
        ["content_block_stop", { type: "content_block_stop", index }] as const,
      ]),
      ...(ended
        ? ([
            [
              "message_delta",
              {
                type: "message_delta",
                delta: { stop_reason: stopOf(scene), stop_sequence: null },
                usage: { output_tokens: scene.usage.completion },
              },
            ],
            ["message_stop", { type: "message_stop" }],
          ] as const)
        : []),
    ]),
  overloaded: sse([["error", { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }]]),
  hasReasoning: true,
};
