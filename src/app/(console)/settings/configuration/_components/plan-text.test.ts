import { describe, expect, test } from "vitest";
import { byKind, bySubject, driftText, kindText, summaryText, valueText } from "./plan-text.ts";

const change = (kind: string, name: string) => ({ kind, name, action: "create" as const, fields: [] });

describe("words of a plan", () => {
  test.each([
    [
      { create: 2, update: 1, replace: 1, delete: 3 },
      "2 to create, 1 to change, 1 to delete and create, 3 to delete",
      "2 created, 1 changed, 1 deleted and created, 3 deleted",
    ],
    [{ create: 0, update: 0, replace: 0, delete: 1 }, "1 to delete", "1 deleted"],
  ])("%j", (summary, planned, done) => {
    expect([summaryText({ summary }), summaryText({ summary }, "done")]).toEqual([planned, done]);
  });

  test.each([
    [1, 0, false, "The state differs from the file"],
    [0, 0, false, "No drift: the state is that of the file"],
    [0, 1, false, "No changes, but 1 resource is not in the file"],
    [0, 2, false, "No changes, but 2 resources are not in the file"],
    [0, 0, true, "No drift: the state is that of the file"],
  ])("%i changes and %i unlisted resources, prune %s: %s", (changes, unlisted, prune, text) => {
    const plan = {
      changes: Array.from({ length: changes }, () => change("keys", "a")),
      unlisted: Array.from({ length: unlisted }, () => ({ kind: "keys", name: "a" })),
    };
    expect(driftText(plan, prune)).toBe(text);
  });

  test("kinds and values are readable", () => {
    expect(["alert_channels", "keys", "workspaces"].map(kindText)).toEqual([
      "Alert channels",
      "API keys",
      "Workspaces",
    ]);
    expect([null, "a", 1, ["a"], { a: false }].map(valueText)).toEqual([
      null,
      "a",
      "1",
      '["a"]',
      '{"a":false}',
    ]);
  });
});

describe("groups", () => {
  test("changes are grouped by kind, in the order of the plan", () => {
    const groups = byKind([change("workspaces", "a"), change("keys", "b"), change("workspaces", "c")]);
    expect(groups.map(([kind, list]) => [kind, list.map(({ name }) => name)])).toEqual([
      ["workspaces", ["a", "c"]],
      ["keys", ["b"]],
    ]);
  });

  test("consequences are grouped by what they are about, those with the most requests first", () => {
    const one = (name: string, requests: number) => ({
      code: `c${requests}`,
      kind: "keys",
      name,
      requests,
      message: "",
    });
    const groups = bySubject([one("a", 1), one("b", 5), one("a", 3)]);
    expect(groups.map((group) => group.map(({ name, requests }) => `${name} ${requests}`))).toEqual([
      ["b 5"],
      ["a 1", "a 3"],
    ]);
  });
});
