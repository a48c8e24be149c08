import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceContent } from "#contract/trace-content.ts";
import { cutContent } from "./cut-content.ts";

const said = (input: string, output: string): TraceContent => ({
  input: [{ role: "user", parts: [{ type: "text", content: input }] }],
  output: [{ role: "assistant", parts: [{ type: "text", content: output }] }],
});
const texts = ({ input, output }: TraceContent) =>
  [...input, ...output].flatMap(({ parts }) => parts.map((part) => ("content" in part ? part.content : "")));

test("content that fits is not changed", () => {
  expect(cutContent(said("Why?", "Därum."), 11)).toEqual(said("Why?", "Därum."));
});

test("the answer is shortened last, and each text keeps its beginning and states its length", () => {
  expect(texts(cutContent(said("0123456789", "answer"), 10))).toEqual([
    "0123… [cut, 10 bytes in all]",
    "answer",
  ]);
  expect(texts(cutContent(said("question", "0123456789"), 4))).toEqual([
    "… [cut, 8 bytes in all]",
    "0123… [cut, 10 bytes in all]",
  ]);
});

test("tool arguments are shortened too, and tools that do not fit are omitted", () => {
  const content: TraceContent = {
    input: [
      { role: "user", parts: [{ type: "tool_call_response", id: "1", response: { a: "0123456789" } }] },
    ],
    output: [{ role: "assistant", parts: [{ type: "tool_call", id: "1", name: "f", arguments: '{"x":1}' }] }],
    tools: [{ name: "f".repeat(50) }],
  };
  const cut = cutContent(content, 10);
  expect(cut.output).toEqual(content.output);
  expect(cut.input[0]?.parts).toEqual([
    { type: "tool_call_response", id: "1", response: '{"a… [cut, 18 bytes in all]' },
  ]);
  expect(cut).not.toHaveProperty("tools");
  expect(cutContent(content, 1000)).toHaveProperty("tools", content.tools);
});

test("the limit is never exceeded and no character is split", () => {
  const marker = /… \[cut, \d+ bytes in all\]$/;
  const words = fc
    .string({ unit: "binary", maxLength: 60 })
    .filter((text) => text.isWellFormed() && !text.includes("\uFFFD"));
  fc.assert(
    fc.property(words, words, fc.integer({ min: 0, max: 200 }), (input, output, max) => {
      const stored = texts(cutContent(said(input, output), max)).map((text) => text.replace(marker, ""));
      expect(Buffer.byteLength(stored.join(""))).toBeLessThanOrEqual(max);
      expect([input.startsWith(stored[0] ?? "-"), output.startsWith(stored[1] ?? "-")]).toEqual([true, true]);
    }),
  );
});
