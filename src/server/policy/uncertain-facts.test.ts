import { expect, test } from "vitest";
import type { Endpoint } from "#server/catalog/index.ts";
import { routerOver, subject } from "#test/arbitrary-policies.ts";
import { endpoint, fact, model, provider } from "#test/catalogues.ts";

const context = { subject, apis: ["completions"], today: "2026-11-20" } as const;
const one = model("m/one");

/** Requires data to stay where the EU considers protection adequate, without the decisions for these countries. */
const adequateRouter = (endpoints: readonly Endpoint[], adequacyExclude: readonly string[]) =>
  routerOver(endpoints, [], { defaultResidency: "eu_adequate", adequacyExclude: new Set(adequacyExclude) });

test("a fact that has expired is reported as expired, with its last known value", () => {
  const stale = provider("stale", { retentionDays: fact(0, "2026-11-19") });
  const router = routerOver([endpoint(stale, one)], []);
  const [decision] = router.route({ model: "m/one", provider: { zdr: true } }, context).decisions;
  expect(decision?.excluded[0]?.refusals[0]).toMatchObject({
    field: "zdr",
    reason: "fact_expired",
    actual: 0,
    would_admit: null,
  });
});

test("a country that was last confirmed too long ago counts as unknown, even in the EU", () => {
  const router = routerOver([endpoint(provider("moved"), one, { placeExpiresAt: "2026-11-19" })], []);
  const [decision] = router.route({ model: "m/one", provider: { data_residency: "eu" } }, context).decisions;
  expect(decision?.ranked).toEqual([]);
  expect(decision?.excluded[0]?.refusals[0]).toMatchObject({
    field: "data_residency",
    reason: "fact_expired",
    actual: ["FR"],
    would_admit: null,
  });
});

test("a provider that promises any adequate country is excluded when one adequacy decision is excluded", () => {
  const promising = endpoint(provider("promising"), one, { countries: [], regionGroups: ["EU_ADEQUATE"] });
  const refusals = (adequacyExclude: string[]) =>
    adequateRouter([promising], adequacyExclude)
      .route({ model: "m/one" }, context)
      .decisions.flatMap(({ excluded }) => excluded.flatMap((one) => one.refusals));
  expect(refusals([])).toEqual([]);
  expect(refusals(["CH"])).toMatchObject([
    { field: "data_residency", actual: ["EU_ADEQUATE"], reason: "fact_unknown", would_admit: null },
  ]);
});

test("an excluded adequacy decision admits no provider; uncertified US firms are never admitted", () => {
  const overseas = (slug: string, country: string, dpfCertified = false) =>
    endpoint(provider(slug, { datacenters: [country], dpfCertified }), one);
  const endpoints = [
    overseas("british", "GB"),
    overseas("certified", "US", true),
    overseas("uncertified", "US"),
    overseas("indian", "IN"),
  ];
  const admitted = (adequacyExclude: string[]) =>
    adequateRouter(endpoints, adequacyExclude)
      .route({ model: "m/one" }, context)
      .candidates.map(({ endpoint: at }) => at.provider.slug)
      .sort();
  expect(admitted([])).toEqual(["british", "certified"]);
  expect(admitted(["US"])).toEqual(["british"]);
  expect(admitted(["US", "GB"])).toEqual([]);
});
