import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Api, apis } from "#contract/inference-operations.ts";
import { PresetConfig, presetParameterNames } from "#contract/preset.ts";
import { presetFields, presetFit } from "#contract/preset-fields.ts";
import { operations } from "#server/inference/index.ts";
import { applyPreset, type Body, type PresetOperation } from "./apply.ts";
import { operationsOf, usableVersion } from "./preset-version.ts";

const json_schema = { name: "answer", schema: { type: "object" }, strict: true };
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];

/** A value of each parameter of presets. */
const values: Required<{ [Name in (typeof presetParameterNames)[number]]: unknown }> = {
  max_tokens: 64,
  temperature: 0.25,
  top_p: 0.5,
  top_k: 4,
  min_p: 0.25,
  top_a: 0.25,
  frequency_penalty: 0.5,
  presence_penalty: 0.5,
  repetition_penalty: 1.25,
  seed: 7,
  stop: ["END"],
  logit_bias: { 50256: -100 },
  reasoning: { effort: "low" },
  verbosity: "low",
  response_format: { type: "json_schema", json_schema },
  tools,
  tool_choice: "auto",
  parallel_tool_calls: false,
  service_tier: "flex",
  dimensions: 256,
  input_type: "query",
  top_n: 3,
  return_documents: false,
};

/** A request of each operation with nothing but what it needs; Anthropic's also needs a limit. */
const bare: Record<Api, Body> = {
  chat: { messages: [{ role: "user", content: "Hello" }] },
  completions: { prompt: "Hello" },
  responses: { input: "Hello" },
  messages: { messages: [{ role: "user", content: "Hello" }] },
  embeddings: { input: "Hello" },
  rerank: { query: "a", documents: ["a", "b"] },
};

const versionOf = (config: PresetConfig, systemPrompt: string | null = null) =>
  usableVersion({ name: "support", version: 3, config, systemPrompt });
const apply = (
  config: object,
  operation: PresetOperation,
  request: Body,
  systemPrompt: string | null = null,
) => applyPreset(request, versionOf(PresetConfig.parse(config), systemPrompt), operation, "preset");

const place = (body: Body, [field = "", inner]: readonly string[]): unknown =>
  inner === undefined ? body[field] : (body[field] as Body | undefined)?.[inner];

const cells = presetParameterNames.flatMap((name) =>
  (Object.keys(presetFields[name].takes) as Api[]).map((api) => ({ name, api })),
);
const putOf = (name: string, api: Api) => {
  const [put] = presetFit(PresetConfig.parse({ [name]: values[name as "seed"] }), null, api).puts;
  if (!put) throw new Error(`${api} takes no ${name}`);
  return put;
};

describe("every parameter in every operation that takes it", () => {
  test.each(cells)("$name reaches $api in a form that its schema accepts", ({ name, api }) => {
    const { path, value } = putOf(name, api);
    const merged = apply({ [name]: values[name] }, api, bare[api]);
    expect(place(merged, path)).toEqual(value);
    const parsed = operations[api].request.safeParse(
      api === "messages" ? { max_tokens: 32, ...merged } : merged,
    );
    expect(parsed.error?.issues).toBeUndefined();
    expect(place(parsed.data as unknown as Body, path)).toBeDefined();
  });

  test.each(cells)("what the client of $api sends for $name wins, null included", ({ name, api }) => {
    const { yields } = putOf(name, api);
    for (const field of yields)
      for (const sent of ["client", null]) {
        const [outer = "", inner] = field.split(".");
        const request = inner === undefined ? { [outer]: sent } : { [outer]: { [inner]: sent } };
        const { preset: _, ...merged } = apply({ [name]: values[name] }, api, request);
        expect(merged).toEqual(request);
      }
  });
});

const AnyConfig = fc
  .subarray([...presetParameterNames])
  .map((names) => PresetConfig.parse(Object.fromEntries(names.map((name) => [name, values[name]]))));
const AnyPrompt = fc.option(fc.string({ minLength: 1 }));

test("a preset is refused by exactly the operations that it does not name, and then names what they cannot take", () => {
  fc.assert(
    fc.property(AnyConfig, AnyPrompt, fc.constantFrom(...apis), (config, prompt, api) => {
      const merge = () => applyPreset(bare[api], versionOf(config, prompt), api, "preset");
      if (operationsOf(config, prompt).includes(api)) expect(merge().preset).toBe("support@3");
      else expect(merge).toThrow(/^preset: the preset `support` sets .+, which \/\w/);
    }),
  );
});

test("whatever the preset, each field of the client stays as it is, but for the prompt and objects that are merged", () => {
  const isMerged = new Set([
    "messages",
    "system",
    "instructions",
    "provider",
    "text",
    "output_config",
    "preset",
  ]);
  const fields = fc.constantFrom(
    "temperature",
    "seed",
    "tools",
    "models",
    "model",
    "reasoning",
    "stop",
    "unknown",
  );
  const sentBy = fc.dictionary(fields, fc.jsonValue());
  fc.assert(
    fc.property(AnyConfig, AnyPrompt, sentBy, fc.constantFrom(...apis), (config, prompt, sent, api) => {
      const request: Body = { ...bare[api], ...sent };
      fc.pre(operationsOf(config, prompt).includes(api));
      const merged = applyPreset(request, versionOf(config, prompt), api, "preset");
      for (const name of Object.keys(request))
        if (!isMerged.has(name)) expect(merged[name]).toBe(request[name]);
    }),
  );
});

