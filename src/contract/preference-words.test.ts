import { expect, test } from "vitest";
import { effectsOf } from "./preference-words.ts";

test("the effect of a rule reads as a sentence, requirements first", () => {
  expect(
    effectsOf({
      sort: "price",
      order: ["mistral"],
      data_residency: "eu",
      max_retention_days: 0,
      data_collection: "deny",
      max_price: { prompt: 1, completion: 2.5 },
    }),
  ).toEqual([
    "runs in the EU",
    "zero data retention",
    "no training",
    "at most $1 prompt, $2.5 completion",
    "order: mistral",
    "lowest price first",
  ]);
});

test("preferences without effect are not listed", () => {
  expect(effectsOf(null)).toEqual([]);
  expect(
    effectsOf({ eu_owned: false, allow_fallbacks: true, data_collection: "allow", order: [], only: null }),
  ).toEqual([]);
});

test("countries and percentiles are named", () => {
  expect(effectsOf({ data_residency: "de", preferred_max_latency: { p90: 2 } })).toEqual([
    "runs in Germany",
    "preferably within p90 2 s",
  ]);
});

test("what several rules ask for together can be met by nobody, and says so", () => {
  expect(effectsOf({ data_residency: "de+fr", only: [], quantizations: [] })).toEqual([
    "runs in Germany and in France",
    "no provider that all of them allow",
    "no quantization that all of them allow",
  ]);
});
