import { expect, test } from "vitest";
import { effectsOf } from "./preference-words.ts";

test("the effect of a rule reads as a sentence, what binds first", () => {
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
    "keeps nothing",
    "no training",
    "at most $1 prompt, $2.5 completion",
    "first mistral",
    "cheapest first",
  ]);
});

test("what changes nothing is not told", () => {
  expect(effectsOf(null)).toEqual([]);
  expect(
    effectsOf({ eu_owned: false, allow_fallbacks: true, data_collection: "allow", order: [], only: null }),
  ).toEqual([]);
});

test("countries and percentiles are told by name", () => {
  expect(effectsOf({ data_residency: "de", preferred_max_latency: { p90: 2 } })).toEqual([
    "runs in Germany",
    "rather within p90 2 s",
  ]);
});
