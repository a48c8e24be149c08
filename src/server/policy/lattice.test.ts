import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Refusal } from "#contract/exclusion.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import {
  arbitraryEndpoints,
  arbitraryRules,
  arbitraryWishes,
  models,
  routerOver,
  subject,
  today,
} from "#test/arbitrary-policies.ts";
import { adequateCodes } from "./eu-residency.ts";
import { exclusionsOf } from "./explain.ts";
import { hardFields, hardNames } from "./fields.ts";
import type { Rule } from "./rule-index.ts";

const runs = { numRuns: 1_500 };
/** Generating the worlds takes most of the time, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });
const context = { subject, apis: ["completions", "chat"], today } as const;
const asked = models.map(({ id }) => id);

interface World {
  readonly endpoints: readonly Endpoint[];
  readonly rules: readonly Rule[];
  readonly provider: ProviderPreferences;
}
const worlds = (rulesMax = 6): fc.Arbitrary<World> =>
  fc.record({ endpoints: arbitraryEndpoints, rules: arbitraryRules(rulesMax), provider: arbitraryWishes });

const decisionsIn = ({ endpoints, rules, provider }: World, floor: string | null = null) =>
  routerOver(endpoints, rules, { defaultResidency: floor }).route({ models: asked, provider }, context)
    .decisions;

const eligibleIn = (world: World, floor: string | null = null): string[] =>
  decisionsIn(world, floor)
    .flatMap(({ ranked }) => ranked.map(({ id }) => id))
    .sort();

describe("for any catalogue and rules", () => {
  test("one more rule never admits one more endpoint", () => {
    fc.assert(
      fc.property(worlds(), (world) => {
        const without = new Set(eligibleIn({ ...world, rules: world.rules.slice(1) }));
        expect(eligibleIn(world).filter((id) => !without.has(id))).toEqual([]);
      }),
      runs,
    );
  });

  test("a request can only narrow what rules leave, and rules what the installation leaves", () => {
    fc.assert(
      fc.property(worlds(), fc.constantFrom("eu", "eea", "de"), (world, floor) => {
        const ruled = new Set(eligibleIn({ ...world, provider: {} }));
        const floored = new Set(eligibleIn({ ...world, rules: [], provider: {} }, floor));
        const left = eligibleIn(world, floor);
        expect(left.filter((id) => !ruled.has(id) || !floored.has(id))).toEqual([]);
      }),
      runs,
    );
  });

  test("the order in which rules are read, and which of them is newest, never changes who may serve", () => {
    fc.assert(
      fc.property(worlds(), fc.infiniteStream(fc.nat()), (world, numbers) => {
        const shuffled = world.rules
          .map((rule) => ({ rule, at: numbers.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ rule, at }) => ({ ...rule, updatedAtMs: at }));
        expect(eligibleIn({ ...world, rules: shuffled })).toEqual(eligibleIn(world));
      }),
      runs,
    );
  });

  test("every endpoint of a model is either ranked or excluded with a reason, never both", () => {
    fc.assert(
      fc.property(worlds(), (world) => {
        for (const { model, ranked, excluded } of decisionsIn(world)) {
          const reported = [...ranked, ...excluded.map(({ endpoint }) => endpoint)].map(({ id }) => id);
          const all = world.endpoints.filter((endpoint) => endpoint.model.id === model);
          expect(reported.sort()).toEqual(all.map(({ id }) => id).sort());
        }
      }),
      runs,
    );
  });

  test("what is shown as effective is never looser than any preference behind it", () => {
    const moment = { today, adequate: adequateCodes(new Set()) };
    fc.assert(
      fc.property(worlds(), (world) => {
        const router = routerOver(world.endpoints, world.rules);
        for (const name of asked) {
          const [decision] = router.route({ model: name, provider: world.provider }, context).decisions;
          if (!decision) continue;
          const preferences = [...decision.rules.map(({ preferences }) => preferences), world.provider];
          for (const endpoint of world.endpoints) {
            const rate = { usdPerEur: "1.1", date: today, source: "test", picoUsdPerEur: 1_100_000_000_000n };
            const admits = (preference: ProviderPreferences) =>
              hardNames.every(
                (field) => !hardFields[field].mismatch(endpoint, preference, { ...moment, rate }),
              );
            if (admits(decision.effective)) expect(preferences.every(admits)).toBe(true);
          }
        }
      }),
      runs,
    );
  });
});

const changed = (preference: ProviderPreferences, { field, would_admit }: Refusal): ProviderPreferences => ({
  ...preference,
  [field]: would_admit,
});

/** The world after everybody named in a refusal did what it says. */
function followed(world: World, refusal: Refusal): World {
  const named = [refusal.set_by, ...(refusal.also_set_by ?? [])];
  const ruleIds = new Set(named.map(({ rule_id }) => rule_id));
  return {
    ...world,
    rules: world.rules.map((rule) =>
      ruleIds.has(rule.id) ? { ...rule, preferences: changed(rule.preferences, refusal) } : rule,
    ),
    provider: named.some(({ scope }) => scope === "request")
      ? changed(world.provider, refusal)
      : world.provider,
  };
}

test("following every `would_admit` admits the endpoint, unless the installation is the reason", () => {
  fc.assert(
    fc.property(worlds(), (world) => {
      for (const { excluded } of decisionsIn(world)) {
        for (const { endpoint, refusals } of exclusionsOf(excluded)) {
          if (refusals.some(({ set_by }) => set_by.scope === "installation")) continue;
          expect(eligibleIn(refusals.reduce(followed, world))).toContain(endpoint);
        }
      }
    }),
    runs,
  );
});

test("unknown and expired facts never satisfy a preference that requires them", () => {
  fc.assert(
    fc.property(worlds(), (world) => {
      const admitted = decisionsIn(world).flatMap(({ ranked, rules }) =>
        ranked.map((endpoint) => ({
          endpoint,
          preferences: [world.provider, ...rules.map((rule) => rule.preferences)],
        })),
      );
      const stale = ({ value, expiresAt }: { value: unknown; expiresAt: string | null }) =>
        value === null || (expiresAt !== null && expiresAt < today);
      for (const { endpoint, preferences } of admitted) {
        const asks = (test: (preference: ProviderPreferences) => unknown) => preferences.some(test);
        if (stale(endpoint.provider.euOwned)) expect(asks((preference) => preference.eu_owned)).toBe(false);
        if (stale(endpoint.training))
          expect(asks((preference) => preference.data_collection === "deny")).toBe(false);
        if (stale(endpoint.retentionDays)) {
          expect(asks((preference) => preference.zdr || preference.max_retention_days != null)).toBe(false);
        }
        const { placeExpiresAt } = endpoint;
        const nowhere = endpoint.countries.length + endpoint.regionGroups.length === 0;
        if (nowhere || (placeExpiresAt !== null && placeExpiresAt < today)) {
          expect(asks((preference) => preference.data_residency)).toBe(false);
        }
      }
    }),
    runs,
  );
});