test.each([
  { reasoning: { effort: "minimal" }, merged: { output_config: { effort: "low" } } },
  { reasoning: { effort: "high" }, merged: { output_config: { effort: "high" } } },
  { reasoning: { effort: "none" }, merged: { thinking: { type: "disabled" } } },
  { reasoning: { enabled: false }, merged: { thinking: { type: "disabled" } } },
  { reasoning: { enabled: true }, merged: { thinking: { type: "adaptive" } } },
  { reasoning: { max_tokens: 2048 }, merged: { thinking: { type: "enabled", budget_tokens: 2048 } } },
])("reasoning of Anthropic's operation: $reasoning", ({ reasoning, merged }) => {
  expect(apply({ reasoning }, "messages", {})).toEqual({ ...merged, preset: "support@3" });
});

test.each<{ config: object; fits: readonly Api[] }>([
  { config: {}, fits: apis },
  { config: { temperature: 1 }, fits: ["chat", "responses", "messages", "completions"] },
  { config: { seed: 1 }, fits: ["chat", "completions"] },
  { config: { reasoning: { exclude: true } }, fits: ["chat", "completions"] },
  { config: { response_format: { type: "json_object" } }, fits: ["chat", "responses"] },
  { config: { dimensions: 8 }, fits: ["embeddings"] },
  { config: { top_n: 8 }, fits: ["rerank"] },
  { config: { top_n: 8, temperature: 1 }, fits: [] },
])("$config fits $fits", ({ config, fits }) => {
  expect(operationsOf(PresetConfig.parse(config), null)).toEqual(fits);
});

describe("models", () => {
  const config = { models: ["a/one", "b/two"] };
  test.each([
    { sent: {}, merged: { model: "a/one", models: ["a/one", "b/two"] } },
    { sent: { model: "c/three" }, merged: { model: "c/three" } },
    { sent: { models: ["c/three"] }, merged: { models: ["c/three"] } },
    { sent: { models: null }, merged: { model: "a/one", models: ["a/one", "b/two"] } },
  ])("of $sent are $merged", ({ sent, merged }) => {
    expect(apply(config, "chat", sent)).toEqual({ ...merged, preset: "support@3" });
  });

  test("several are refused where answers of different models cannot be compared", () => {
    expect(() => apply(config, "embeddings", {})).toThrow(
      "sets several models, which /embeddings does not take",
    );
    expect(apply({ models: ["a/one"] }, "embeddings", {})).toMatchObject({ model: "a/one" });
  });
});

test.each([
  { sent: undefined, merged: { data_residency: "eu", zdr: true } },
  { sent: null, merged: null },
  { sent: { zdr: false, sort: "price" }, merged: { data_residency: "eu", zdr: false, sort: "price" } },
])("provider preferences are merged field by field: $sent", ({ sent, merged }) => {
  const config = { provider: { data_residency: "eu", zdr: true } };
  const request = sent === undefined ? {} : { provider: sent };
  expect(apply(config, "chat", request).provider).toEqual(merged);
});

const ours = "Be brief.";
const user = { role: "user", content: "Hello" };
const block = (text: string) => ({ type: "text", text });
test.each<{ operation: PresetOperation; sent: Body; merged: Body }>([
  {
    operation: "chat",
    sent: { messages: [{ role: "system", content: "Be kind." }, user] },
    merged: { messages: [{ role: "system", content: ours }, { role: "system", content: "Be kind." }, user] },
  },
  { operation: "responses", sent: {}, merged: { instructions: ours } },
  { operation: "responses", sent: { instructions: null }, merged: { instructions: ours } },
  {
    operation: "responses",
    sent: { instructions: "Be kind." },
    merged: { instructions: "Be brief.\n\nBe kind." },
  },
  {
    operation: "compaction",
    sent: { instructions: "Be kind." },
    merged: { instructions: "Be brief.\n\nBe kind." },
  },
  { operation: "messages", sent: {}, merged: { system: ours } },
  {
    operation: "messages",
    sent: { system: "Be kind." },
    merged: { system: [block(ours), block("Be kind.")] },
  },
  {
    operation: "messages",
    sent: { system: [block("Be kind.")] },
    merged: { system: [block(ours), block("Be kind.")] },
  },
])("the system prompt precedes that of the client in $operation: $sent", ({ operation, sent, merged }) => {
  expect(apply({}, operation, sent, ours)).toEqual({ ...merged, preset: "support@3" });
});

test.each<Api>(["completions", "embeddings", "rerank"])(
  "a system prompt is refused by %s, which has no messages",
  (api) => {
    expect(() => apply({}, api, bare[api], ours)).toThrow("sets a system prompt, which");
  },
);
