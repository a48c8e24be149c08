import { expect, test } from "vitest";
import type { MessageBlock } from "#contract/message-blocks.ts";
import { formats } from "../../reasoning/details.ts";
import { assistantMessage } from "../openai-chat/message-blocks-to-chat.ts";
import type { Spoken } from "../shared/assistant-message.ts";
import { MessageTranscriber } from "./transcriber.ts";

const call = (id: string, index: number) => ({
  index,
  id,
  type: "function",
  function: { name: "weather", arguments: "{}" },
});
const signatureOf = (id: string, format: string) => ({
  type: "reasoning.encrypted",
  data: `of ${id}`,
  id,
  format,
  index: 0,
});
const pieces: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  "Gemini, whose calls are signed": [
    { reasoning: "Hm." },
    { tool_calls: [call("a", 0)], reasoning_details: [signatureOf("a", formats.gemini)] },
    { tool_calls: [call("b", 1)], reasoning_details: [signatureOf("b", formats.gemini)] },
  ],
  "Gemini, with text before the call": [
    { reasoning: "Hm." },
    { content: "I look." },
    { tool_calls: [call("a", 0)], reasoning_details: [signatureOf("a", formats.gemini)] },
  ],
  "Gemini, whose signature comes after the call": [
    { tool_calls: [call("a", 0)] },
    { reasoning_details: [signatureOf("a", formats.gemini)] },
  ],
  "Gemini, whose thinking is signed": [
    { reasoning: "Hm." },
    {
      reasoning_details: [
        { type: "reasoning.text", text: "Hm.", signature: "s", format: formats.gemini, index: 0 },
      ],
    },
    { content: "Sunny." },
  ],
  "Bedrock, which redacts": [
    { reasoning_details: [{ type: "reasoning.encrypted", data: "x", format: formats.bedrock, index: 0 }] },
    { content: "Sunny." },
  ],
  "Claude, which redacts": [
    { reasoning_details: [{ type: "reasoning.encrypted", data: "x", format: formats.claude, index: 0 }] },
    { content: "Sunny." },
  ],
};

test.each(Object.entries(pieces))(
  "what a provider signed comes back with the blocks of a message: %s",
  (_, said) => {
    const transcriber = new MessageTranscriber(new Map());
    for (const piece of said) transcriber.write(piece as unknown as Spoken);
    transcriber.end();
    const given = said.flatMap(({ reasoning_details: details }) => (Array.isArray(details) ? details : []));
    const back = assistantMessage(transcriber.content() as unknown as MessageBlock[]);
    expect(back?.reasoning_details).toMatchObject(given);
    expect(back?.reasoning ?? null).toBe(said[0]?.reasoning ?? null);
    const events = transcriber.take();
    const sent = events.flatMap(({ type, content_block: block }) =>
      type === "content_block_start" ? [(block as { type: string }).type] : [],
    );
    expect(sent).toEqual(transcriber.content().map(({ type }) => type));
  },
);

test("the signature of Gemini's text is no block after the text", () => {
  const transcriber = new MessageTranscriber(new Map());
  transcriber.write({ content: "Sunny." } as Spoken);
  const detail = { type: "reasoning.encrypted", data: "x", format: formats.gemini, index: 0 };
  transcriber.write({ reasoning_details: [detail] } as unknown as Spoken);
  transcriber.end();
  expect(transcriber.content()).toEqual([{ type: "text", text: "Sunny." }]);
});
