import { describe, expect, test } from "vitest";
import type { ProviderPreferences } from "#contract/preferences.ts";
import { type RouterOptions, routerOver } from "#test/arbitrary-policies.ts";
import { catalogueOf, endpoint, model, price, provider } from "#test/catalogues.ts";
import type { Rule } from "./rule-index.ts";
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

const router = (rules: readonly Rule[] = [], options: RouterOptions = {}) =>
  routerOver(endpoints, rules, {
    catalogue: catalogueOf(endpoints, new Map([["one-for-short", "m/one"]])),
    ...options,
  });

/** The providers in the order in which a request tries them. */
const order = (made: ReturnType<typeof router>, ask: object = {}, more: object = {}) =>
  made
    .route({ model: "m/one", ...ask }, { ...context, ...more })
    .candidates.map(({ endpoint: at }) => at.provider.slug);

describe("ranking", () => {
  test("by default the order is drawn at random, weighted by health / price²", () => {
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
  ] as const)("by %s is strict; endpoints without measurements come last", (sort, expected) => {
    const signals = seen({
      "cheap:m/one": { latency: flat(2) },
      "middle:m/one": { throughput: flat(80) },
      "dear:m/one": { latency: flat(1), throughput: flat(40) },
    });
    expect(order(router([], { signals }), { provider: { sort } })).toEqual(expected);
  });

  test("cooling endpoints come last and are never excluded, even when `order` lists them first", () => {
    const signals = seen({ "cheap:m/one": { cooling: true } });
    const one = router([], { signals });
    expect(order(one, { provider: { sort: "price" } })).toEqual(["middle", "dear", "cheap"]);
    const allCool = router([], { signals: (id: string) => ({ ...noSignals(id), cooling: true }) });
    expect(order(allCool, { provider: { sort: "price" } })).toEqual(["cheap", "middle", "dear"]);
  });

  test("an endpoint that stops cooling while it is ranked is neither lost nor listed twice", () => {
    for (let asked = 0; asked < 12; asked++) {
      let left = asked;
      const signals: Signals = (id) => ({ ...noSignals(id), cooling: left-- > 0 });
      expect(order(router([], { signals })).toSorted()).toEqual(["cheap", "dear", "middle"]);
    }
  });

  test("`order` names the first providers; without fallbacks no other is tried", () => {
    expect(order(router(), { provider: { order: ["DEAR", "nobody", "middle"] } })).toEqual([
      "dear",
      "middle",
      "cheap",
    ]);
    expect(order(router(), { provider: { order: ["dear"], allow_fallbacks: false } })).toEqual(["dear"]);
    expect(order(router(), { provider: { allow_fallbacks: false } })).toEqual(["cheap"]);
  });

  test("a session's endpoint comes first unless it is cooling", () => {
    const sessionEndpoint = "dear:m/one";
    expect(order(router(), {}, { sessionEndpoint })[0]).toBe("dear");
    const signals = seen({ "dear:m/one": { cooling: true } });
    expect(order(router([], { signals }), {}, { sessionEndpoint }).at(-1)).toBe("dear");
  });

  test("a preferred speed ranks slow endpoints last and excludes none", () => {
    const signals = seen({ "cheap:m/one": { latency: flat(3), throughput: flat(10) } });
    const slowLast = ["middle", "dear", "cheap"];
    expect(order(router([], { signals }), { provider: { preferred_max_latency: 2 } })).toEqual(slowLast);
    expect(order(router([], { signals }), { provider: { preferred_min_throughput: { p90: 20 } } })).toEqual(
      slowLast,
    );
  });

  test(":nitro and :floor sort, :free admits only endpoints without a price", () => {
    const strategy = (name: string, provider?: ProviderPreferences) =>
      router().route({ model: name, provider }, context).decisions[0]?.strategy;
    expect(strategy("m/one:nitro")).toBe("highest-throughput");
    expect(strategy("m/one:floor")).toBe("lowest-cost");
    expect(strategy("m/one:floor", { sort: "latency" })).toBe("lowest-latency");
    expect(order(router(), { model: "m/one:free" })).toEqual([]);
  });
});

describe("the rules that apply", () => {
  const noCheap = { ignore: ["cheap"] };

  test.each(["m/one", "one-for-short", "m/one:floor", "M/One", "ONE-for-short:Nitro"])(
    "a rule for %s applies to the model by any of its names",
    (name) => {
      const ruled = router([rule({ models: [name], preferences: noCheap })]);
      for (const asked of ["m/one", "one-for-short", "m/one:floor", "one-for-short:nitro"]) {
        expect(order(ruled, { model: asked })).not.toContain("cheap");
      }
    },
  );

  test("rules of others, of other models, disabled rules and those that must be named do not apply", () => {
    const ruled = router([
      rule({ preferences: noCheap, ownerId: "others" }),
      rule({ preferences: noCheap, orgId: "others" }),
      rule({ preferences: noCheap, models: ["m/two"] }),
      rule({ preferences: noCheap, enabled: false }),
      rule({ preferences: noCheap, autoApply: false }),
    ]);
    expect(order(ruled)).toContain("cheap");
  });

  test("naming a rule adds it as the narrowest; the others still apply", () => {
    const toBeNamed = rule({
      name: "To be named",
      scope: "user",
      autoApply: false,
      preferences: { order: ["dear"] },
    });
    const ruled = router([
      toBeNamed,
      rule({ preferences: noCheap }),
      rule({ scope: "api_key", preferences: { sort: "price" } }),
    ]);
    for (const by of [{ rule_id: toBeNamed.id }, { rule_name: "to be named" }]) {
      expect(order(ruled, by)).toEqual(["dear", "middle"]);
    }
  });

  test("the narrowest rule sets soft fields: a rule for the model first, then key, user, workspace, organisation", () => {
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

  test("of two residencies the narrower is shown, or both when neither contains the other", () => {
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

  test("equal preferences of several rules are one reason that names all the rules", () => {
    const both = [rule({ preferences: noCheap }), rule({ scope: "user", preferences: noCheap })];
    const { excluded } = router(both).route({ model: "m/one" }, context).decisions[0] ?? { excluded: [] };
    expect(excluded[0]?.refusals).toMatchObject([
      { set_by: { rule_id: both[0]?.id }, also_set_by: [{ rule_id: both[1]?.id }], would_admit: null },
    ]);
  });
});
