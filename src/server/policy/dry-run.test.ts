import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { type ProviderPreferences, quantizations } from "#contract/preferences.ts";
import { type DryRunRequest, DryRunResult } from "#contract/routing-rule.ts";
import { arbitraryEndpoints, arbitraryRules, models, routerOver, subject } from "#test/arbitrary-policies.ts";
import { catalogueOf } from "#test/catalogues.ts";
import { dryRunFor } from "./index.ts";

vi.setConfig({ testTimeout: 60_000 });

/** As many names as one input may have, all of them others than those of another input. */
const slugs = (prefix: string) =>
  fc
    .integer({ min: 0, max: 100 })
    .map((length) =>
      Array.from({ length }, (_, at) => `${prefix}-${at}`.padEnd(at % 7 === 0 ? 200 : 0, "x")),
    );

/** Everything an input may hold, at its limits. */
const preferences = (prefix: string): fc.Arbitrary<ProviderPreferences> =>
  fc.record(
    {
      order: slugs(`${prefix}-order`),
      only: slugs(`${prefix}-only`),
      ignore: slugs(`${prefix}-ignore`),
      allow_fallbacks: fc.boolean(),
      sort: fc.constantFrom<ProviderPreferences["sort"][]>("price", "latency", "throughput", {
        by: "price",
        partition: "none",
      }),
      require_parameters: fc.boolean(),
      quantizations: fc.uniqueArray(fc.constantFrom(...quantizations), { minLength: 1, maxLength: 12 }),
      data_collection: fc.constantFrom("allow", "deny"),
      data_residency: fc.constantFrom("eu", "eea", "eu_adequate", "us", "de", "fr", "jp"),
      max_retention_days: fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
      eu_owned: fc.boolean(),
      zdr: fc.boolean(),
      max_price: fc.record({ prompt: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }) }),
      preferred_min_throughput: fc.constantFrom(1e-9, { p50: 1e9 }),
      preferred_max_latency: fc.constantFrom(1e-9, { p99: 1e9 }),
    },
    { requiredKeys: [] },
  );

const rules = fc
  .tuple(arbitraryRules(5), fc.array(preferences("rule"), { minLength: 5, maxLength: 5 }))
  .map(([made, preferences]) => made.map((rule, at) => ({ ...rule, preferences: preferences[at] ?? {} })));

/** Often none: so many at once leave hardly anybody. */
const orNone = <T>(none: T, some: fc.Arbitrary<T>) => fc.oneof(fc.constant(none), some);

const asked = fc.constantFrom<DryRunRequest[]>(
  {},
  { model: "m/one" },
  { models: ["m/two:floor", "nobody/knows"] },
);

test("a dry run accepts any combination of rules and preferences, and gives the reasons for every model without endpoints", () => {
  let left = 0;
  fc.assert(
    fc.property(
      arbitraryEndpoints,
      orNone([], rules),
      orNone({}, preferences("request")),
      asked,
      (endpoints, made, preferences, ask) => {
        const engine = { router: routerOver(endpoints, made), catalogue: catalogueOf(endpoints) };
        const result = dryRunFor(engine, subject, { ...ask, preference_overrides: preferences });
        expect(DryRunResult.safeParse(result).error).toBeUndefined();
        for (const { endpoints: admitted, excluded, facts } of result.results)
          expect(facts.map(({ endpoint }) => endpoint)).toEqual([
            ...admitted,
            ...excluded.map(({ endpoint }) => endpoint),
          ]);
        for (const { provider_count: count, reason } of result.results) {
          expect(reason === null).toBe(count > 0);
          if (reason) expect(reason.message.length).toBeGreaterThan(10);
          if (count > 0) left++;
        }
      },
    ),
    { numRuns: 500 },
  );
  expect(left).toBeGreaterThan(0);
});

test("a model without endpoints, and an unknown one, have their reasons", () => {
  const engine = { router: routerOver([], []), catalogue: catalogueOf([]) };
  const { results, summary } = dryRunFor(engine, subject, { models: ["nobody/knows"] });
  expect(results).toMatchObject([{ provider_count: 0, reason: { code: "model_not_found" } }]);
  expect(summary).toEqual({ total_models: 1, models_with_providers: 0 });
  expect(models).toHaveLength(2);
});
