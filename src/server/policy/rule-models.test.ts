import { expect, test } from "vitest";
import { catalogueOf, endpoint, model, provider } from "#test/catalogues.ts";
import { ruleModels } from "./rule-models.ts";

const at = provider("somewhere");
const models = [
  model("openai/gpt-5"),
  model("author/Mixed-Case"),
  model("author/whole:free"),
  model("one/twin"),
  model("two/twin"),
];
const aliases = new Map([["openai/Latest", "openai/gpt-5"]]);
const catalogue = catalogueOf(
  models.map((one) => endpoint(at, one)),
  aliases,
);
const written = (name: string) => ruleModels(catalogue, { model: name, models: [name] });

test.each([
  ["openai/gpt-5", "openai/gpt-5"],
  ["openai/gpt-5:floor", "openai/gpt-5:floor"],
  ["openai/Latest", "openai/Latest"],
  ["OpenAI/GPT-5", "openai/gpt-5"],
  ["OPENAI/GPT-5:Floor", "openai/gpt-5:floor"],
  ["openai/gpt-5:NITRO", "openai/gpt-5:nitro"],
  ["OpenAI/latest", "openai/Latest"],
  ["author/mixed-case", "author/Mixed-Case"],
  ["author/mixed-case:free", "author/Mixed-Case:free"],
  ["AUTHOR/Whole:Free", "author/whole:free"],
])("a rule for %s is one for %s", (name, known) => {
  expect(written(name)).toEqual({ model: known, models: [known] });
});

test.each([
  ["gpt-5", "did you mean `openai/gpt-5`?"],
  ["azure/GPT-5", "did you mean `openai/gpt-5`?"],
  ["twin", "GET /api/v1/models lists what there is"],
  ["openai/gpt-5:fast", "GET /api/v1/models lists what there is"],
  ["nobody/nothing", "GET /api/v1/models lists what there is"],
  ["openai/", "GET /api/v1/models lists what there is"],
])("a rule for %s is refused, with what may have been meant", (name, hint) => {
  for (const param of ["model", "models"] as const) {
    const asked = param === "model" ? { model: name } : { models: ["openai/gpt-5", name] };
    const refusal = {
      code: "BAD_REQUEST",
      param,
      message: `${param}: \`${name}\` is not in the catalogue; ${hint}`,
    };
    expect(() => ruleModels(catalogue, asked)).toThrow(expect.objectContaining(refusal));
    expect(() => ruleModels(catalogue, asked, { path: "rule." })).toThrow(
      expect.objectContaining({ param: `rule.${param}` }),
    );
  }
});

test("existing models stay, omitted ones stay omitted, and each model is listed once", () => {
  expect(
    ruleModels(catalogue, { models: ["gone/model"] }, { asWritten: [null, "gone/model"] }).models,
  ).toEqual(["gone/model"]);
  expect(ruleModels(catalogue, {})).toEqual({ model: undefined, models: undefined });
  expect(ruleModels(catalogue, { model: null, models: null })).toEqual({ model: null, models: null });
  expect(ruleModels(catalogue, { models: ["OpenAI/gpt-5", "openai/GPT-5"] }).models).toEqual([
    "openai/gpt-5",
  ]);
});
