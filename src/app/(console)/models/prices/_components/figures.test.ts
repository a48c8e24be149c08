import { expect, test } from "vitest";
import { changeText, pricedFigures } from "./figures.ts";

const figures = {
  input: "1.000000000000",
  output: "2.000000000000",
  cached_input: null,
  cache_write: "1.250000000000",
  cache_write_1h: "1.250000000000",
  reasoning: null,
  per_request: "0.000000000000",
  per_1k_searches: null,
};

test("only prices above zero are shown, and the one-hour cache write only if it differs", () => {
  expect(pricedFigures(figures)).toEqual(["input", "output", "cache_write"]);
  expect(pricedFigures({ ...figures, cache_write_1h: "2" })).toContain("cache_write_1h");
});

test("a change has both prices, and the percentage if the currency is the same", () => {
  const change = { figure: "input", before: "0.100000000000", after: "0.120000000000" };
  expect(changeText(change, "EUR", "EUR")).toBe("Prompt €0.10 → €0.12, +20%");
  expect(changeText(change, "EUR", "USD")).toBe("Prompt $0.10 → €0.12");
  expect(changeText({ ...change, before: null }, "EUR", "EUR")).toBe("Prompt none → €0.12");
  expect(changeText({ figure: "currency", before: "USD", after: "EUR" }, "EUR", "USD")).toBe(
    "Currency USD → EUR",
  );
});
