import { describe, expect, test } from "vitest";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Random } from "#server/platform/ids.ts";
import { catalogueOf, endpoint, fact, model, price, provider } from "#test/catalogues.ts";
import { createRouter } from "./router.ts";
import { type Rule, RuleIndex } from "./rule-index.ts";
import { type EndpointSignals, noSignals, type Signals } from "./signals.ts";

const subject = { orgId: "org", userId: "user", workspaceId: "workspace", keyId: "key" };
const context = { subject, apis: ["completions"], today: "2026-11-20" } as const;

const [cheap, middle, dear] = [provider("cheap"), provider("middle"), provider("dear")];
const one = model("m/one");
const endpoints = [
  endpoint(cheap, one, { price: price("1") }),
  endpoint(middle, one, { price: price("2") }),
  endpoint(dear, one, { price: price("4") }),
];

const ownerOf = { org: "org", workspace: "workspace", user: "user", api_key: "key" };
const half: Random = () => 0.5;
let made = 0;
const rule = (own: Partial<Rule> & { preferences: ProviderPreferences }): Rule => {
  made++;
  const scope = own.scope ?? "org";
  return {
    id: `00000000-0000-7000-8000-${String(made).padStart(12, "0")}`,
    name: `Rule ${made}`,
    scope,
    ownerId: ownerOf[scope],
    workspaceId: null,
    orgId: "org",
    models: [],
    enabled: true,
    autoApply: true,
    updatedAtMs: made,
    ...own,
  };
};

const seen =
  (own: Partial<Record<string, Partial<EndpointSignals>>>): Signals =>
  (id) => ({
    ...noSignals(id),
    ...own[id],
  });
const flat = (value: number) => ({ p50: value, p75: value, p90: value, p99: value });

function router(rules: readonly Rule[] = [], { signals = noSignals, random = half } = {}) {
  const index = new RuleIndex(rules);
  return createRouter({
    catalogue: catalogueOf(endpoints, new Map([["one-for-short", "m/one"]])),
    credentials: new Set<string>(),
    defaultResidency: null,
    adequacyExclude: new Set(),
    rules: () => index,
    signals,
    random,
  });
}

/** The providers in the order in which a request tries them. */
const order = (made: ReturnType<typeof router>, ask: object = {}, more: object = {}) =>
  made
    .route({ model: "m/one", ...ask }, { ...context, ...more })
    .candidates.map(({ endpoint: at }) => at.provider.slug);

describe("ranking", () => {
  test("by default the draw decides, with chances of health / price²", () => {
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const drawn = router([], { random, signals: seen({ "cheap:m/one": { health: 0.5 } }) });
    const first = new Map<string, number>();
    for (let at = 0; at < 21_000; at++) {
      const [slug = ""] = order(drawn);
      first.set(slug, (first.get(slug) ?? 0) + 1);
    }
    // Weights 0.5, 1/4 and 1/16: 8 to 4 to 1.
    expect((first.get("cheap") ?? 0) / 21_000).toBeCloseTo(8 / 13, 1);
    expect((first.get("middle") ?? 0) / 21_000).toBeCloseTo(4 / 13, 1);
    expect((first.get("dear") ?? 0) / 21_000).toBeCloseTo(1 / 13, 1);
  });

  test.each([
    ["price", ["cheap", "middle", "dear"]],
    ["latency", ["dear", "cheap", "middle"]],
    ["throughput", ["middle", "dear", "cheap"]],
  ] as const)("by %s it is strict; what nobody measured comes last", (sort, expected) => {
    const signals = seen({
      "cheap:m/one": { latency: flat(2) },
      "middle:m/one": { throughput: flat(80) },
      "dear:m/one": { latency: flat(1), throughput: flat(40) },
    });
    expect(order(router([], { signals }), { provider: { sort } })).toEqual(expected);
  });

  test("cooling endpoints come last and never fall out, even when listed first", () => {
    const signals = seen({ "cheap:m/one": { cooling: true } });
    const one = router([], { signals });
    expect(order(one, { provider: { sort: "price" } })).toEqual(["middle", "dear", "cheap"]);
    const allCool = router([], { signals: (id) => ({ ...noSignals(id), cooling: true }) });
    expect(order(allCool, { provider: { sort: "price" } })).toEqual(["cheap", "middle", "dear"]);
  });

  test("one that has cooled down by the time it is asked about again is neither lost nor tried twice", () => {
    for (let asked = 0; asked < 12; asked++) {
      let left = asked;
      const signals: Signals = (id) => ({ ...noSignals(id), cooling: left-- > 0 });
      expect(order(router([], { signals })).toSorted()).toEqual(["cheap", "dear", "middle"]);
    }
  });

  test("`order` names the first ones; without fallbacks nobody else is tried", () => {
    expect(order(router(), { provider: { order: ["DEAR", "nobody", "middle"] } })).toEqual([
      "dear",
      "middle",
      "cheap",
    ]);
    expect(order(router(), { provider: { order: ["dear"], allow_fallbacks: false } })).toEqual(["dear"]);
    expect(order(router(), { provider: { allow_fallbacks: false } })).toEqual(["cheap"]);
  });

  test("a session's endpoint comes first while it is well", () => {
    const sessionEndpoint = "dear:m/one";
    expect(order(router(), {}, { sessionEndpoint })[0]).toBe("dear");
    const signals = seen({ "dear:m/one": { cooling: true } });
    expect(order(router([], { signals }), {}, { sessionEndpoint }).at(-1)).toBe("dear");
  });

  test("preferred speed moves slow endpoints back and drops none", () => {
    const signals = seen({ "cheap:m/one": { latency: flat(3), throughput: flat(10) } });
    const slowLast = ["middle", "dear", "cheap"];
    expect(order(router([], { signals }), { provider: { preferred_max_latency: 2 } })).toEqual(slowLast);
    expect(order(router([], { signals }), { provider: { preferred_min_throughput: { p90: 20 } } })).toEqual(
      slowLast,
    );
  });

  test(":nitro and :floor sort, :free admits only what costs nothing", () => {
    const strategy = (name: string, provider?: ProviderPreferences) =>
      router().route({ model: name, provider }, context).decisions[0]?.strategy;
    expect(strategy("m/one:nitro")).toBe("highest-throughput");
    expect(strategy("m/one:floor")).toBe("lowest-cost");
    expect(strategy("m/one:floor", { sort: "latency" })).toBe("lowest-latency");
    expect(order(router(), { model: "m/one:free" })).toEqual([]);
  });
});

