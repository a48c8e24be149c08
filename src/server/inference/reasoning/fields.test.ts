import { describe, expect, test } from "vitest";
import { reasoningFields, type SentReasoning } from "./fields.ts";
import { type ReasoningFields, reasoningOf } from "./form.ts";
import { reasoningDialects, reasoningRowOf } from "./rows.ts";

const sent = (dialect: string, model: string, request: ReasoningFields, tools = false): SentReasoning =>
  reasoningFields(reasoningOf(request), reasoningRowOf(dialect, model), { tools });

const template = (on: boolean) => ({ chat_template_kwargs: { enable_thinking: on, thinking: on } });
const isOn = { reasoning: { enabled: true } };
const isOff = { reasoning: { enabled: false } };
const level = (effort: string) => ({ reasoning_effort: effort });

/** By dialect and model: what is sent for an effort of xhigh, for 5,000 tokens, for reasoning on, and for off. */
const expected: readonly (readonly [string, string, object, object, object, object])[] = [
  ["openai", "gpt-4o", {}, {}, {}, {}],
  ["openai", "gpt-5-chat-latest", {}, {}, {}, {}],
  ["openai", "gpt-5-mini", level("high"), level("medium"), level("medium"), level("minimal")],
  ["openai", "gpt-5-pro", level("high"), level("high"), level("high"), level("high")],
  ["openai", "gpt-5.1", level("high"), level("medium"), level("medium"), level("none")],
  ["openai", "gpt-5.2", level("xhigh"), level("medium"), level("medium"), level("none")],
  ["openai", "gpt-5.6", level("xhigh"), level("medium"), level("medium"), level("none")],
  ["openai", "gpt-6", level("xhigh"), level("medium"), level("medium"), level("low")],
  ["openai", "gpt-6-sol", level("xhigh"), level("medium"), level("medium"), level("none")],
  ["openai", "o4-mini", level("high"), level("medium"), level("medium"), level("low")],
  ["azure", "o3", level("high"), level("medium"), level("medium"), level("low")],
  ["azure", "prod-chat", {}, {}, {}, {}],
  [
    "anthropic",
    "claude-sonnet-4-5-20250929",
    { reasoning: { effort: "xhigh" } },
    { reasoning: { max_tokens: 5000 } },
    isOn,
    isOff,
  ],
  [
    "anthropic",
    "claude-sonnet-4-6",
    { reasoning: { effort: "high" } },
    { reasoning: { max_tokens: 5000 } },
    isOn,
    isOff,
  ],
  [
    "anthropic",
    "claude-opus-5-5",
    { reasoning: { effort: "xhigh" } },
    { reasoning: { effort: "medium" } },
    isOn,
    isOff,
  ],
  ["anthropic", "claude-3-5-haiku-latest", {}, {}, {}, {}],
  [
    "google",
    "gemini-2.5-flash",
    { reasoning: { effort: "xhigh" } },
    { reasoning: { max_tokens: 5000 } },
    isOn,
    isOff,
  ],
  [
    "google",
    "gemini-3.1-pro-preview",
    { reasoning: { effort: "high" } },
    { reasoning: { effort: "medium" } },
    isOn,
    isOff,
  ],
  ["google", "gemini-2.0-flash", {}, {}, {}, {}],
  [
    "anthropic",
    "claude-opus-4.8",
    { reasoning: { effort: "xhigh" } },
    { reasoning: { effort: "medium" } },
    isOn,
    isOff,
  ],
  [
    "bedrock",
    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    { reasoning: { effort: "xhigh" } },
    { reasoning: { max_tokens: 5000 } },
    isOn,
    isOff,
  ],
  [
    "bedrock",
    "eu.amazon.nova-2-lite-v1:0",
    { reasoning: { effort: "high" } },
    { reasoning: { effort: "medium" } },
    isOn,
    isOff,
  ],
  ["bedrock", "mistral.mistral-large-2407-v1:0", {}, {}, {}, {}],
  ["mistral", "mistral-medium-latest", level("high"), level("high"), level("high"), level("none")],
  ["mistral", "mistral-large-4", level("high"), level("medium"), level("medium"), level("low")],
  ["mistral", "mistral-large-2512", {}, {}, {}, {}],
  ["groq", "openai/gpt-oss-120b", level("high"), level("medium"), level("medium"), level("low")],
  ["groq", "qwen/qwen3-32b", {}, {}, {}, level("none")],
  ["groq", "llama-3.3-70b-versatile", {}, {}, {}, {}],
  ["together", "openai/gpt-oss-20b", level("high"), level("medium"), level("medium"), level("low")],
  ["together", "deepseek-ai/DeepSeek-V3.1", isOn, isOn, isOn, isOff],
  [
    "fireworks",
    "accounts/fireworks/models/glm-5",
    level("high"),
    { thinking: { type: "enabled", budget_tokens: 5000 } },
    level("medium"),
    level("none"),
  ],
  ["deepinfra", "Qwen/Qwen3-32B", level("high"), level("medium"), level("medium"), level("none")],
  ["open-model-host", "m", template(true), template(true), template(true), template(false)],
  ["nebius", "Qwen/Qwen3-32B", template(true), template(true), template(true), template(false)],
  ["scaleway", "gpt-oss-120b", level("high"), level("medium"), level("medium"), level("low")],
  ["ovhcloud", "Qwen3-32B", template(true), template(true), template(true), template(false)],
  ["stackit", "Qwen3-32B", template(true), template(true), template(true), template(false)],
  ["ionos", "meta-llama/Llama-3.3-70B-Instruct", {}, {}, {}, {}],
  [
    "cerebras",
    "zai-glm-4.7",
    { disable_reasoning: false },
    { disable_reasoning: false },
    { disable_reasoning: false },
    { disable_reasoning: true },
  ],
  ["cerebras", "llama-3.3-70b", {}, {}, {}, {}],
  ["sambanova", "DeepSeek-V3.1", template(true), template(true), template(true), template(false)],
  [
    "deepseek",
    "deepseek-chat",
    { ...level("high"), thinking: { type: "enabled" } },
    { ...level("low"), thinking: { type: "enabled" } },
    { thinking: { type: "enabled" } },
    { thinking: { type: "disabled" } },
  ],
  ["xai", "grok-3-mini", level("high"), level("low"), level("low"), level("low")],
  ["xai", "grok-4.3", level("high"), level("medium"), level("medium"), level("low")],
  ["xai", "grok-4", {}, {}, {}, {}],
  ["perplexity", "sonar-deep-research", level("high"), level("medium"), level("medium"), level("minimal")],
  ["perplexity", "sonar", {}, {}, {}, {}],
  ["cohere", "command-a-reasoning-08-2025", level("high"), level("high"), level("high"), level("none")],
  [
    "vllm",
    "Qwen/Qwen3-32B",
    { ...level("high"), ...template(true) },
    { thinking_token_budget: 5000, ...template(true) },
    template(true),
    { ...level("none"), ...template(false) },
  ],
  ["ollama", "qwen3", level("high"), level("medium"), level("medium"), level("none")],
  [
    "llama-cpp",
    "qwen3",
    { ...level("high"), ...template(true) },
    { thinking_budget_tokens: 5000, ...template(true) },
    template(true),
    { ...level("none"), ...template(false) },
  ],
  [
    "openrouter",
    "anthropic/claude-sonnet-4.5",
    { reasoning: { effort: "xhigh" } },
    { reasoning: { max_tokens: 5000 } },
    isOn,
    { reasoning: { effort: "none" } },
  ],
];

