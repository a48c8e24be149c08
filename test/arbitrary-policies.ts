import fc from "fast-check";
import type { ProviderPreferences } from "#contract/preferences.ts";
import { RuleScope } from "#contract/routing-rule.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { createRouter, type Rule, RuleIndex } from "#server/policy/index.ts";
import { noSignals } from "#server/policy/signals.ts";
import { catalogueOf, endpoint, fact, model, price, provider } from "./catalogues.ts";

const slugs = ["alpha", "beta", "gamma", "delta"];
const variants = [undefined, "fp8", "eu"];
const countries = ["FR", "DE", "NO", "GB", "US", "JP"];
export const models = [model("m/one"), model("m/two")];
export const today = "2026-11-20";

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });
const factOf = <T>(value: fc.Arbitrary<T>) =>
  fc
    .tuple(maybe(value), fc.constantFrom(null, null, "2026-01-01", "2027-01-01"))
    .map(([known, expires]) => fact(known, expires));

const providers = fc.tuple(
  ...slugs.map((slug) =>
    fc
      .record({
        euOwned: factOf(fc.boolean()),
        training: factOf(fc.boolean()),
        retentionDays: factOf(fc.constantFrom(0, 0, 7, 30)),
        canPublish: fc.constantFrom(null, false, true),
        dpfCertified: fc.boolean(),
        enabled: fc.constantFrom(true, true, true, false),
      })
      .map((facts) => provider(slug, facts)),
  ),
);

/** Four providers with known, unknown and expired facts, and up to a dozen endpoints of two models. */
export const arbitraryEndpoints: fc.Arbitrary<Endpoint[]> = providers.chain((all) =>
  fc.uniqueArray(
    fc
      .record({
        at: fc.constantFrom(...all),
        of: fc.constantFrom(...models),
        variant: fc.constantFrom(...variants),
        price: fc.constantFrom(price("0"), price("0.5"), price("2", "8"), price("1", "4", "USD"), null),
        countries: fc.subarray(countries, { maxLength: 2 }),
        placeExpiresAt: fc.constantFrom(null, null, "2020-01-01", "2999-12-31"),
        regionGroups: fc.constantFrom([], ["EU"], ["US"], ["EU", "EU_ADEQUATE"], ["GLOBAL"]),
        quantization: fc.constantFrom("fp8", "mxfp8", "fp4", "nvfp4", "bf16", "unknown"),
      })
      .map(({ at, of, ...own }) => endpoint(at, of, own)),
    { selector: ({ id }) => id, minLength: 1, maxLength: 12 },
  ),
);

const slugList = fc.uniqueArray(
  fc.constantFrom("alpha", "Beta", "gamma", "delta", "alpha/fp8", "beta/eu", "GAMMA/FP8", "nobody"),
  { minLength: 0, maxLength: 4 },
);

/** Hard fields alone: what must never be loosened. */
export const arbitraryWishes: fc.Arbitrary<ProviderPreferences> = fc.record(
  {
    only: fc.uniqueArray(fc.constantFrom(...slugs, "alpha/fp8", "Beta/EU"), { minLength: 1, maxLength: 4 }),
    ignore: slugList,
    quantizations: fc.uniqueArray(fc.constantFrom("fp8", "mxfp8", "fp4", "nvfp4", "bf16", "unknown"), {
      minLength: 1,
      maxLength: 3,
    }),
    data_collection: fc.constantFrom("allow", "deny"),
    data_residency: fc.constantFrom("eu", "eea", "eu_adequate", "us", "de", "fr", "no", "gb"),
    max_retention_days: fc.constantFrom(0, 7, 30),
    eu_owned: fc.boolean(),
    zdr: fc.boolean(),
    max_price: fc.record({ prompt: fc.constantFrom(0, 0.6, 1.2, 3) }),
  },
  { requiredKeys: [] },
);

export const subject = {
  orgId: "00000000-0000-7000-8000-00000000000a",
  userId: "00000000-0000-7000-8000-00000000000b",
  workspaceId: "00000000-0000-7000-8000-00000000000c",
  keyId: "00000000-0000-7000-8000-00000000000d",
};
const ownerOf = {
  org: subject.orgId,
  user: subject.userId,
  workspace: subject.workspaceId,
  api_key: subject.keyId,
};

/** Rules of every scope that bind the subject, and some that do not. Each has an id of its own. */
export const arbitraryRules = (maxLength: number): fc.Arbitrary<Rule[]> =>
  fc
    .array(
      fc.record({
        scope: fc.constantFrom(...RuleScope.options),
        models: fc.constantFrom([], [], ["m/one"], ["m/two"], ["one"], ["m/one:floor"]),
        preferences: arbitraryWishes,
        autoApply: fc.constantFrom(true, true, true, false),
        enabled: fc.constantFrom(true, true, true, false),
        updatedAtMs: fc.integer({ min: 0, max: 3 }),
        foreign: fc.constantFrom(false, false, false, true),
      }),
      { maxLength },
    )
    .map((rules) =>
      rules.map(({ foreign, ...rule }, at) => ({
        ...rule,
        id: `00000000-0000-7000-8000-0000000001${String(at).padStart(2, "0")}`,
        name: `Rule ${at}`,
        orgId: subject.orgId,
        ownerId: foreign ? "somebody else" : ownerOf[rule.scope],
        workspaceId: null,
      })),
    );

export type RouterOptions = Partial<Parameters<typeof createRouter>[0]>;

/** The engine over a catalogue and rules, without chance. `one` is another name of `m/one`. */
export const routerOver = (
  endpoints: readonly Endpoint[],
  rules: readonly Rule[],
  options: RouterOptions = {},
) =>
  createRouter({
    catalogue: catalogueOf(endpoints, new Map([["one", "m/one"]])),
    credentials: new Set<string>(),
    defaultResidency: null,
    adequacyExclude: new Set(),
    rules: () => new RuleIndex(rules),
    signals: noSignals,
    random: () => 0.5,
    ...options,
  });
