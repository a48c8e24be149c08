import { expect, test } from "vitest";
import { MessagesRequest } from "#contract/messages.ts";
import { prepareMessages } from "#server/inference/operations/messages/prepare.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { sending } from "#test/sending.ts";
import type { Json } from "../shared/json.ts";
import { nativeBody } from "./native-request.ts";
import { MessageTranscriber } from "./transcriber.ts";

const format = "openai-responses-v1";
const details = [
  { type: "reasoning.summary", summary: "Hm", id: "rs_1", format, index: 0 },
  { type: "reasoning.encrypted", data: "sealed", id: "rs_1", format, index: 0 },
];
const call = { index: 0, id: "call_1", type: "function", function: { name: "find", arguments: "{}" } };

/** The blocks of an answer with encrypted reasoning before a call. */
function blocks(pieces: readonly Json[]): Json[] {
  const transcriber = new MessageTranscriber(new Map());
  for (const piece of [...pieces, { reasoning_details: details }, { tool_calls: [call] }])
    transcriber.write(piece);
  transcriber.end();
  return transcriber.content();
}
const asked = (content: readonly Json[]) =>
  prepareMessages(
    MessagesRequest.parse({
      max_tokens: 2_000,
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "Found" }] },
      ],
    }),
  );

test.each([
  ["with a text", [{ reasoning: "Hm" }], "thinking"],
  ["without a text", [], "redacted_thinking"],
])("encrypted reasoning of OpenAI %s is a block that brings it back", (_, pieces, type) => {
  const content = blocks(pieces);
  expect(content.map((block) => block.type)).toEqual([type, "tool_use"]);
  expect(asked(content).chat.messages[1]).toMatchObject({ reasoning_details: details });
});

test.each([
  ["with a text", [{ reasoning: "Hm" }]],
  ["without a text", []],
])("encrypted reasoning of OpenAI %s is not sent to Anthropic, which could not verify it", (_, pieces) => {
  const how = sending();
  const to = endpoint(provider("anthropic"), model("anthropic/claude-sonnet-4.5"));
  const body: { messages?: unknown } = nativeBody(asked(blocks(pieces)), to, how);
  expect(JSON.stringify(body.messages)).not.toMatch(/portolan1|thinking/);
  expect(how.changes.report()?.dropped).toEqual(["messages.thinking"]);
});

test("each piece of reasoning with a signature of its own is a block of its own", () => {
  const transcriber = new MessageTranscriber(new Map());
  for (const piece of [{ reasoning: "A" }, { reasoning_details: details }, { reasoning: "B" }])
    transcriber.write(piece);
  transcriber.end();
  expect(transcriber.content().map(({ thinking }) => thinking)).toEqual(["A", "B"]);
  expect(transcriber.take().flatMap(({ type }) => (type === "content_block_delta" ? [] : [type]))).toEqual([
    "content_block_start",
    "content_block_stop",
    "content_block_start",
    "content_block_stop",
  ]);
});
