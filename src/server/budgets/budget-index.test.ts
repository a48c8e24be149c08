import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { separateDimensions } from "#contract/budget-dimensions.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { BudgetIndex, type BudgetSubject } from "./budget-index.ts";
import type { IndexedBudget } from "./indexed-budget.ts";

const nowMs = Date.parse("2026-11-24T08:20:00Z");
const budgetOf = (dimensions: Readonly<Record<string, string | null>>): IndexedBudget => ({
  id: uuidv7(),
  orgId: "org",
  name: "Budget",
  measure: "tokens",
  period: "day",
  limit: 100n,
  dimensions: new Map(Object.entries(dimensions)),
});
const subject: BudgetSubject = {
  orgId: "org",
  workspaceId: "w1",
  keyId: "k1",
  userId: "p1",
  endUser: "u1",
  tags: { "metadata.team": "t1" },
  models: ["m1", "m2"],
};
const valuesOf = (one: BudgetSubject, model: string | null): Record<string, string | null> => ({
  workspace: one.workspaceId,
  key: one.keyId,
  person: one.userId,
  model,
  end_user: one.endUser,
  ...one.tags,
});

/** How values of these begin; others with the first letter of their name. */
const initialOf: Readonly<Record<string, string>> = {
  end_user: "u",
  "metadata.team": "t",
  "metadata.site": "s",
};

/** The same by a scan. */
function scanned(budgets: readonly IndexedBudget[], one: BudgetSubject): string[] {
  return budgets.flatMap((budget) => {
    const models = budget.dimensions.has("model") ? one.models : [null];
    return models.flatMap((model) => {
      const values = valuesOf(one, model);
      const counts = [...budget.dimensions].every(
        ([name, value]) => values[name] != null && (value === null || value === values[name]),
      );
      const separate = separateDimensions(
        [...budget.dimensions].map(([dimension, value]) => ({ dimension, value })),
      );
      return counts ? [`${budget.id} ${model} ${separate.map((name) => values[name]).join()}`] : [];
    });
  });
}

describe("the index of budgets", () => {
  test("finds what a scan of all budgets finds, for any dimensions", () => {
    const value = fc.option(fc.constantFrom("1", "2"), { nil: null });
    const made = fc
      .record(
        {
          ...{ workspace: value, key: value, person: value, model: value, end_user: value },
          ...{ "metadata.team": value, "metadata.site": value },
        },
        { requiredKeys: [] },
      )
      .map((values) =>
        budgetOf(
          Object.fromEntries(
            Object.entries(values).map(([name, one]) => [name, one && `${initialOf[name] ?? name[0]}${one}`]),
          ),
        ),
      );
    const subjects = fc.record({
      orgId: fc.constantFrom("org", "other"),
      workspaceId: fc.constantFrom("w1", "w2", null),
      keyId: fc.constantFrom("k1", "k2"),
      userId: fc.constantFrom("p1", "p2"),
      endUser: fc.constantFrom("u1", "u2", null),
      tags: fc.constantFrom<BudgetSubject["tags"]>(
        ...[undefined, { "metadata.team": "t1" }, { "metadata.site": "s2" }],
        ...[{ "metadata.team": "t2", "metadata.site": "s1" }],
      ),
      models: fc.constantFrom(["m1"], ["m1", "m2"]),
    });
    const dayMs = 86_400_000;
    const requests = fc.record({ one: subjects, atMs: fc.constantFrom(nowMs, nowMs + 1, nowMs + dayMs) });
    fc.assert(
      fc.property(
        fc.array(made, { maxLength: 30 }),
        fc.array(requests, { minLength: 1, maxLength: 8 }),
        (budgets, sequence) => {
          const index = new BudgetIndex(budgets);
          for (const { one, atMs } of sequence) {
            const { counters } = index.match(one, atMs);
            const found = counters.map(
              ({ budget, model, values }) => `${budget.id} ${model} ${values.join()}`,
            );
            expect(found.sort()).toEqual(one.orgId === "org" ? scanned(budgets, one).sort() : []);
            expect(counters.every((counter) => counter.isAt(atMs))).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("has one set of counters while a caller has the same ones", () => {
    const index = new BudgetIndex([budgetOf({ key: null }), budgetOf({ "metadata.team": "t1" })]);
    const first = index.match(subject, nowMs);
    expect(first.counters).toHaveLength(2);
    expect(index.match({ ...subject, endUser: "u2", tags: { ...subject.tags } }, nowMs + 1)).toBe(first);
    expect(index.match({ ...subject, tags: undefined }, nowMs).counters).toEqual([first.counters[0]]);
    expect(index.match({ ...subject, keyId: "k2" }, nowMs).counters).not.toEqual(first.counters);
  });

  test("gives each value, period and budget an account of its own, and equal ones the same", () => {
    const each = budgetOf({ end_user: null });
    const index = new BudgetIndex([each]);
    const account = (endUser: string, atMs = nowMs) =>
      index.match({ ...subject, endUser }, atMs).counters[0]?.accountId;
    expect(account("u1")).toBe(new BudgetIndex([each]).match(subject, nowMs + 1).counters[0]?.accountId);
    const tomorrow = nowMs + 24 * 60 * 60 * 1000;
    const all = [account("u1"), account("u2"), account("u1\nu2"), account("u1", tomorrow)];
    expect(new Set(all).size).toBe(all.length);
  });

  test("counts no request without a value of a dimension", () => {
    const index = new BudgetIndex([
      ...[budgetOf({ end_user: null }), budgetOf({ workspace: null })],
      ...[budgetOf({ "metadata.team": null }), budgetOf({ "metadata.team": "t1", end_user: null })],
    ]);
    const without = { ...subject, endUser: null, workspaceId: null };
    expect(index.match({ ...without, tags: undefined }, nowMs).counters).toEqual([]);
    expect(index.match({ ...without, tags: { "metadata.site": "t1" } }, nowMs).counters).toEqual([]);
  });

  test("keeps values apart whatever end users are called", () => {
    const each = budgetOf({ end_user: null, "metadata.team": null });
    const index = new BudgetIndex([each]);
    const account = (team: string, endUser: string) =>
      index.match({ ...subject, endUser, tags: { "metadata.team": team } }, nowMs).counters[0];
    expect(account("a", "b\nc")?.values).toEqual(["a", "b\nc"]);
    const all = [account("a", "b"), account("b", "a"), account("a", "a\nb"), account("a", "b\na")];
    expect(new Set(all.map((one) => one?.accountId)).size).toBe(all.length);
  });

  test("names the keys of metadata that requests of an organisation need, and none for others", () => {
    const index = new BudgetIndex([budgetOf({ "metadata.team": "t1" }), budgetOf({ key: null })]);
    expect([...(index.tagNames("org") ?? [])]).toEqual(["metadata.team"]);
    expect(index.tagNames("other")).toBeUndefined();
    expect(new BudgetIndex([budgetOf({ key: null })]).tagNames("org")).toBeUndefined();
  });
});
