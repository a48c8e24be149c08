import { expect, test } from "vitest";
import { noAnswer, withValue } from "./inference.ts";

const all = (...values: unknown[]) => values.reduce(withValue, noAnswer) as typeof noAnswer;
const usage = { cost: 0.1, cost_eur: 0.09, prompt_tokens: 3, completion_tokens: 2 };
const read = { cost: 0.1, cost_eur: 0.09, tokensIn: 3, tokensOut: 2 };

test("chunks of a chat add up to its text, reasoning and tool calls", () => {
  const chunk = (delta: object) => ({ choices: [{ index: 0, delta }] });
  const answer = all(
    chunk({ reasoning: "Hm" }),
    chunk({ content: "Hel" }),
    chunk({ content: "lo" }),
    chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "add", arguments: "{" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: "}" } }] }),
    { choices: [], usage },
  );
  expect(answer).toMatchObject({
    text: "Hello",
    reasoning: "Hm",
    toolCalls: [{ name: "add", arguments: "{}" }],
    usage: read,
  });
});

test("events of a response add up to its text; the complete response at the end does not repeat it", () => {
  const streamed = all(
    { type: "response.output_text.delta", delta: "Hel" },
    { type: "response.output_text.delta", delta: "lo" },
    { type: "response.output_text.done", text: "Hello" },
    { type: "response.completed", response: { output_text: "Hello", usage } },
  );
  expect(streamed).toMatchObject({ text: "Hello", usage: read });
  expect(all({ output_text: "Hello", output: [{ type: "message" }], usage }).text).toBe("Hello");
});

test("completions, rankings and errors are read too", () => {
  expect(all({ choices: [{ text: "a" }] }, { choices: [{ text: "b" }] }).text).toBe("ab");
  expect(all({ results: [{ index: 1, relevance_score: 0.5, document: { text: "x" } }] }).ranking).toEqual([
    { index: 1, score: 0.5, text: "x" },
  ]);
  expect(all({ choices: [], error: { code: 502, message: "cut off" } }).failure?.message).toBe("cut off");
});

test("unknown events change nothing", () => {
  expect(all("x", 3, null, { choices: "?" })).toEqual(noAnswer);
});