const asked: readonly ReasoningFields[] = [
  { reasoning_effort: "xhigh" },
  { reasoning: { max_tokens: 5000 } },
  { reasoning: { enabled: true } },
  { reasoning: { enabled: false } },
];

describe.each(expected)("%s, %s", (dialect, model, ...bodies) => {
  test.each(asked.map((request, index) => [request, bodies[index]] as const))(
    "%j is sent in its fields, and every change is reported",
    (request, fields) => {
      const { translated, clamped, dropped, ...made } = sent(dialect, model, request);
      expect(made.fields).toEqual(fields);
      const isSent = Object.keys(fields ?? {}).length > 0;
      // Reasoning that is always on needs no field.
      const needsNone = dialect === "groq" && model.includes("qwen3");
      expect(dropped.length > 0).toBe(!isSent && !needsNone);
      const name = request.reasoning_effort ? "reasoning_effort" : Object.keys(request.reasoning ?? {})[0];
      for (const reported of [...clamped, ...dropped, ...translated.map(([from]) => from)])
        expect(reported).toContain(name);
    },
  );
});

test("every dialect is in this table", () => {
  const covered = new Set(expected.map(([dialect]) => dialect));
  expect(reasoningDialects.filter((dialect) => !covered.has(dialect))).toEqual([]);
});

