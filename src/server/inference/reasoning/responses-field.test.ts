import { expect, test } from "vitest";
import { openAiResponsesReasoning } from "./responses-field.ts";
import { reasoningRowOf } from "./rows.ts";

test.each([
  ["gpt-5.2", { effort: "high", summary: "auto" }, { effort: "high", summary: "auto" }, [], []],
  [
    "gpt-5.2",
    { effort: "max", context: "all" },
    { effort: "xhigh", context: "all" },
    ["reasoning.effort"],
    [],
  ],
  ["gpt-5.6", { effort: "max" }, { effort: "max" }, [], []],
  ["gpt-6", { effort: "max" }, { effort: "max" }, [], []],
  ["gpt-6", { effort: "none" }, { effort: "low" }, ["reasoning.effort"], []],
  ["gpt-5", { max_tokens: 2_000 }, { effort: "low" }, [], []],
  ["gpt-5", { enabled: true, summary: "detailed" }, { effort: "medium", summary: "detailed" }, [], []],
  ["gpt-5.1", { enabled: false }, { effort: "none" }, [], []],
  ["o3", { summary: "auto", effort: null }, { summary: "auto" }, [], []],
  ["o3", { exclude: true }, null, [], []],
  ["gpt-5-chat-latest", { effort: "high" }, null, [], ["reasoning"]],
] as const)("%s gets %j as %j", (model, given, field, clamped, dropped) => {
  const made = openAiResponsesReasoning(given, reasoningRowOf("openai", model));
  expect(made).toMatchObject({ clamped, dropped });
  expect(made.field).toEqual(field);
});

test("a number of tokens is reported as translated to an effort", () => {
  const { translated } = openAiResponsesReasoning({ max_tokens: 9_000 }, reasoningRowOf("openai", "o3"));
  expect(translated).toEqual([["reasoning.max_tokens", "reasoning.effort"]]);
});
