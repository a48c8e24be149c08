import fc from "fast-check";
import { expect, test } from "vitest";
import { ChatChoice } from "#contract/chat.ts";
import { type ChatChunk, chatReader } from "#server/inference/wires/openai-chat/wire.ts";
import { StreamedCompletion } from "./streamed-completion.ts";

/** What the chunks of a provider are as a complete answer. */
function answerOf(events: readonly object[], choices = 1): ChatChunk {
  const reader = chatReader(choices);
  const streamed = new StreamedCompletion();
  for (const event of events) {
    const chunk = reader.event(event);
    if (chunk) streamed.add(chunk);
  }
  const last = reader.end();
  streamed.add(last);
  return streamed.answer(last);
}

const delta = (said: object, rest: object = {}) => ({ choices: [{ index: 0, delta: said, ...rest }] });
const end = (reason: string) => delta({}, { finish_reason: reason });

test("texts, reasoning and log probabilities are continued", () => {
  const token = (text: string) => ({ token: text, logprob: -1, bytes: [1] });
  const detail = (text: string) => ({ type: "reasoning.text", format: "x", index: 0, text });
  const { choices, systemFingerprint, extras } = answerOf([
    { ...delta({ role: "assistant", reasoning: "I ", reasoning_details: [detail("I ")] }), citations: ["a"] },
    { ...delta({ reasoning: "think", reasoning_details: [{ ...detail("think"), signature: "s" }] }) },
    { ...delta({ content: "He" }, { logprobs: { content: [token("He")] } }), system_fingerprint: "fp" },
    delta({ role: "assistant", content: "llo" }, { logprobs: { content: [token("llo")] } }),
    end("stop"),
  ]);
  expect(choices).toEqual([
    {
      ...{ index: 0, finish_reason: "stop", native_finish_reason: "stop" },
      logprobs: { content: [token("He"), token("llo")] },
      message: {
        ...{ role: "assistant", content: "Hello", reasoning: "I think", reasoning_content: "I think" },
        reasoning_details: [{ ...detail("I think"), signature: "s" }],
      },
    },
  ]);
  expect([systemFingerprint, extras]).toEqual(["fp", { citations: ["a"] }]);
});

test("pieces of several tool calls become calls without numbers", () => {
  const piece = (index: number, rest: object) => delta({ tool_calls: [{ index, ...rest }] });
  const { choices } = answerOf([
    piece(0, { id: "a", type: "function", function: { name: "one", arguments: "" } }),
    piece(0, { function: { arguments: '{"x":' } }),
    piece(1, { id: "b", type: "function", function: { name: "two", arguments: "{}" } }),
    piece(0, { function: { arguments: "1}" } }),
    end("tool_calls"),
  ]);
  const [choice] = choices.map((one) => ChatChoice.parse(one));
  expect(choice?.message).toEqual({
    ...{ role: "assistant", content: null },
    tool_calls: [
      { id: "a", type: "function", function: { name: "one", arguments: '{"x":1}' } },
      { id: "b", type: "function", function: { name: "two", arguments: "{}" } },
    ],
  });
});

test("several choices are put together separately, however their pieces alternate", () => {
  const piece = fc.record({ index: fc.nat(2), content: fc.string({ minLength: 1 }) });
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
      const events = pieces.map(({ index, content }) => ({ choices: [{ index, delta: { content } }] }));
      const begun = [...new Set(pieces.map(({ index }) => index))].sort();
      const ends = begun.map((index) => ({ choices: [{ index, delta: {}, finish_reason: "stop" }] }));
      const { choices } = answerOf([...events, ...ends], 3);
      const textOf = (wanted: number) =>
        pieces.map(({ index, content }) => (index === wanted ? content : "")).join("");
      expect(choices.map(({ index, message }) => [index, message?.content])).toEqual(
        begun.map((index) => [index, textOf(index)]),
      );
    }),
  );
});

test("what a provider sent is not changed, because clients get it too", () => {
  const first = { images: [{ index: 0, url: "a" }], content: "x" };
  const copy = structuredClone(first);
  answerOf([delta(first), delta({ images: [{ index: 0, url: "b" }], content: "y" }), end("stop")]);
  expect(first).toEqual(copy);
});