test("every row has a source and a date", () => {
  for (const [dialect, model] of expected) {
    const { source, date } = reasoningRowOf(dialect, model);
    expect(source, dialect).not.toBe("");
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
  }
});

test.each(expected.map(([dialect, model]) => [dialect, model] as const))(
  "without reasoning settings nothing is sent to %s, %s",
  (dialect, model) => {
    expect(sent(dialect, model, {})).toEqual({ fields: {}, translated: [], clamped: [], dropped: [] });
  },
);

test("a provider of which nothing is known gets the fields as the client wrote them", () => {
  const request = { reasoning: { effort: "high", exclude: true }, thinking: { type: "enabled" } } as const;
  expect(sent("somebody", "m", request)).toEqual({
    fields: request,
    translated: [],
    clamped: [],
    dropped: [],
  });
});

test("a deployment is known by the id of its model in the catalogue", () => {
  expect(reasoningRowOf("azure", "prod-chat", "openai/gpt-5.1").effort?.levels).toContain("none");
});

test.each([
  ["gpt-5.4", { reasoning_effort: "high" }, { reasoning_effort: "none" }, ["reasoning_effort"]],
  ["gpt-5.4", { reasoning_effort: "none" }, { reasoning_effort: "none" }, []],
  ["gpt-5.4", {}, {}, []],
  ["gpt-5.6", {}, { reasoning_effort: "none" }, ["reasoning_effort"]],
  ["gpt-5.1", { reasoning_effort: "high" }, { reasoning_effort: "high" }, []],
] as const)(
  "%s with function tools and %j gets %j, and it is reported",
  (model, request, fields, clamped) => {
    expect(sent("openai", model, request, true)).toMatchObject({ fields, clamped });
  },
);

test("reports name the client's field and the provider's", () => {
  expect(sent("deepseek", "deepseek-chat", { reasoning: { effort: "medium" } })).toMatchObject({
    fields: { reasoning_effort: "low", thinking: { type: "enabled" } },
    translated: [["reasoning.effort", "reasoning_effort"]],
    clamped: ["reasoning.effort"],
  });
  expect(sent("openai", "gpt-4o", { thinking: { type: "enabled", budget_tokens: 2000 } }).dropped).toEqual([
    "thinking.budget_tokens",
  ]);
});

test("reasoning is left out by the provider itself where it has a field for that", () => {
  expect(sent("vllm", "m", { include_reasoning: false }).fields).toEqual({ include_reasoning: false });
  expect(sent("openrouter", "m", { reasoning: { exclude: true, effort: "low" } }).fields).toEqual({
    reasoning: { exclude: true, effort: "low" },
  });
  expect(sent("openai", "gpt-5", { reasoning: { exclude: true } })).toMatchObject({
    fields: {},
    dropped: [],
  });
});
