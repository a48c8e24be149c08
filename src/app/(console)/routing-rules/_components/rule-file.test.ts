import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RoutingRule } from "#contract/routing-rule.ts";
import { fileOf, planOf, readFile } from "./rule-file.ts";

const stored = (name: string, more: Partial<RoutingRule> = {}): RoutingRule => ({
  id: "0190a000-0000-7000-8000-000000000000",
  name,
  description: null,
  scope: "org",
  user_id: "0190a000-0000-7000-8000-000000000001",
  org_id: "0190a000-0000-7000-8000-000000000002",
  workspace_id: null,
  api_key_id: null,
  model: null,
  models: null,
  provider: null,
  enabled: true,
  auto_apply: true,
  problem: null,
  created_at: "2026-11-20T00:00:00.000Z",
  updated_at: "2026-11-20T00:00:00.000Z",
  ...more,
});

const rulesIn = (text: string) => {
  const read = readFile(text);
  if ("problem" in read) throw new Error(read.problem);
  return read.rules;
};

const someRules = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z][a-z ]{0,8}[a-z]$/),
    scope: fc.constantFrom("org" as const, "user" as const),
    enabled: fc.boolean(),
    description: fc.option(fc.constantFrom("one", "two")),
    models: fc.option(fc.uniqueArray(fc.constantFrom("a/b", "c/d"), { minLength: 1 })),
    provider: fc.option(
      fc.record(
        {
          data_residency: fc.constantFrom("eu", "de"),
          max_retention_days: fc.nat(30),
          order: fc.constant<string[]>(["x", "y"]),
        },
        { requiredKeys: [] },
      ),
    ),
  }),
  { selector: ({ name, scope }) => `${scope} ${name}`, maxLength: 6 },
);

describe("a file of rules", () => {
  test("that was exported plans no changes, in whatever order", () => {
    fc.assert(
      fc.property(someRules, (specs) => {
        const rules = specs.map(({ name, ...more }) => stored(name, more));
        const plan = planOf(rules.toReversed(), rulesIn(fileOf(rules)));
        expect(plan).toEqual({ create: [], update: [], others: [], unchanged: rules.length });
        expect(fileOf(rules.toReversed())).toBe(fileOf(rules));
      }),
    );
  });

  test("leaves nothing to plan once its plan was applied and other rules deleted", () => {
    fc.assert(
      fc.property(someRules, someRules, (before, after) => {
        const had = before.map(({ name, ...more }) => stored(name, more));
        const wanted = rulesIn(fileOf(after.map(({ name, ...more }) => stored(name, more))));
        const plan = planOf(had, wanted);
        const updated = new Map(plan.update.map(({ rule, to }) => [rule, to]));
        const now = [
          ...had
            .filter((rule) => !plan.others.includes(rule))
            .map((rule) => ({ ...rule, ...updated.get(rule) }) as RoutingRule),
          ...plan.create.map(({ name, ...more }) => stored(name, more as Partial<RoutingRule>)),
        ];
        expect(planOf(now, wanted)).toEqual({ create: [], update: [], others: [], unchanged: wanted.length });
      }),
    );
  });
});

test("a changed field is named; names are compared without case", () => {
  const was = stored("EU only", { provider: { data_residency: "eu" } });
  const [changed] = planOf([was], rulesIn(fileOf([{ ...was, name: "eu ONLY", enabled: false }]))).update;
  expect(changed?.fields).toEqual(["name", "enabled"]);
});

test("the same name in another scope is another rule", () => {
  const plan = planOf([stored("x")], rulesIn(fileOf([stored("x", { scope: "user" })])));
  expect([plan.create.length, plan.others.length]).toEqual([1, 1]);
});

test.each([
  ["no json", "This file is not valid JSON."],
  ['{"rules":[]}', 'format: must be "portolan-rules/1"'],
  ['{"format":"portolan-rules/1","rules":[{}]}', "rules.0.name: "],
  [
    '{"format":"portolan-rules/1","rules":[{"name":"a","provider":{"data_residencey":"eu"}}]}',
    "rules.0.provider",
  ],
  [
    '{"format":"portolan-rules/1","rules":[{"name":"a"},{"name":"A "}]}',
    'The file contains the rule "A" twice.',
  ],
])("%s is refused with the problem", (text, problem) => {
  expect(readFile(text)).toEqual({ problem: expect.stringContaining(problem) });
});
