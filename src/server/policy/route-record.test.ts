import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "#server/audit/chain.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { BasisBody } from "#server/db/index.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import type { DecisionInputs } from "./decision-inputs.ts";
import type { Excluded } from "./explain.ts";
import { routeRecord } from "./route-record.ts";
import type { Decision } from "./router.ts";

const endpoints = Array.from({ length: 6 }, (_, at) =>
  endpoint(provider(`p${at}`), model("acme/chat"), { id: `p${at}:acme/chat` }),
);
const [first, ...others] = endpoints as [(typeof endpoints)[0], ...typeof endpoints];
const excluded: readonly Excluded[] = [
  {
    endpoint: first,
    refusals: [{ field: "zdr", wanted: true, actual: null, set_by: { scope: "org", rule_id: "rule-1" } }],
  },
];
const [noRules, effective] = [[], { zdr: true }];
const inputsOf = (endpoints: readonly Endpoint[]): DecisionInputs => ({
  considered: {
    ...{ model: model("acme/chat"), aliases: [], endpoints, apis: ["chat"], credentials: new Set<string>() },
    ...{ defaultResidency: null, adequacyExclude: new Set<string>() },
  },
  ...{ parameters: [], size: null },
});
const inputs = inputsOf(endpoints);
const decision = (own: Partial<Decision> = {}): Decision => ({
  ...{ requested: "acme/chat", model: "acme/chat", variant: null, strategy: "balanced", rules: noRules },
  ...{ ranked: others, excluded, effective, inputs, ...own },
});
const bodyOf = (text: string) => JSON.parse(text) as BasisBody;
const orderOf = (decisions: readonly Decision[]) => {
  const { basis, ranked } = routeRecord(decisions);
  return ranked.map((order) => order.map((position) => bodyOf(basis.body).endpoints[position]));
};

describe("the record of a route", () => {
  test("is the hash of its canonical JSON, and shares one basis whatever the order of the endpoints", () => {
    const { basis } = routeRecord([decision()]);
    expect(basis.hash).toBe(sha256Hex(canonicalJson(bodyOf(basis.body))));
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }), (order) => {
        const ranked = order.flatMap((at) => others[at] ?? []);
        expect(routeRecord([decision({ ranked })]).basis).toBe(basis);
        expect(orderOf([decision({ ranked })])).toEqual([ranked.map(({ id }) => id)]);
      }),
    );
  });

  test.each<[string, Partial<Decision>]>([
    ["another rule", { rules: [{ id: "rule-2" }] as unknown as Decision["rules"] }],
    ["another preference", { effective: { zdr: false } }],
    ["another strategy", { strategy: "lowest-cost" }],
    ["an endpoint less", { ranked: others.slice(1) }],
    ["other exclusions", { excluded: [] }],
    ["another model", { model: "acme/other" }],
  ])("has another basis with %s", (_, own) => {
    const one = routeRecord([decision()]).basis;
    const other = routeRecord([decision(own)]).basis;
    expect(other.hash).not.toBe(one.hash);
    // Equal content has an equal hash.
    expect(routeRecord([decision({ ...own, excluded: [...(own.excluded ?? excluded)] })]).basis).toEqual(
      other,
    );
  });

  test("keeps the order of each of several models", () => {
    const second = decision({ model: "acme/other", ranked: others.toReversed() });
    expect(orderOf([decision(), second])).toEqual([
      others.map(({ id }) => id),
      others.toReversed().map(({ id }) => id),
    ]);
  });

  test("names only endpoints that were chosen, whatever earlier decisions with the same inputs chose", () => {
    const choosing = (at: number) =>
      decision({ strategy: "single-provider", ranked: others.slice(at, at + 1) });
    const [two, one] = [
      [choosing(0), choosing(1)],
      [choosing(1), choosing(1)],
    ];
    expect(bodyOf(routeRecord(two).basis.body).endpoints).toHaveLength(2);
    expect(bodyOf(routeRecord(one).basis.body).endpoints).toEqual([others[1]?.id]);
    expect(routeRecord(one).ranked).toEqual([[0], [0]]);
    expect(routeRecord(two).ranked).toEqual([[0], [1]]);
  });

  test("refers to what was known of each endpoint, and is another one when that changes", () => {
    const one = routeRecord([decision()]);
    const body = bodyOf(one.basis.body);
    const textOf = new Map(one.facts.map(({ hash, body: text }) => [hash, text]));
    expect(body.facts?.map((hash) => JSON.parse(textOf.get(hash) ?? "").endpoint)).toEqual(body.endpoints);
    // Of excluded endpoints, too.
    expect(one.facts.map(({ body: text }) => JSON.parse(text).endpoint)).toEqual(
      endpoints.map(({ id }) => id),
    );
    for (const { hash, body: text } of [...one.facts, ...one.inputs]) expect(hash).toBe(sha256Hex(text));
    const [changed, ...rest] = others as [(typeof others)[0], ...typeof others];
    const moved = { ...changed, countries: ["US"] };
    const later = { ranked: [moved, ...rest], inputs: inputsOf([first, moved, ...rest]) };
    const other = routeRecord([decision(later)]);
    expect(other.basis.hash).not.toBe(one.basis.hash);
    expect(
      other.facts.filter(({ hash }) => !textOf.has(hash)).map(({ body: text }) => JSON.parse(text)),
    ).toEqual([
      expect.objectContaining({ endpoint: moved.id, place: expect.objectContaining({ countries: ["US"] }) }),
    ]);
  });

  test.each<[string, Partial<DecisionInputs>]>([
    ["parameters", { parameters: ["seed"] }],
    ["a size", { size: { promptTokens: 1, maxTokens: null } }],
    ["an endpoint that was considered", { considered: inputsOf(others).considered }],
  ])("has another basis with other inputs: %s", (_, own) => {
    const other = routeRecord([decision({ inputs: { ...inputs, ...own } })]).basis;
    expect(other.hash).not.toBe(routeRecord([decision()]).basis.hash);
    expect(other).toEqual(routeRecord([decision({ inputs: { ...inputs, ...own } })]).basis);
  });

  test("holds only texts that a database can store", () => {
    const { basis } = routeRecord([decision({ effective: { only: ["a\u0000b\ud800"] }, excluded: [] })]);
    expect(bodyOf(basis.body).models[0]?.preferences).toEqual({ only: ["ab\ufffd"] });
  });

  test("of no decision is a basis too", () => {
    expect(routeRecord([])).toMatchObject({
      ranked: [],
      basis: { body: '{"endpoints":[],"facts":[],"models":[]}' },
    });
  });
});
