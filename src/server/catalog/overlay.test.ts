import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntrySection } from "#contract/catalogue-entry.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { type BuiltCatalogue, buildCatalogue } from "./build.ts";
import { laidOver } from "./catalogues.ts";
import type { JsonFields } from "./evidence.ts";
import { whyUnusable } from "./lookup.ts";
import { type EntryRow, type LayerRows, nameOf } from "./overlay.ts";

const price = { currency: "EUR", input: "1", output: "2", source: "list", as_of: "2026-11-01" };
const files = buildCatalogue(
  [
    {
      file: "base.json",
      content: {
        schema: "portolan-catalogue/1",
        as_of: "2026-11-01",
        sources: {},
        exchange_rates: [{ pair: "EUR/USD", rate: "1.1", date: "2026-11-01", source: "test" }],
        providers: [
          { slug: "shared", name: "Shared", base_url: "https://shared.example/v1", training: true },
          { slug: "empty", name: "Without address", base_url: null },
        ],
        models: [{ id: "lab/one", context_length: 1_000, aliases: ["one"] }],
        endpoints: [
          { provider: "shared", model: "lab/one", price },
          { provider: "empty", model: "lab/one", price },
        ],
      },
    },
  ],
  { kinds: new Map([["openai-compatible", {}]]) },
);
const orgId = uuidv7();
const shared = "shared:lab/one";

const row = (section: EntrySection, body: JsonFields, own: Partial<EntryRow> = {}): EntryRow => ({
  id: uuidv7(),
  section,
  name: nameOf(section, body) ?? "",
  body,
  enabled: true,
  source: null,
  asOf: null,
  ...own,
});
const layer = (owner: string | null, rows: readonly EntryRow[]): LayerRows => ({
  scope: owner === null ? "installation" : "organisation",
  orgId: owner,
  version: rows.map(({ id }) => id).join(),
  rows,
});
const lay = (owner: string | null, rows: readonly EntryRow[], base: BuiltCatalogue = files) => {
  const laid = laidOver(base, layer(owner, rows));
  return { ...laid, problemOf: (one: EntryRow) => laid.problems.get(one.id) };
};

const provider = { slug: "mine", name: "Mine", base_url: "http://gpu:8000/v1", free: true };
const ownRows = [
  row("provider", provider),
  row("model", { id: "mine/qwen" }),
  row("endpoint", { provider: "mine", model: "mine/qwen" }),
];

describe("the installation's layer", () => {
  test("adds entries, and replaces only the fields that an entry has", () => {
    const override = row(
      "provider",
      { slug: "shared", training: false },
      { source: "Contract", asOf: "2026-11-20" },
    );
    const { catalogue, problems } = lay(null, [...ownRows, override]);
    expect(problems.size).toBe(0);
    expect(catalogue.endpoints.get("mine:mine/qwen")).toMatchObject({
      price: { input: 0n },
      origin: { layer: "installation", orgId: null },
    });
    expect(catalogue.providers.get("shared")).toMatchObject({
      name: "Shared",
      baseUrl: "https://shared.example/v1",
      training: { value: false, sources: [{ title: "Contract", url: null }], asOf: "2026-11-20" },
      origin: {
        layer: "shipped",
        overrides: [{ layer: "installation", fields: ["training"], source: "Contract", asOf: "2026-11-20" }],
      },
    });
    expect(catalogue.endpoints.get(shared)?.training.value).toBe(false);
  });

  test("gives a provider that has no address one", () => {
    const { catalogue } = lay(null, [row("provider", { slug: "empty", base_url: "http://ollama:11434/v1" })]);
    expect(catalogue.endpoints.get("empty:lab/one")?.provider.baseUrl).toBe("http://ollama:11434/v1");
  });

  test("changes a price, which keeps the source and day of its entry", () => {
    const changed = {
      provider: "shared",
      model: "lab/one",
      price: { currency: "EUR", input: "3", output: "3" },
    };
    const { catalogue } = lay(null, [row("endpoint", changed, { source: "Offer 7", asOf: "2026-11-20" })]);
    expect(catalogue.endpoints.get(shared)?.price).toMatchObject({
      input: 3_000_000n,
      sources: [{ title: "Offer 7", url: null }],
      asOf: "2026-11-20",
    });
  });
});

