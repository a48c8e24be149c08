import fc from "fast-check";
import { expect, test } from "vitest";
import { type Change, type CurrentResource, type KindOrder, plan, type Resource } from "./plan.ts";

const kinds: readonly KindOrder[] = [
  { kind: "workspaces", fixed: [], isReplaced: false },
  { kind: "keys", fixed: [], isReplaced: false },
  { kind: "budgets", fixed: ["measure"], isReplaced: true },
];

const idOf = ({ kind, key }: { kind: string; key: string }) => `${kind} ${key}`;
const keyArbitrary = fc.constantFrom("a", "b", "c", "d");
const valuesArbitrary = fc.record(
  { limit: fc.nat(3), measure: fc.constantFrom("eur", "usd"), nested: fc.record({ x: fc.nat(1) }) },
  { requiredKeys: [] },
);

/** Resources whose references follow from their values, and name earlier kinds only, but not only what exists. */
const resourcesOf = (kind: string, refersTo: string[]) =>
  fc.uniqueArray(
    fc
      .record({
        key: keyArbitrary,
        values: valuesArbitrary,
        references: fc.array(fc.record({ kind: fc.constantFrom(...refersTo, kind), key: keyArbitrary }), {
          maxLength: 2,
        }),
      })
      .map(({ key, values, references }): Resource => {
        const own = references.filter((reference) => reference.kind !== kind);
        return {
          kind,
          key,
          name: key,
          values: { ...values, uses: own.map(idOf) },
          references: own,
        };
      }),
    { selector: ({ key }) => key, maxLength: 4 },
  );

const stateArbitrary = fc.record({
  workspaces: resourcesOf("workspaces", []),
  keys: resourcesOf("keys", ["workspaces"]),
  budgets: resourcesOf("budgets", ["workspaces", "keys"]),
});
type State = { workspaces: Resource[]; keys: Resource[]; budgets: Resource[] };

const isSound = (state: State) => {
  const all = Object.values(state).flat();
  const ids = new Set(all.map(idOf));
  return all.every(({ references }) => references.every((reference) => ids.has(idOf(reference))));
};
const soundArbitrary = stateArbitrary.filter(isSound);

const currentOf = (state: State): CurrentResource[] =>
  Object.values(state)
    .flat()
    .map((resource) => ({ ...resource, id: idOf(resource), isKept: false }));

/** Applies changes one after the other; throws where one refers to something that is not there at that moment. */
function apply(current: readonly CurrentResource[], changes: readonly Change[]): CurrentResource[] {
  const state = new Map(current.map((resource) => [idOf(resource), resource]));
  for (const { action, desired, current: before } of changes) {
    if (action === "delete" || action === "replace") {
      const id = idOf(before as Resource);
      const user = [...state.values()].find(({ references }) => references.some((one) => idOf(one) === id));
      if (user) throw new Error(`${id} is deleted while ${idOf(user)} refers to it`);
      state.delete(id);
    }
    if (!desired) continue;
    for (const reference of desired.references)
      if (!state.has(idOf(reference)))
        throw new Error(`${idOf(desired)} refers to ${idOf(reference)} too early`);
    state.set(idOf(desired), { ...desired, id: idOf(desired), isKept: false });
  }
  return [...state.values()];
}

test("the plan of a state that was applied is empty, with and without deletions", () => {
  fc.assert(
    fc.property(soundArbitrary, soundArbitrary, fc.boolean(), (before, desired, prune) => {
      const first = plan(kinds, desired, currentOf(before), { prune });
      fc.pre(first.problems.length === 0);
      const after = apply(currentOf(before), first.changes);
      const second = plan(kinds, desired, after, { prune });
      expect(second.changes).toEqual([]);
      expect(second.problems).toEqual([]);
    }),
  );
});

test("with deletions the result is the desired state, without them nothing is lost", () => {
  fc.assert(
    fc.property(soundArbitrary, soundArbitrary, (before, desired) => {
      const pruned = plan(kinds, desired, currentOf(before), { prune: true });
      const ids = (resources: readonly Resource[]) => resources.map(idOf).sort();
      const wanted = ids(Object.values(desired).flat());
      if (pruned.problems.length === 0) expect(ids(apply(currentOf(before), pruned.changes))).toEqual(wanted);
      const added = plan(kinds, desired, currentOf(before), { prune: false });
      fc.pre(added.problems.length === 0);
      const after = new Set(ids(apply(currentOf(before), added.changes)));
      for (const id of [...ids(currentOf(before)), ...wanted]) expect(after).toContain(id);
    }),
  );
});

test("every change can be applied at its place, or the plan names a problem", () => {
  fc.assert(
    fc.property(soundArbitrary, stateArbitrary, fc.boolean(), (before, desired, prune) => {
      const { changes, problems } = plan(kinds, desired, currentOf(before), { prune });
      if (problems.length === 0) expect(() => apply(currentOf(before), changes)).not.toThrow();
      else if (prune && isSound(desired)) throw new Error(JSON.stringify(problems));
    }),
  );
});

test("a section that is absent stays as it is", () => {
  fc.assert(
    fc.property(soundArbitrary, (before) => {
      const { changes, unlisted } = plan(kinds, {}, currentOf(before), { prune: true });
      expect([...changes, ...unlisted]).toEqual([]);
    }),
  );
});

test("what a file may not delete stays, and a fixed field needs prune", () => {
  const budget = (measure: string): Resource => ({
    kind: "budgets",
    key: "a",
    name: "a",
    values: { measure },
    references: [],
  });
  const protectedOne = [{ ...budget("eur"), id: "1", isKept: true }];
  expect(plan(kinds, { budgets: [] }, protectedOne, { prune: true })).toMatchObject({
    changes: [],
    unlisted: [],
  });
  const other = { budgets: [budget("usd")] };
  expect(plan(kinds, other, protectedOne, { prune: false }).problems).toMatchObject([{ field: "measure" }]);
  expect(plan(kinds, other, protectedOne, { prune: true })).toMatchObject({
    problems: [],
    changes: [{ action: "replace", fields: [{ field: "measure", before: "eur", after: "usd" }] }],
  });
});

test("what ends with a deleted resource is deleted too, or the plan names it", () => {
  const key = (name: string): Resource => ({ kind: "keys", key: name, name, values: {}, references: [] });
  const current = [
    { ...key("maker"), id: "1", isKept: false },
    { ...key("made"), id: "2", isKept: false, endsWith: { kind: "keys", key: "maker" } },
  ];
  expect(plan(kinds, { keys: [key("made")] }, current, { prune: true }).problems).toMatchObject([
    { key: "made" },
  ]);
  expect(plan(kinds, { keys: [] }, current, { prune: true })).toMatchObject({
    problems: [],
    changes: [{ key: "maker" }, { key: "made" }],
  });
});