describe("which rules bind", () => {
  const noCheap = { ignore: ["cheap"] };

  test.each(["m/one", "one-for-short", "m/one:floor", "M/One", "ONE-for-short:Nitro"])(
    "a rule for %s binds the model by any of its names",
    (name) => {
      const ruled = router([rule({ models: [name], preferences: noCheap })]);
      for (const asked of ["m/one", "one-for-short", "m/one:floor", "one-for-short:nitro"]) {
        expect(order(ruled, { model: asked })).not.toContain("cheap");
      }
    },
  );

  test("rules of others, of other models, disabled ones and presets do not", () => {
    const ruled = router([
      rule({ preferences: noCheap, ownerId: "others" }),
      rule({ preferences: noCheap, orgId: "others" }),
      rule({ preferences: noCheap, models: ["m/two"] }),
      rule({ preferences: noCheap, enabled: false }),
      rule({ preferences: noCheap, autoApply: false }),
    ]);
    expect(order(ruled)).toContain("cheap");
  });

  test("naming a rule adds it as the narrowest; the others still bind", () => {
    const preset = rule({
      name: "Preset",
      scope: "user",
      autoApply: false,
      preferences: { order: ["dear"] },
    });
    const ruled = router([
      preset,
      rule({ preferences: noCheap }),
      rule({ scope: "api_key", preferences: { sort: "price" } }),
    ]);
    for (const by of [{ rule_id: preset.id }, { rule_name: "preset" }]) {
      expect(order(ruled, by)).toEqual(["dear", "middle"]);
    }
  });

  test("soft fields are the narrowest rule's: key before user, workspace, organisation; model before all", () => {
    const strategies = ["org", "workspace", "user", "api_key"] as const;
    const rules = strategies.map((scope) => rule({ scope, preferences: { order: [scope] } }));
    const effective = (of: readonly Rule[]) =>
      router(of).route({ model: "m/one" }, context).decisions[0]?.effective;
    for (const [at, scope] of strategies.entries()) {
      expect(effective(rules.slice(0, at + 1).toReversed())?.order).toEqual([scope]);
    }
    const specific = rule({ models: ["m/one"], preferences: { order: ["specific"] }, updatedAtMs: -1 });
    expect(effective([specific, rule({ preferences: { order: ["newer"] } })])?.order).toEqual(["specific"]);
  });

  test("unrelated residencies are shown as both, related ones as the narrower", () => {
    const shown = (...places: string[]) =>
      router(places.map((place) => rule({ preferences: { data_residency: place } }))).route(
        { model: "m/one" },
        context,
      ).decisions[0]?.effective.data_residency;
    expect(shown("de", "eu")).toBe("de");
    expect(shown("eea", "eu", "eu_adequate")).toBe("eu");
    expect(shown("de", "fr")).toBe("de+fr");
    expect(shown("us", "eu_adequate")).toBe("eu_adequate+us");
  });

  test("equal preferences of several rules are one reason that names them all", () => {
    const both = [rule({ preferences: noCheap }), rule({ scope: "user", preferences: noCheap })];
    const { excluded } = router(both).route({ model: "m/one" }, context).decisions[0] ?? { excluded: [] };
    expect(excluded[0]?.refusals).toMatchObject([
      { set_by: { rule_id: both[0]?.id }, also_set_by: [{ rule_id: both[1]?.id }], would_admit: null },
    ]);
  });
});

