import { screen, within } from "@testing-library/react";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Exclusion, SetBy } from "#contract/exclusion.ts";
import { exclusionLabel, exclusionReasons } from "#contract/exclusion-words.ts";
import { RecordedDecision } from "#contract/generation.ts";
import { arbitraryOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { ExcludedList } from "./excluded-list.tsx";

const fields = Object.keys(exclusionReasons);
const actuals = [null, true, 30, "fp8", ["US", "FR"], { prompt: 1, completion: 2 }];
const setBy = {
  scope: "org",
  rule_name: "EU only",
  rule_id: "0190a000-0000-7000-8000-000000000000",
} as const;

const refusal = (field: string, actual: unknown) => ({
  field,
  wanted: ["eu"],
  actual,
  set_by: setBy,
  would_admit: null,
});
const textOf = (label: string) =>
  within(screen.getByRole("list", { name: label })).getByRole("listitem").textContent ?? "";

describe.each(fields)("an endpoint excluded because of %s", (field) => {
  test("names the reason, who set it and what would admit the endpoint, in words", () => {
    for (const actual of actuals) {
      const excluded = [{ endpoint: "alpha:m/one", refusals: [refusal(field, actual)] }];
      const { unmount } = renderConsole(<ExcludedList label="Excluded" excluded={excluded} />);
      const said = textOf("Excluded");
      expect(said).toContain("alpha:m/one");
      expect(said).toContain("EU only");
      expect(said).toContain(field.replaceAll("_", " "));
      // Words for people: no name of a field, no JSON, nothing of JavaScript's own.
      expect(said.replace("base_url", "").replace("CATALOG_FILE", "")).not.toMatch(
        /\w_\w|[{}[\]]|undefined|\bnull\b|NaN/,
      );
      unmount();
    }
  });

  test("has a label of its own in tables", () => {
    const { code, label } = exclusionReasons[field as keyof typeof exclusionReasons];
    expect(exclusionLabel(code)).not.toBe("");
    expect(label).not.toMatch(/_/);
  });
});

test("the edited rule is named as this rule, others by their names", () => {
  const excluded = [
    {
      endpoint: "alpha",
      refusals: [
        {
          ...refusal("zdr", 30),
          also_set_by: [{ scope: "request" as const }, { ...setBy, rule_name: "Draft" }],
        },
      ],
    },
  ];
  renderConsole(<ExcludedList label="Excluded" excluded={excluded} draftName="Draft" />);
  const said = textOf("Excluded");
  expect(said).toContain("EU only");
  expect(said).toContain("this rule");
  expect(said).not.toContain("Draft");
});

test.each(SetBy.shape.scope.options)(
  "without a name, a preference of the scope %s has words too",
  (scope) => {
    const excluded = [{ endpoint: "alpha", refusals: [{ ...refusal("zdr", 30), set_by: { scope } }] }];
    renderConsole(<ExcludedList label="Excluded" excluded={excluded} />);
    expect(textOf("Excluded")).toMatch(/set by [a-z ]{6,}/);
  },
);

/** The server gives a reason once for each rule. */
const exclusion = arbitraryOf(Exclusion).map((one) => ({ ...one, refusals: one.refusals.slice(0, 1) }));

test("whatever the contract allows can be shown, one item for each endpoint", () => {
  fc.assert(
    fc.property(fc.uniqueArray(exclusion, { selector: ({ endpoint }) => endpoint, maxLength: 3 }), (all) => {
      const { unmount } = renderConsole(
        <ExcludedList label="Excluded" excluded={all} nameOf={(name) => `<${name}>`} />,
      );
      const items = within(screen.getByRole("list", { name: "Excluded" })).queryAllByRole("listitem");
      expect(items.map((item) => item.querySelector("p")?.textContent)).toEqual(
        all.map(({ endpoint }) => `<${endpoint}>`),
      );
      unmount();
    }),
    { numRuns: 15 },
  );
});

test("every code of the log has a label", () => {
  const codes = Object.values(exclusionReasons).map(({ code }) => code);
  const recorded = { model: "m", strategy: "price", rules: [], rule_count: 0, ranked: [] };
  const excluded = codes.map((excluded_by) => ({ endpoint: "e", excluded_by, set_by: "org" }));
  expect(RecordedDecision.parse({ models: [{ ...recorded, excluded }] }).models).toHaveLength(1);
});

test("a rule that would have to change is a link to its editor, which tries the change; the edited rule is none", () => {
  const own = { ...setBy, rule_name: "Draft", rule_id: "0190a000-0000-7000-8000-000000000001" };
  const excluded = [
    {
      endpoint: "alpha",
      refusals: [{ ...refusal("zdr", 30), also_set_by: [{ scope: "request" as const }, own] }],
    },
    { endpoint: "gamma", refusals: [{ ...refusal("max_retention_days", 30), would_admit: 30 }] },
    // Nothing that a rule asks for would admit it.
    { endpoint: "beta", refusals: [{ ...refusal("no_credential", null), would_admit: undefined }] },
  ];
  renderConsole(<ExcludedList label="Excluded" excluded={excluded} draftName="Draft" />);
  const links = screen.getAllByRole("link");
  expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["Try this in “EU only”", `/routing-rules?edit=${setBy.rule_id}&suggest=%7B%22zdr%22%3Anull%7D`],
    [
      "Try this in “EU only”",
      `/routing-rules?edit=${setBy.rule_id}&suggest=%7B%22max_retention_days%22%3A30%7D`,
    ],
  ]);
});
