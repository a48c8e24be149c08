import fc from "fast-check";
import { expect, test } from "vitest";
import { SettingsError } from "#server/platform/env.ts";
import { buildCatalogue } from "./build.ts";
import { priceFrom } from "./price.ts";

const schema = "portolan-catalogue/1";
const base = {
  file: "catalogue.json",
  content: {
    schema,
    as_of: "2026-11-20",
    sources: {},
    exchange_rates: [{ pair: "EUR/USD", rate: "1.1596", date: "2026-08-31", source: "ECB" }],
    providers: [{ slug: "acme", name: "Acme", base_url: "https://acme.example/v1" }],
    models: [{ id: "lab/one" }],
    endpoints: [
      { provider: "acme", model: "lab/one", price: { currency: "USD", input: "0.15", output: "0.60" } },
    ],
  },
};
const overlay = (content: object) => ({ file: "mine.json", content: { schema, ...content } });
const build = (content: object) => buildCatalogue([base, overlay(content)]).catalogue;

function problemsOf(content: object): readonly string[] {
  try {
    build(content);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

const operator = [{ title: "The operator of this installation", url: null }];

test("an own server requires three short entries", () => {
  const catalogue = build({
    providers: [
      { slug: "my-ollama", name: "Ollama", base_url: "http://gpu:11434/v1/", auth: "none", free: true },
    ],
    models: [{ id: "qwen/qwen3-8b" }],
    endpoints: [{ provider: "my-ollama", model: "qwen/qwen3-8b" }],
  });
  expect(catalogue.endpoints.get("my-ollama:qwen/qwen3-8b")).toMatchObject({
    tag: "my-ollama",
    upstreamModel: "qwen3-8b",
    price: { input: 0n, output: 0n, currency: "EUR" },
    apis: new Set(["chat", "completions"]),
    provider: { kind: "openai-compatible", enabled: true, baseUrl: "http://gpu:11434/v1" },
    sources: operator,
  });
  expect(catalogue.endpointsByModel.get("lab/one")).toHaveLength(1);
});

test("an unknown kind of provider is refused with its place and the list of known kinds", () => {
  const ask = (kind: string) =>
    buildCatalogue(
      [base, overlay({ providers: [{ slug: "mine", name: "Mine", base_url: "http://gpu/v1", kind }] })],
      {
        kinds: new Map([
          ["openai-compatible", {}],
          ["harbour", {}],
        ]),
      },
    );
  expect(ask("harbour").catalogue.providers.get("mine")?.kind).toBe("harbour");
  expect(() => ask("harbor")).toThrow(
    'mine.json: providers[0].kind "harbor" is not known; known are harbour, openai-compatible',
  );
});

test("a fact without a source is attributed to the operator; a missing one is unknown", () => {
  const catalogue = build({
    providers: [
      { slug: "mine", name: "Mine", base_url: "http://gpu/v1", training: false, retention_days: 0 },
    ],
  });
  expect(catalogue.providers.get("mine")).toMatchObject({
    training: { value: false, sources: operator, confidence: "high" },
    retentionDays: { value: 0, sources: operator },
    euOwned: { value: null, sources: [], confidence: "none" },
  });
});

test("an overlay completely replaces provider, model and endpoint of the same name", () => {
  const catalogue = build({
    providers: [{ slug: "acme", name: "Acme by proxy", base_url: "http://proxy/v1", auth: "none" }],
    models: [{ id: "lab/one", name: "The One", context_length: 8192 }],
    endpoints: [
      { provider: "acme", model: "lab/one", upstream_model: "one@2" },
      { provider: "acme", variant: "fp8", model: "lab/one", quantization: "fp8", context_length: null },
    ],
  });
  expect(catalogue.endpoints.get("acme:lab/one")).toMatchObject({
    upstreamModel: "one@2",
    price: null,
    contextLength: 8192,
    provider: { name: "Acme by proxy", baseUrl: "http://proxy/v1" },
    model: { name: "The One" },
  });
  expect(catalogue.endpoints.get("acme/fp8:lab/one")).toMatchObject({ tag: "acme/fp8", contextLength: null });
  expect(catalogue.endpoints.size).toBe(2);
});

test.for([
  {
    wrong: "a misspelt field",
    content: { providers: [{ slug: "x", name: "X", base_url: null, trainnig: false }] },
    says: /^mine\.json: providers\[0\] has the unknown field "trainnig"; known are slug, name, /,
  },
  {
    wrong: "a price as a number",
    content: {
      endpoints: [
        { provider: "acme", model: "lab/one", price: { currency: "EUR", input: 0.1, output: "1" } },
      ],
    },
    says: /^mine\.json: endpoints\[0\]\.price\.input must be a decimal in quotes, such as "0\.15"$/,
  },
  {
    wrong: "half a price",
    content: {
      endpoints: [{ provider: "acme", model: "lab/one", price: { currency: "EUR", input: "1" } }],
    },
    says: /^mine\.json: endpoints\[0\]\.price needs both input and output/,
  },
  {
    wrong: "a price finer than a pico-unit",
    content: {
      endpoints: [
        { provider: "acme", model: "lab/one", price: { currency: "EUR", input: "0.0000001", output: "1" } },
      ],
    },
    says: /^mine\.json: endpoints\[0\]\.price\.input 0\.0000001 is finer than/,
  },
  {
    wrong: "another currency",
    content: {
      endpoints: [
        { provider: "acme", model: "lab/one", price: { currency: "CHF", input: "1", output: "1" } },
      ],
    },
    says: /price\.currency must be one of USD, EUR$/,
  },
  {
    wrong: "an unknown provider",
    content: { endpoints: [{ provider: "acmee", model: "lab/one" }] },
    says: /^mine\.json: endpoints\[0\]\.provider "acmee" is not known; add it to providers/,
  },
  {
    wrong: "an unknown model",
    content: { endpoints: [{ provider: "acme", model: "lab/two" }] },
    says: /^mine\.json: endpoints\[0\]\.model "lab\/two" is not known; add it to models/,
  },
  {
    wrong: "a model id without author",
    content: { models: [{ id: "llama3:8b" }] },
    says: /models\[0\]\.id must be author\/name/,
  },
  {
    wrong: "a twice given endpoint",
    content: {
      endpoints: [
        { provider: "acme", model: "lab/one" },
        { provider: "acme", model: "lab/one" },
      ],
    },
    says: /endpoints\[1\] repeats acme:lab\/one, which is already at endpoints\[0\]$/,
  },
  {
    wrong: "an invalid fact",
    content: { providers: [{ slug: "x", name: "X", base_url: null, training: "no" }] },
    says: /providers\[0\]\.training must be true or false, null when unknown, or an object/,
  },
  {
    wrong: "another schema",
    content: { schema: "catalogue/2" },
    says: /schema must be "portolan-catalogue\/1"/,
  },
])(
  "an overlay with $wrong is refused with a message that names the place and the problem",
  ({ content, says }) => {
    expect(problemsOf(content)).toEqual([expect.stringMatching(says)]);
  },
);

test("all problems are reported at once", () => {
  expect(problemsOf({ models: [{ id: "x" }, { id: "y" }] })).toHaveLength(2);
});

test("any price with six decimals per million becomes exactly that many pico-units per token", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), (pico) => {
      const text = `${pico / 1_000_000n}.${(pico % 1_000_000n).toString().padStart(6, "0")}`;
      const { endpoints } = build({
        endpoints: [
          { provider: "acme", model: "lab/one", price: { currency: "USD", input: text, output: "0" } },
        ],
      });
      expect(endpoints.get("acme:lab/one")?.price?.input).toBe(pico);
    }),
    { numRuns: 50 },
  );
});