test("a fact that has expired is told as expired, with what was last known", () => {
  const stale = provider("stale", { retentionDays: fact(0, "2026-11-19") });
  const catalogue = catalogueOf([endpoint(stale, one)]);
  const strict = createRouter({
    catalogue,
    credentials: new Set<string>(),
    defaultResidency: null,
    adequacyExclude: new Set(),
    rules: () => new RuleIndex([]),
    signals: noSignals,
    random: () => 0.5,
  });
  const { excluded } = strict.route({ model: "m/one", provider: { zdr: true } }, context).decisions[0] ?? {
    excluded: [],
  };
  expect(excluded[0]?.refusals[0]).toMatchObject({
    field: "zdr",
    reason: "fact_expired",
    actual: 0,
    would_admit: null,
  });
});

test("a place that was last confirmed too long ago counts as unknown, however European it was", () => {
  const catalogue = catalogueOf([endpoint(provider("moved"), one, { placeExpiresAt: "2026-11-19" })]);
  const strict = createRouter({
    catalogue,
    credentials: new Set<string>(),
    defaultResidency: null,
    adequacyExclude: new Set(),
    rules: () => new RuleIndex([]),
    signals: noSignals,
    random: () => 0.5,
  });
  const [decision] = strict.route({ model: "m/one", provider: { data_residency: "eu" } }, context).decisions;
  expect(decision?.ranked).toEqual([]);
  expect(decision?.excluded[0]?.refusals[0]).toMatchObject({
    field: "data_residency",
    reason: "fact_expired",
    actual: ["FR"],
    would_admit: null,
  });
});

test("who promises an adequate place is refused without one decision, as a fact that nobody knows", () => {
  const promising = endpoint(provider("promising"), one, { countries: [], regionGroups: ["EU_ADEQUATE"] });
  const refusals = (adequacyExclude: string[]) =>
    createRouter({
      catalogue: catalogueOf([promising]),
      credentials: new Set<string>(),
      defaultResidency: "eu_adequate",
      adequacyExclude: new Set(adequacyExclude),
      rules: () => new RuleIndex([]),
      signals: noSignals,
      random: () => 0.5,
    })
      .route({ model: "m/one" }, context)
      .decisions.flatMap(({ excluded }) => excluded.flatMap((one) => one.refusals));
  expect(refusals([])).toEqual([]);
  expect(refusals(["CH"])).toMatchObject([
    { field: "data_residency", actual: ["EU_ADEQUATE"], reason: "fact_unknown", would_admit: null },
  ]);
});

test("an adequacy decision the operator does not rely on admits nobody any more; uncertified firms never were", () => {
  const overseas = (slug: string, country: string, dpfCertified = false) =>
    endpoint(provider(slug, { datacenters: [country], dpfCertified }), one);
  const catalogue = catalogueOf([
    overseas("british", "GB"),
    overseas("certified", "US", true),
    overseas("uncertified", "US"),
    overseas("indian", "IN"),
  ]);
  const admitted = (adequacyExclude: string[]) =>
    createRouter({
      catalogue,
      credentials: new Set<string>(),
      defaultResidency: "eu_adequate",
      adequacyExclude: new Set(adequacyExclude),
      rules: () => new RuleIndex([]),
      signals: noSignals,
      random: half,
    })
      .route({ model: "m/one" }, context)
      .candidates.map(({ endpoint: at }) => at.provider.slug)
      .sort();
  expect(admitted([])).toEqual(["british", "certified"]);
  expect(admitted(["US"])).toEqual(["british"]);
  expect(admitted(["US", "GB"])).toEqual([]);
});
