import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PresetConfig, PresetWithVersion, presetParameterNames } from "#contract/preset.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { draftOf, newDraft, readConfig } from "./draft.ts";
import { parameterField, parameterFields } from "./parameter-kinds.ts";

const stored = (config: PresetConfig): PresetWithVersion => {
  const preset = sampleOf(PresetWithVersion);
  return { ...preset, designated_version: { ...preset.designated_version, config } };
};

/** A value of each parameter. */
const values: Record<(typeof presetParameterNames)[number], unknown> = {
  max_tokens: 64,
  temperature: 0.25,
  top_p: 0.5,
  top_k: 4,
  min_p: 0.25,
  top_a: 0.25,
  frequency_penalty: -0.5,
  presence_penalty: 0.5,
  repetition_penalty: 1.25,
  seed: 7,
  stop: "END",
  logit_bias: { 50256: -100 },
  reasoning: { effort: "low" },
  verbosity: "low",
  response_format: { type: "json_object" },
  tools: [{ type: "function", function: { name: "weather" } }],
  tool_choice: "auto",
  parallel_tool_calls: false,
  service_tier: "flex",
  dimensions: 256,
  input_type: "query",
  top_n: 3,
  return_documents: false,
};

test("whatever a preset sets, its form stands for the same", () => {
  const configs = fc
    .subarray([...presetParameterNames])
    .map((names) => PresetConfig.parse(Object.fromEntries(names.map((name) => [name, values[name]]))));
  fc.assert(
    fc.property(configs, (config) => {
      expect(readConfig(draftOf(stored(config)))).toEqual({ config });
    }),
  );
});

describe("how a parameter is edited follows from its schema", () => {
  test.each([
    ["temperature", { input: "number", min: 0, max: 2, isWhole: false }],
    ["max_tokens", { input: "number", min: 1, max: undefined, isWhole: true }],
    ["verbosity", { input: "choice", choices: ["low", "medium", "high"] }],
    ["return_documents", { input: "boolean" }],
    ["service_tier", { input: "text" }],
    ["stop", { input: "json" }],
    ["tools", { input: "json" }],
  ])("%s as %j", (name, kind) => {
    expect(parameterField(name)?.kind).toEqual(kind);
  });

  test("and each of them is explained", () => {
    expect(parameterFields.filter(({ description }) => description === "")).toEqual([]);
  });
});

test.each([
  [{ temperature: "" }, "temperature is empty; enter a value or remove it"],
  [{ temperature: "warm" }, "temperature must be a number"],
  [{ tools: "[" }, "tools is not valid JSON"],
  [{ temperature: "3" }, "temperature: Too big: expected number to be <=2"],
  [{ tools: '[{"type":"web_search"}]' }, "tools.0.type: must be function"],
])("%j is no configuration: %s", (parameters, problem) => {
  expect(readConfig({ ...newDraft, parameters }).problem).toContain(problem);
});