describe("an entry that cannot be used is left out with its reason", () => {
  test.each([
    ["an unknown kind", row("provider", { ...provider, kind: "harbor" }), /^kind: "harbor" is not known/],
    [
      "an invalid field",
      row("provider", { ...provider, base_url: "gpu" }),
      /^base_url: must start with http/,
    ],
    ["an unknown field", row("provider", { ...provider, url: "x" }), /unknown field "url"/],
    ["a missing field", row("provider", { slug: "mine", name: "Mine" }), /^base_url: /],
    [
      "an unknown model",
      row("endpoint", { provider: "shared", model: "no/such" }),
      /^model: "no\/such" is not known/,
    ],
    [
      "a taken alias",
      row("model", { id: "mine/a", aliases: ["one"] }),
      /^aliases: "one" already names lab\/one/,
    ],
    [
      "a price finer than can be stored",
      row("endpoint", {
        provider: "shared",
        model: "lab/one",
        variant: "b",
        price: { currency: "EUR", input: "0.0000001", output: "1" },
      }),
      /^price\.input: /,
    ],
  ])("%s", (_, wrong, reason) => {
    const { catalogue, problemOf } = lay(null, [wrong, ...ownRows.slice(1, 2)]);
    expect(problemOf(wrong)).toMatch(reason);
    expect(catalogue.providers.size).toBe(2);
  });

  test("what refers to a disabled provider is left out too, and comes back with it", () => {
    const off = ownRows.map((one) => (one.section === "provider" ? { ...one, enabled: false } : one));
    const { catalogue, problems } = lay(null, off);
    expect([...problems.values()]).toEqual([expect.stringContaining('provider: "mine" is not known')]);
    expect(catalogue.models.has("mine/qwen")).toBe(true);
    expect(lay(null, ownRows).catalogue.endpoints.has("mine:mine/qwen")).toBe(true);
  });
});

describe("an organisation's layer", () => {
  test("is served with its own credentials only, and measured apart", () => {
    const bearer = row("provider", { ...provider, auth: "bearer" });
    const endpoint = lay(orgId, [bearer, ...ownRows.slice(1)]).catalogue.endpoints.get("mine:mine/qwen");
    if (!endpoint) throw new Error("The endpoint is missing");
    expect(whyUnusable(endpoint, new Set(["mine"]))).toBe("no_credential");
    expect(whyUnusable(endpoint, new Set([endpoint.provider.credentialName]))).toBeNull();
    expect(endpoint.measuredAs).toContain(orgId);
  });

  test("states facts about the installation's providers, and nothing else about them", () => {
    const fact = row("provider", { slug: "shared", training: false, retention_days: 0 });
    expect(lay(orgId, [fact]).catalogue.endpoints.get(shared)?.training.value).toBe(false);
    for (const body of [
      { slug: "shared", free: true },
      { slug: "shared", datacenters: ["DE"] },
      { slug: "shared", auth: "none" },
    ])
      expect(lay(orgId, [row("provider", body)]).problems.size).toBe(1);
    for (const body of [
      { provider: "shared", model: "lab/one", price: { ...price, input: "0", output: "0" } },
      { provider: "shared", model: "lab/one", variant: "cheap", price },
      { provider: "shared", model: "lab/one", base_url: "http://gpu:8000/v1" },
    ])
      expect(lay(orgId, [row("endpoint", body)]).problems.size).toBe(1);
    expect(lay(orgId, [row("model", { id: "lab/one", max_output_tokens: 1 })]).problems.size).toBe(1);
  });

  test("its provider stays its own when the operator adds one of the same name", () => {
    const theirs = lay(null, [
      row("provider", { ...provider, base_url: "http://operator:8000/v1" }),
      row("endpoint", { provider: "mine", model: "lab/one", price }),
    ]);
    const { catalogue } = lay(orgId, ownRows, theirs);
    expect(catalogue.providers.get("mine")?.baseUrl).toBe("http://gpu:8000/v1");
    expect(catalogue.endpoints.has("mine:lab/one")).toBe(false);
    expect(catalogue.endpoints.get("mine:mine/qwen")?.provider.baseUrl).toBe("http://gpu:8000/v1");
  });
});

