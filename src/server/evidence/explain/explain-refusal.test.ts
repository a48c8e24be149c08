import fc from "fast-check";
import { expect, test } from "vitest";
import type { Exclusion, SetBy } from "#contract/exclusion.ts";
import { RefusalExplanation } from "#contract/refusal-explanation.ts";
import { RoutingRule } from "#contract/routing-rule.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { explainRefusal } from "./explain-refusal.ts";

const ruleIds = [1, 2, 3].map((n) => `018f0000-0000-7000-8000-00000000000${n}`);
const lastAt = "2026-11-20T12:00:00.000Z";
const ruleOf = (id: string, more: Partial<RoutingRule> = {}): RoutingRule => ({
  ...sampleOf(RoutingRule, { gaps: "always" }),
  ...{ id, name: `Rule ${id.at(-1)}`, scope: "org", provider: { eu_owned: true } },
  ...{ updated_at: "2026-11-03T09:00:00.000Z", ...more },
});

const arbitrarySetBy: fc.Arbitrary<SetBy> = fc.constantFrom<SetBy[]>(
  { scope: "installation" },
  { scope: "request" },
  ...ruleIds.map((id) => ({ scope: "org" as const, rule_id: id, rule_name: `Rule ${id.at(-1)}` })),
);
const arbitraryRefusal = fc.record(
  {
    field: fc.constantFrom("data_residency", "eu_owned", "no_credential"),
    set_by: arbitrarySetBy,
    also_set_by: fc.array(arbitrarySetBy, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ["field", "set_by"] },
);
const arbitraryExcluded = fc
  .array(fc.array(arbitraryRefusal, { minLength: 1, maxLength: 3 }), { maxLength: 12 })
  .map((all) =>
    all.map((refusals, at) => {
      const full = refusals.map((one) => ({ ...one, wanted: null, actual: null }));
      const endpoint = { endpoint: `p${at}:m`, provider: `p${at}`, excluded_by: "x", refusals: full };
      return { ...full[0], ...endpoint } as Exclusion;
    }),
  );

const originsOf = ({ refusals }: Exclusion): Set<string> =>
  new Set(
    refusals.flatMap((one) =>
      [one.set_by, ...(one.also_set_by ?? [])].map(({ rule_id: id, scope }) => id ?? scope),
    ),
  );

test("a refusal counts for each origin what it excludes, and what would be admitted without it", () => {
  const rules = new Map(ruleIds.map((id) => [id, { rule: ruleOf(id), changedBy: "Ada" }]));
  fc.assert(
    fc.property(arbitraryExcluded, (excluded) => {
      const refused = { id: ruleIds[0] ?? "", excluded, last_at: lastAt };
      const found = RefusalExplanation.parse(explainRefusal(refused, rules));
      const origins = new Set(excluded.flatMap((one) => [...originsOf(one)]));
      expect(found.reasons).toHaveLength(origins.size);
      expect(found.endpoints).toBe(excluded.length);
      for (const origin of origins) {
        const reason = found.reasons.find(({ rule_id: id, set_by }) =>
          id === null ? set_by.includes(origin) : id === origin,
        );
        expect(reason?.excluded).toBe(excluded.filter((one) => originsOf(one).has(origin)).length);
        expect(reason?.alone).toBe(
          excluded.filter((one) => originsOf(one).has(origin) && originsOf(one).size === 1).length,
        );
      }
      const alone = found.reasons.map((reason) => reason.alone);
      expect(alone).toEqual(alone.toSorted((a, b) => b - a));
    }),
  );
});

const setBy = (id: string, scope: SetBy["scope"] = "org"): SetBy => ({
  ...{ scope, rule_id: id, rule_name: "EU only" },
});
const excludedBy = (...all: readonly SetBy[]): Exclusion => {
  const [first = { scope: "request" as const }] = all;
  const refusals = all.map((set_by) => ({ field: "eu_owned", wanted: true, actual: false, set_by }));
  return {
    ...{ endpoint: "us:m", provider: "us", excluded_by: "eu_owned", field: "eu_owned" },
    ...{ wanted: true, actual: false, set_by: first, refusals },
  };
};
const [first = "", second = ""] = ruleIds;
const explained = (excluded: Exclusion[] | null, rules: Parameters<typeof explainRefusal>[1] = new Map()) =>
  explainRefusal({ id: first, excluded, last_at: lastAt }, rules);

test("the summary says what would have to change", () => {
  const byRule = excludedBy(setBy(first));
  const byBoth = excludedBy(setBy(first), { scope: "request" });
  const other = { ...byRule, endpoint: "other:m" };
  const summaries = [[byRule], [byBoth], [other, byBoth], [byBoth, { ...byBoth, endpoint: "other:m" }]];
  expect([...summaries, [byRule, other]].map((all) => explained(all).summary)).toEqual([
    "The only endpoint was excluded by “EU only” (EU ownership).",
    "The only endpoint was excluded by several requirements.",
    "All 2 endpoints were excluded. 1 of them was excluded only by “EU only” (EU ownership).",
    "All 2 endpoints were excluded. Each was excluded by several requirements.",
    "All 2 endpoints were excluded. 2 of them were excluded only by “EU only” (EU ownership).",
  ]);
  expect(explained(null)).toMatchObject({ endpoints: 0, reasons: [] });
});

test("a rule has what it asks for now and who changed it last, and says if that was after the requests", () => {
  const later = ruleOf(second, { updated_at: "2026-11-21T00:00:00.000Z" });
  const { reasons } = explained(
    [excludedBy(setBy(first)), excludedBy(setBy(second))],
    new Map([
      [first, { rule: ruleOf(first), changedBy: "Ada" }],
      [second, { rule: later, changedBy: null }],
    ]),
  );
  expect(reasons).toMatchObject([
    {
      rule: { id: first, name: "Rule 1", requirements: ["EU-owned only"], changed_by: "Ada" },
      changed_since: false,
    },
    { rule: { id: second, changed_by: null }, changed_since: true },
  ]);
});

test("a personal rule that the caller may not see has no name", () => {
  const { reasons } = explained([excludedBy(setBy(first, "user"))]);
  expect(reasons).toMatchObject([{ set_by: "a rule that was deleted or that you may not see", rule: null }]);
  expect(JSON.stringify(reasons)).not.toContain("EU only");
});
