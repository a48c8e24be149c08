import { describe, expect, test } from "vitest";
import { BudgetDimension } from "#contract/budget.ts";
import { measures, scopeText, untilText } from "./budget-text.ts";
import { valueNames } from "./counter-names.ts";

const dimension = (name: string, value: string | null) => BudgetDimension.parse({ dimension: name, value });
const nameOf = (name: string, value: string) => (name === "workspace" && value === "1" ? "Research" : value);

describe("a budget in words", () => {
  test.each([
    ["eur", 12.5, "€12.50"],
    ["usd", 12.5, "$12.50"],
    ["tokens", 1, "1 token"],
    ["tokens", 25_000, "25,000 tokens"],
    ["requests", 0, "0 requests"],
    ["concurrency", 1, "1 parallel request"],
  ] as const)("%s %d is %s", (measure, amount, text) => {
    expect(measures[measure].amount(amount)).toBe(text);
  });

  test("names whom it applies to", () => {
    expect(scopeText([], nameOf)).toBe("the whole organisation");
    expect(scopeText([dimension("workspace", "1"), dimension("end_user", null)], nameOf)).toBe(
      "workspace Research; each end user",
    );
  });

  test("names keys of metadata as the API does", () => {
    expect(scopeText([dimension("metadata.model", "a"), dimension("metadata.team", null)], nameOf)).toBe(
      "metadata.model a; each metadata.team",
    );
  });

  test("names the values of a counter in the order of the API", () => {
    const dimensions = [dimension("end_user", null), dimension("model", "a/b"), dimension("workspace", null)];
    expect(valueNames(dimensions, ["1", "ada"], nameOf)).toBe("Research, ada");
    const withTag = [...dimensions, dimension("metadata.team", null)];
    expect(valueNames(withTag, ["1", "sales", "ada"], nameOf)).toBe("Research, sales, ada");
  });

  test.each([
    [10_000, "in 1 min"],
    [60 * 60_000, "in 60 min"],
    [3 * 3_600_000, "in 3 h"],
    [72 * 3_600_000, "in 3 days"],
  ])("resets in %d ms: %s", (ms, text) => {
    expect(untilText("2026-11-25T00:00:00.000Z", Date.parse("2026-11-25T00:00:00.000Z") - ms)).toBe(text);
  });
});
