import { crc32 } from "node:zlib";
import { at, type Dialect, joined, json, type Scene, type Sent, signatureOf } from "./dialect.ts";

/** A name and text value as an AWS event stream writes a header (type 7: string). */
function header(name: string, value: string): Buffer {
  const head = Buffer.alloc(1 + Buffer.byteLength(name) + 3);
  head.writeUInt8(Buffer.byteLength(name), 0);
  head.write(name, 1);
  head.writeUInt8(7, 1 + Buffer.byteLength(name));
  head.writeUInt16BE(Buffer.byteLength(value), 2 + Buffer.byteLength(name));
  return Buffer.concat([head, Buffer.from(value)]);
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

/** One message: lengths, their checksum, headers, payload, checksum of it all. */
function message(type: string, payload: object, messageType: "event" | "exception" = "event"): Buffer {
  const headers = Buffer.concat([
    header(`:${messageType}-type`, type),
    header(":content-type", "application/json"),
    header(":message-type", messageType),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const lengths = Buffer.concat([uint32(16 + headers.length + body.length), uint32(headers.length)]);
  const before = Buffer.concat([lengths, uint32(crc32(lengths)), headers, body]);
  return Buffer.concat([before, uint32(crc32(before))]);
}

const usageOf = ({ usage }: Scene) => ({
  inputTokens: usage.prompt - usage.cacheRead,
  cacheReadInputTokens: usage.cacheRead,
  cacheWriteInputTokens: 0,
  outputTokens: usage.completion,
  totalTokens: usage.prompt + usage.completion,
});
const stopOf = ({ call }: Scene): string => (call ? "tool_use" : "end_turn");

function stream(scene: Scene, ended: boolean): Sent {
  const { text, reasoning, call } = scene;
  const delta = (contentBlockIndex: number, inner: object) =>
    message("contentBlockDelta", { contentBlockIndex, delta: inner });
  const frames = [
    message("messageStart", { role: "assistant" }),
    ...(reasoning.length === 0
      ? []
      : [
          ...reasoning.map((piece) => delta(0, { reasoningContent: { text: piece } })),
          delta(0, { reasoningContent: { signature: signatureOf(joined(reasoning)) } }),
          message("contentBlockStop", { contentBlockIndex: 0 }),
        ]),
    ...(call
      ? [
          message("contentBlockStart", {
            contentBlockIndex: 1,
            start: { toolUse: { toolUseId: call.id, name: call.name } },
          }),
          ...call.input.map((input) => delta(1, { toolUse: { input } })),
        ]
      : text.map((piece) => delta(1, { text: piece }))),
    message("contentBlockStop", { contentBlockIndex: 1 }),
    ...(ended
      ? [
          message("messageStop", { stopReason: stopOf(scene) }),
          message("metadata", { usage: usageOf(scene), metrics: { latencyMs: 5 } }),
        ]
      : []),
  ];
  return { type: "application/vnd.amazon.eventstream", body: Buffer.concat(frames) };
}

export const bedrockConverse: Dialect = {
  kind: "bedrock",
  basePath: "",
  credential: "bedrock-test-key",
  auth: ["authorization", "Bearer bedrock-test-key"],
  completePath: "/model/model-of-theirs/converse",
  streamPath: "/model/model-of-theirs/converse-stream",
  asked: {
    text: (body) => at(body, "messages", 0, "content", 0, "text"),
    maxTokens: (body) => at(body, "inferenceConfig", "maxTokens"),
    toolNames: (body) => [at(body, "toolConfig", "tools", 0, "toolSpec", "name")],
    toolAnswer: (body) => at(body, "messages", 2, "content", 0, "toolResult", "content", 0, "text"),
  },
  complete: (scene) =>
    json({
      output: {
        message: {
          role: "assistant",
          content: [
            ...(scene.reasoning.length === 0
              ? []
              : [
                  {
                    reasoningContent: {
                      reasoningText: {
                        text: joined(scene.reasoning),
                        signature: signatureOf(joined(scene.reasoning)),
                      },
                    },
                  },
                ]),
            scene.call
              ? {
                  toolUse: {
                    toolUseId: scene.call.id,
                    name: scene.call.name,
                    input: JSON.parse(joined(scene.call.input)),
                  },
                }
              : { text: joined(scene.text) },
          ],
        },
      },
      stopReason: stopOf(scene),
      usage: usageOf(scene),
      metrics: { latencyMs: 5 },
    }),
  stream,
  overloaded: {
    type: "application/vnd.amazon.eventstream",
    body: message("serviceUnavailableException", { message: "The service is unavailable" }, "exception"),
  },
  hasReasoning: true,
};

/** A stream of these events. */
export const bedrockStream = (events: readonly (readonly [type: string, payload: object])[]): Sent => ({
  type: "application/vnd.amazon.eventstream",
  body: Buffer.concat(events.map(([type, payload]) => message(type, payload))),
});
