import fc from "fast-check";
import { expect, test } from "vitest";
import type { ResponseItem } from "#contract/response-items.ts";
import type { PreparedResponse } from "../wires/openai-responses/prepared-response.ts";
import { fitting } from "./truncate.ts";

const said = (content: string): ResponseItem => ({ type: "message", role: "user", content });
const request = (items: readonly ResponseItem[], more: Partial<PreparedResponse> = {}): PreparedResponse => ({
  model: "a/b",
  input: "",
  max_output_tokens: 100,
  items,
  store: false,
  ...more,
});

test("what fits is not changed", () => {
  const small = request([said("one"), said("two")]);
  expect(fitting(small, 8192)).toBe(small);
});

test("the oldest items are removed first and no more than necessary", () => {
  // 300 bytes are 100 tokens with 8 around them: three of four messages fit 350 tokens beside an answer of 100.
  const items = ["a", "b", "c", "d"].map((letter) => said(letter.repeat(300)));
  expect(fitting(request(items), 450).items).toEqual(items.slice(1));
  expect(fitting(request(items), 310).items).toEqual(items.slice(3));
});

test("the newest item remains even if it does not fit", () => {
  const items = [said("a".repeat(9000)), said("b".repeat(9000))];
  expect(fitting(request(items), 400).items).toEqual(items.slice(1));
});

test("a tool's result is removed with its call", () => {
  const call: ResponseItem = { type: "function_call", call_id: "c1", name: "f", arguments: "x".repeat(300) };
  const output: ResponseItem = { type: "function_call_output", call_id: "c1", output: "sunny" };
  const question = said("And tomorrow?");
  expect(fitting(request([call, output, question]), 220).items).toEqual([question]);
  expect(fitting(request([said("a".repeat(900)), call, output, question]), 400).items).toEqual([
    call,
    output,
    question,
  ]);
});

test("what remains is the end of the conversation, for any lengths", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(3000), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 200, max: 4000 }),
      (lengths, window) => {
        const items = lengths.map((length) => said("x".repeat(length)));
        const { items: kept } = fitting(request(items), window);
        expect(kept.length).toBeGreaterThan(0);
        expect(kept).toEqual(items.slice(items.length - kept.length));
      },
    ),
  );
});
