import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FilterField, FilterOperator, type FilterRule, FilterRules } from "#contract/destination-filter.ts";
import { sampleFacts, samplePayload } from "#test/destinations/sample.ts";
import { type FilterValues, passes, passesQuickly } from "./evaluate.ts";
import { filterValues } from "./values.ts";

const values = filterValues(sampleFacts(), "Support key", samplePayload.content);
const unknown = filterValues(sampleFacts(), "Support key", null);
const rulesOf = (...rules: FilterRule[]): FilterRules => FilterRules.parse({ groups: [{ rules }] });

describe("a rule", () => {
  test.each([
    ["model", "equals", "sandbox/chat", true],
    ["model", "not_equals", "sandbox/chat", false],
    ["model", "regex", "^sandbox/", true],
    ["provider", "starts_with", "sandbox-", true],
    ["provider", "ends_with", "-fr", false],
    ["user_id", "contains", "ad", true],
    ["user_id", "not_contains", "ad", false],
    ["api_key_name", "equals", "Support key", true],
    ["session_id", "exists", undefined, true],
    ["total_tokens", "gte", 30, true],
    ["prompt_tokens", "lt", 10, false],
    ["total_cost", "gt", "0.001", true],
    ["input", "contains", "brief.\nName", true],
    ["input", "equals", "Be brief.\nName a river.", true],
    ["input", "ends_with", "river.", true],
    ["output", "regex", "[Rr]hine", true],
    ["output", "not_contains", "Rhine", false],
    ["output", "starts_with", "The", true],
  ] as const)("with %s %s %s evaluates to %s", (field, operator, value, expected) => {
    expect(passes(rulesOf({ field, operator, value }), values)).toBe(expected);
  });

  test.each(FilterOperator.options)("with %s does not match if the text is unknown", (operator) => {
    const rule = { field: "input", operator, ...(!/exists/.test(operator) && { value: "1" }) } as const;
    expect(passes(rulesOf(rule), unknown)).toBe(false);
    expect(passesQuickly(rulesOf(rule), unknown)).not.toBe(true);
  });
});

test("searches the beginning of a long text, and knows its end", () => {
  const content = (text: string) => ({
    input: [
      {
        role: "user",
        parts: [
          { type: "text" as const, content: "Start" },
          { type: "text" as const, content: text },
        ],
      },
    ],
    output: [],
  });
  const long = filterValues(sampleFacts(), "k", content(`${"x".repeat(5_000_000)}needle end`));
  const says = (operator: FilterRule["operator"], value: string) =>
    passes(rulesOf({ field: "input", operator, value }), long);
  expect([says("starts_with", "Start\nxxx"), says("ends_with", "needle end")]).toEqual([true, true]);
  expect([says("contains", "Start\nx"), says("contains", "needle")]).toEqual([true, false]);
  expect(long.texts?.input.start.length).toBe(32 * 1024);
  expect(JSON.stringify(long).length).toBeLessThan(100_000);
});

const rule = fc
  .record({
    field: fc.constantFrom(...FilterField.options),
    operator: fc.constantFrom(...FilterOperator.options),
    value: fc.constantFrom("sandbox/chat", "a", "Rhine", "1", "30", "^T", "ada"),
  })
  .map((one) => one as FilterRule);
const rules = fc
  .array(
    fc.record({ logic: fc.constantFrom("and", "or"), rules: fc.array(rule, { minLength: 1, maxLength: 6 }) }),
    {
      maxLength: 4,
    },
  )
  .map((groups) => ({ enabled: true, groups }) as FilterRules);

test("the quick result equals that of a complete evaluation", () => {
  fc.assert(
    fc.property(rules, fc.constantFrom<FilterValues>(values, unknown), (given, of) => {
      const quick = passesQuickly(given, of);
      if (quick !== null) expect(quick).toBe(passes(given, of));
    }),
  );
});

test("neither searches nor long lists of rules are evaluated quickly", () => {
  const search = rulesOf({ field: "model", operator: "regex", value: "x" });
  expect(passesQuickly(search, values)).toBeNull();
  expect(passesQuickly(rulesOf({ field: "input", operator: "contains", value: "x" }), values)).toBeNull();
  const one: FilterRule = { field: "user_id", operator: "not_contains", value: "x" };
  const many = FilterRules.parse({ groups: [{ rules: Array(20).fill(one) }, { rules: [one] }] });
  expect(passesQuickly(many, values)).toBeNull();
  expect(passes(many, values)).toBe(true);
});

test("a filter that is empty or switched off matches everything", () => {
  for (const all of [
    null,
    FilterRules.parse({ groups: [] }),
    { ...rulesOf({ field: "model", operator: "equals", value: "x" }), enabled: false },
  ])
    expect([passes(all, unknown), passesQuickly(all, unknown)]).toEqual([true, true]);
});
