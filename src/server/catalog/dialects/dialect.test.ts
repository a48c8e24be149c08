import { describe, expect, test } from "vitest";
import { parameters } from "#contract/parameter-classes.ts";
import {
  type EndpointRules,
  endpointRules,
  fieldChanges,
  fieldRule,
  type ParameterLists,
} from "./dialect.ts";
import { dialectOf, dialects } from "./index.ts";

const noLists: ParameterLists = { endpoint: null, model: null };
function rulesOf(name: string, model = "m", lists: Partial<ParameterLists> = {}): EndpointRules {
  const dialect = dialects[name];
  if (!dialect) throw new Error(`${name} is no dialect`);
  return endpointRules(dialect, [model], { ...noLists, ...lists });
}
const support = (rules: EndpointRules, field: string, api = "chat") => fieldRule(rules, api, field)?.support;

describe.each(Object.values(dialects))("the dialect $name", (dialect) => {
  test("has a source and the day on which it was read", () => {
    expect(dialect.source).not.toBe("");
    expect(dialect.asOf).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  test("has a rule for every field of every operation", () => {
    const rules = rulesOf(dialect.name);
    for (const api of ["chat", "completions", "responses"])
      expect(parameters.filter((name) => !fieldRule(rules, api, name))).toEqual([]);
  });

  test("that rejects unknown fields leaves no field of ours unknown", () => {
    if (dialect.unknownFields === "ignored") return;
    const rules = rulesOf(dialect.name);
    // A legacy operation that the provider does not offer.
    const legacy = new Set(["echo", "suffix", "best_of"]);
    expect(parameters.filter((name) => support(rules, name) === "unknown" && !legacy.has(name))).toEqual([]);
  });
});

test("a provider has the dialect it names, else that of its kind, else the one of own servers", () => {
  expect(dialectOf({ dialect: "groq", kind: "openai-compatible" }).name).toBe("groq");
  expect(dialectOf({ dialect: undefined, kind: "anthropic" }).name).toBe("anthropic");
  expect(dialectOf({ dialect: undefined, kind: "tei" }).name).toBe("openai-compatible");
});

test.each([
  ["openai", "gpt-4.1", "temperature", "supported"],
  ["openai", "gpt-5", "temperature", "unsupported"],
  ["openai", "o3", "stop", "unsupported"],
  ["openai", "gpt-4.1", "verbosity", "unsupported"],
  ["openai", "gpt-4.1", "top_k", "unsupported"],
  ["anthropic", "claude-haiku-4-5", "temperature", "supported"],
  ["anthropic", "claude-opus-4-8", "temperature", "unsupported"],
  ["anthropic", "claude-opus-4-8", "forced_tool_choice", "supported"],
  ["anthropic", "claude-sonnet-5-5", "forced_tool_choice", "unsupported"],
  ["bedrock", "eu.anthropic.claude-sonnet-5", "temperature", "unsupported"],
  ["google", "gemini-2.5-flash", "presence_penalty", "unsupported"],
  ["groq", "llama", "n", "unsupported"],
  ["deepseek", "deepseek-chat", "structured_outputs", "unsupported"],
  ["ollama", "qwen", "tool_choice", "unsupported"],
  ["openai-compatible", "anything", "logit_bias", "unknown"],
])("%s, %s: %s is %s", (dialect, model, field, expected) => {
  expect(support(rulesOf(dialect, model), field)).toBe(expected);
});

test("fields that OpenAI's responses operation does not have are known", () => {
  const rules = rulesOf("openai", "gpt-4.1");
  expect(support(rules, "stop", "responses")).toBe("unsupported");
  expect(support(rules, "stop", "chat")).toBe("supported");
});

describe("lists of the catalogue", () => {
  const of = (...names: string[]) => new Set(names);

  test("of an endpoint: what is not listed is unsupported, but hints and what changes the price", () => {
    const rules = rulesOf("openai-compatible", "m", { endpoint: of("tools", "seed") });
    expect(["seed", "tools", "parallel_tool_calls"].map((name) => support(rules, name))).toEqual([
      "supported",
      "supported",
      "supported",
    ]);
    expect(["temperature", "stop", "logit_bias"].map((name) => support(rules, name))).toEqual([
      "unsupported",
      "unsupported",
      "unsupported",
    ]);
    expect(["user", "service_tier"].map((name) => support(rules, name))).toEqual(["unknown", "unknown"]);
  });

  test("of a model: what it can do is complete; other fields may be missing", () => {
    const rules = rulesOf("openai-compatible", "m", { model: of("temperature") });
    expect(support(rules, "temperature")).toBe("supported");
    expect(["tools", "response_format", "reasoning_effort"].map((name) => support(rules, name))).toEqual([
      "unsupported",
      "unsupported",
      "unsupported",
    ]);
    expect(["seed", "logit_bias", "user"].map((name) => support(rules, name))).toEqual([
      "unknown",
      "unknown",
      "unknown",
    ]);
  });

  test("never make a field supported that the provider does not take", () => {
    const rules = rulesOf("groq", "m", { endpoint: of("n", "top_k"), model: of("n", "top_k") });
    expect([support(rules, "n"), support(rules, "top_k")]).toEqual(["unsupported", "unsupported"]);
  });
});

test("what would happen to fields is known by their names", () => {
  expect(
    fieldChanges(rulesOf("together"), "chat", ["seed", "top_logprobs", "verbosity", "their_own"]),
  ).toEqual({
    dropped: ["verbosity"],
    translated: [{ from: "top_logprobs", to: "logprobs" }],
    limited: [],
  });
  const any = { min: null, max: null, values: null, without_reasoning: false };
  expect(fieldChanges(rulesOf("mistral"), "chat", ["temperature", "seed"])).toMatchObject({
    dropped: [],
    limited: [{ ...any, name: "temperature", max: 1.5 }],
  });
  expect(fieldChanges(rulesOf("openai", "gpt-5.2"), "chat", ["temperature"]).limited).toEqual([
    { ...any, name: "temperature", without_reasoning: true },
  ]);
  expect(fieldChanges(rulesOf("groq"), "chat", ["service_tier"]).limited).toMatchObject([
    { name: "service_tier", values: expect.arrayContaining(["flex"]) },
  ]);
  expect(fieldChanges(rulesOf("groq"), "chat", ["seed", "their_own"]).dropped).toEqual(["their_own"]);
});