/** Random entries of both sections, some of which are wrong. */
const facts = fc.record(
  {
    training: fc.option(fc.boolean()),
    retention_days: fc.option(fc.nat(60)),
    name: fc.constantFrom("A", "B"),
    base_url: fc.constantFrom("http://gpu:1/v1", "https://other.example/v1", "nonsense"),
    free: fc.boolean(),
    auth: fc.constantFrom("none", "bearer", "secret"),
    datacenters: fc.constantFrom(["DE"], ["US"]),
  },
  { requiredKeys: [] },
);
const anyRow = fc.oneof(
  fc
    .tuple(fc.constantFrom("shared", "empty", "mine", "yours"), facts)
    .map(([slug, body]) => row("provider", { slug, ...body })),
  fc
    .tuple(
      fc.constantFrom("shared", "empty", "mine", "nobody"),
      fc.constantFrom("lab/one", "lab/two", "no/such"),
      fc.constantFrom({}, { price }, { training: false }, { base_url: "http://gpu:2/v1" }),
    )
    .map(([at, model, body]) => row("endpoint", { provider: at, model, ...body })),
  fc.constantFrom("lab/one", "lab/two").map((id) => row("model", { id, max_output_tokens: 5 })),
);
const anyRows = fc.uniqueArray(anyRow, {
  selector: ({ section, name }) => `${section} ${name}`,
  maxLength: 10,
});

describe("for all entries", () => {
  test("an organisation changes nothing that decides where the installation's credentials and money go", () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const { catalogue } = lay(orgId, rows);
        for (const endpoint of catalogue.endpoints.values()) {
          const before = files.catalogue.endpoints.get(endpoint.id);
          const { provider: at } = endpoint;
          if (at.origin.orgId !== null) {
            expect(at.credentialName).not.toBe(at.slug);
            expect(endpoint.measuredAs).not.toBe(endpoint.id);
            continue;
          }
          expect(before).toBeDefined();
          const essence = ({
            price: its,
            provider: its_,
            countries,
            upstreamModel,
            apis,
            model,
          }: typeof endpoint) =>
            [
              its,
              its_.baseUrl,
              its_.auth,
              its_.credentialName,
              countries,
              upstreamModel,
              apis,
              model,
            ] as const;
          expect(essence(endpoint)).toEqual(before && essence(before));
        }
      }),
    );
  });

  test("layers leave the ones below as they are, and an empty layer changes nothing", () => {
    const before = JSON.stringify([...files.catalogue.providers]);
    fc.assert(
      fc.property(anyRows, anyRows, (installation, organisation) => {
        const base = lay(null, installation);
        const snapshot = [...base.catalogue.endpoints];
        lay(orgId, organisation, base);
        expect([...base.catalogue.endpoints]).toEqual(snapshot);
        expect(laidOver(base, layer(orgId, [])).catalogue).toBe(base.catalogue);
      }),
    );
    expect(JSON.stringify([...files.catalogue.providers])).toBe(before);
  });

  test("the order of entries does not matter, and disabled ones have no effect", () => {
    const essence = (rows: readonly EntryRow[]) =>
      [...lay(null, rows).catalogue.endpoints.values()]
        .map(({ id, price: its, training, provider: at }) => [id, its, training.value, at.baseUrl, at.name])
        .toSorted();
    fc.assert(
      fc.property(anyRows, (rows) => {
        expect(essence(rows.toReversed())).toEqual(essence(rows));
        const disabled = rows.map((one) => ({ ...one, enabled: false }));
        expect(essence(disabled)).toEqual(essence([]));
      }),
    );
  });

  test("what a layer does not change is the same object in both catalogues", () => {
    const { catalogue } = lay(orgId, ownRows);
    for (const [id, endpoint] of files.catalogue.endpoints)
      expect(catalogue.endpoints.get(id)).toBe(endpoint);
    for (const [id, one] of files.catalogue.providers) expect(catalogue.providers.get(id)).toBe(one);
  });
});
