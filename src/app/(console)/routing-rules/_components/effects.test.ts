import { expect, test } from "vitest";
import { effectsOf, effectText, type TriedModel } from "./effects.ts";

const excluded = (endpoint: string, ...reasons: [field: string, rule_name?: string][]) => ({
  endpoint,
  refusals: reasons.map(([field, rule_name]) => ({ field, set_by: rule_name ? { rule_name } : {} })),
});
const results: TriedModel[] = [
  {
    endpoints: ["a:x", "b:x"],
    excluded: [
      excluded("c:x", ["data_residency", "EU"]),
      excluded("d:x", ["data_residency", "EU"], ["zdr", "EU"]),
      excluded("e:x", ["data_residency", "EU"], ["no_credential"]),
    ],
  },
  {
    endpoints: [],
    excluded: [excluded("a:y", ["zdr", "EU"], ["max_price", "another"]), excluded("b:y", ["zdr", "another"])],
  },
];

test("each field counts the endpoints it excludes, and those that only it excludes", () => {
  expect(effectsOf(results, "EU")).toEqual({
    total: 6,
    remaining: 2,
    byField: { data_residency: { excluded: 2, alone: 1 }, zdr: { excluded: 2, alone: 0 } },
  });
});

test("endpoints that nobody can use do not count", () => {
  expect(effectsOf([{ endpoints: [], excluded: [excluded("a:x", ["no_credential"])] }], "EU").total).toBe(0);
});

test("an effect is put in words, and a field without one has none", () => {
  const effects = effectsOf(results, "EU");
  expect(effectText(effects, "data_residency")).toBe(
    "Excludes 2 of 6 endpoints; 1 of them meets everything else",
  );
  expect(effectText(effects, "zdr")).toBe("Excludes 2 of 6 endpoints");
  expect(effectText(effects, "eu_owned")).toBeNull();
});