test("a file's short names of sources are expanded everywhere; free text is not changed", () => {
  const cited = (source: string) =>
    build({
      sources: {
        audit: { title: "An audit", url: "https://audit.example/us", as_of: "2026", kind: "audit" },
        terms: { title: "Their terms", url: null, as_of: "2026-10", kind: "vendor" },
      },
      providers: [
        { slug: "mine", name: "Mine", base_url: "http://gpu/v1", training: { value: false, source } },
      ],
      endpoints: [
        {
          provider: "mine",
          model: "lab/one",
          price: { currency: "EUR", input: "1", output: "1", source },
          source,
        },
      ],
    }).endpoints.get("mine:lab/one");
  const both = [
    { title: "An audit", url: "https://audit.example/us" },
    { title: "Their terms", url: null },
  ];
  expect(cited("audit, terms")).toMatchObject({
    sources: both,
    price: { sources: both },
    training: { sources: both },
  });
  for (const words of ["By phone, in May", "audit, hearsay"])
    expect(cited(words)?.sources).toEqual([{ title: words, url: null }]);
});

test("a price's version changes with its figures only", () => {
  const entry = {
    currency: "USD" as const,
    input: "1",
    output: "2",
    cached_input: null,
    cache_write: null,
    reasoning: null,
    per_request: null,
    per_1k_searches: null,
    tiers: [],
    source: null,
    as_of: null,
    expires_at: null,
  };
  const { version, cacheWriteHour } = priceFrom(entry);
  expect(cacheWriteHour).toBeUndefined();
  const written = { ...entry, cache_write: "1.25" };
  expect(priceFrom(written).cacheWriteHour).toBe(2_000_000n);
  expect(priceFrom({ ...written, cache_write_1h: "1.6" }).cacheWriteHour).toBe(1_600_000n);
  expect(priceFrom({ ...entry, input: "1.00", source: "elsewhere" }).version).toBe(version);
  expect(priceFrom({ ...entry, output: "2.1" }).version).not.toBe(version);
});
