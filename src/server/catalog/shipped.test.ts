import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CatalogueFile, CatalogueOverlay } from "#contract/catalogue.ts";
import { ProviderList } from "#contract/provider.ts";
import { usdFromEur } from "#server/platform/money.ts";
import { findModel, loadCatalogue, publicProviders, whyUnusable } from "./index.ts";
import type { Citation, Endpoint } from "./types.ts";

const seed = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../prisma/seed", name), "utf8"));
const shipped = CatalogueFile.parse(seed("catalogue.json"));
const kinds = new Map(shipped.providers.map(({ kind }) => [kind, {}]));
const load = (options: Partial<Parameters<typeof loadCatalogue>[0]> = {}) =>
  loadCatalogue({ kinds, ...options });
const catalogue = load({ sandboxOrigin: "http://127.0.0.1:4010" });

function endpoint(id: string): Endpoint {
  const found = catalogue.endpoints.get(id);
  if (!found) throw new Error(`${id} is not in the catalogue`);
  return found;
}
const priceOf = (id: string) => {
  const { price } = endpoint(id);
  if (!price) throw new Error(`${id} has no price`);
  return price;
};

test("the shipped files match their schemas and have the expected contents", () => {
  expect([shipped.providers.length, shipped.models.length, shipped.endpoints.length]).toEqual([32, 89, 244]);
  const sandbox = CatalogueOverlay.parse(seed("sandbox.json"));
  expect([sandbox.providers.length, sandbox.models.length, sandbox.endpoints.length]).toEqual([3, 3, 9]);
  expect(catalogue.endpoints.size).toBe(253);
  expect(Object.groupBy(shipped.endpoints, ({ price }) => price?.currency ?? "none")).toMatchObject({
    USD: { length: 173 },
    EUR: { length: 71 },
  });
});

test("providers that refuse max_tokens, or need a limit of the answer, are known", () => {
  const withFact = (holds: (provider: (typeof shipped.providers)[number]) => boolean) =>
    shipped.providers.filter(holds).map(({ slug }) => slug);
  expect(withFact((provider) => provider.token_limit_field === "max_completion_tokens")).toEqual([
    "openai",
    "groq",
    "cerebras",
  ]);
  expect(withFact((provider) => provider.token_limit_required)).toEqual(["ionos", "nebius", "anthropic"]);
});

/** All citations in the catalogue. */
const citedIn = (value: unknown): Citation[] => {
  if (value === null || typeof value !== "object") return [];
  if (value instanceof Map || value instanceof Set) return [...value.values()].flatMap(citedIn);
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "sources" ? (inner as Citation[]) : citedIn(inner),
  );
};

test("every source in the shipped catalogue has a text and a date", () => {
  const cited = citedIn([catalogue.providers, catalogue.endpoints]);
  expect(cited.length).toBeGreaterThan(500);
  const keys = new Set([...Object.keys(shipped.sources), "sandbox", "operator"]);
  for (const { title, url } of cited) {
    const parts = title.split(",").map((part) => part.trim());
    expect(
      parts.some((part) => keys.has(part)),
      title,
    ).toBe(false);
    expect(title).toMatch(/^\p{L}.* /u);
    expect(url ?? "https://").toMatch(/^https:\/\//);
  }
  for (const { tag, sources, asOf, price } of catalogue.endpoints.values())
    if (!tag.startsWith("sandbox")) {
      expect(sources.length, tag).toBeGreaterThan(0);
      expect(price?.sources.length, tag).toBeGreaterThan(0);
      expect(asOf && price?.asOf, tag).toMatch(/^2026/);
    }
});

test("the source of every endpoint and price is in the list of sources, with its address", () => {
  for (const { source, price } of shipped.endpoints) {
    expect(shipped.sources).toHaveProperty([source ?? ""]);
    expect(shipped.sources).toHaveProperty([price?.source ?? ""]);
  }
});

test("every shipped endpoint has a price, an operation, and a country or region", () => {
  for (const { id, price, apis, countries, regionGroups } of catalogue.endpoints.values()) {
    expect(price, id).not.toBeNull();
    expect(apis.size, id).toBeGreaterThan(0);
    expect(countries.length + regionGroups.length, id).toBeGreaterThan(0);
  }
});

test("prices equal those calculated by hand", () => {
  // OVHcloud, 0.08 and 0.40 EUR for a million tokens.
  expect(priceOf("ovhcloud:openai/gpt-oss-120b")).toMatchObject({
    currency: "EUR",
    input: 80_000n,
    output: 400_000n,
    cacheRead: null,
    searchUnit: null,
    tiers: [],
  });
  expect(usdFromEur(80_000n * 1_000_000n, catalogue.exchangeRate)).toBe(92_768_000_000n);
  // Cohere, 2.50 USD for a thousand searches.
  expect(priceOf("cohere:cohere/rerank-4-pro")).toMatchObject({ searchUnit: 2_500_000_000n, input: 0n });
  expect(priceOf("anthropic:anthropic/claude-fable-5.1").cacheWrite).toBe(12_500_000n);
  expect(priceOf("google-gemini:google/gemini-3.8-flash").expiresAt).toBe("2026-12-31");
});

test("the factors of tiers and regional premiums are applied exactly", () => {
  expect(priceOf("openai:openai/gpt-6.1-sol").tiers).toMatchObject([
    { aboveInputTokens: 272_000, input: 4_000_000n, output: 15_000_000n },
  ]);
  const european = priceOf("openai/eu-residency:openai/gpt-6.1-sol");
  expect(european).toMatchObject({ input: 2_200_000n, output: 11_000_000n });
  expect(european.tiers).toMatchObject([{ input: 4_400_000n, output: 16_500_000n }]);
  // Claude Haiku 5.5: 0.10/0.50, five times as much above 100,000 tokens, cached 0.01 → 0.05.
  expect(priceOf("anthropic:anthropic/claude-haiku-5.5").tiers).toEqual([
    {
      aboveInputTokens: 100_000,
      input: 500_000n,
      output: 2_500_000n,
      cacheRead: 50_000n,
      cacheWrite: 625_000n,
      cacheWriteHour: 1_000_000n,
    },
  ]);
});

test("an endpoint with its own address is called there only", () => {
  expect(endpoint("openai/eu-residency:openai/gpt-6.1-sol").provider).toMatchObject({
    slug: "openai",
    baseUrl: "https://eu.api.openai.com/v1",
  });
  expect(endpoint("openai:openai/gpt-6.1-sol").provider.baseUrl).toBe("https://api.openai.com/v1");
});

test("unknown policies are null, and conditional retention counts", () => {
  expect(endpoint("berget:openai/gpt-oss-120b")).toMatchObject({
    training: { value: null, confidence: "none" },
    retentionDays: { value: null },
  });
  expect(endpoint("scaleway:qwen/qwen3-embedding-8b").retentionDays.value).toBe(14);
  expect(catalogue.providers.get("scaleway")).toMatchObject({
    retentionDays: { value: 0 },
    conditionalRetentionDays: 14,
    euOwned: { value: true, confidence: "high" },
  });
});

test("an endpoint without credential or complete address is listed as unusable", () => {
  const why = (id: string, ...slugs: string[]) => whyUnusable(endpoint(id), new Set(slugs));
  expect(why("mistral:mistralai/mistral-small-4")).toBe("no_credential");
  expect(why("mistral:mistralai/mistral-small-4", "mistral")).toBeNull();
  expect(why("sandbox-fr:sandbox/chat")).toBeNull();
  expect(why("aws-bedrock/eu:anthropic/claude-sonnet-5", "aws-bedrock")).toBe("no_base_url");
});

test("the sandbox providers use the running sandbox, and are absent without one", () => {
  expect(catalogue.providers.get("sandbox-de")?.baseUrl).toBe("http://127.0.0.1:4010/de/v1");
  expect(load().providers.has("sandbox-de")).toBe(false);
});

test("a model is found by id and by alias", () => {
  expect(findModel(catalogue, "mistral-medium-2604")?.id).toBe("mistralai/mistral-medium-3.5");
  expect(findModel(catalogue, "sandbox/chat")?.id).toBe("sandbox/chat");
  expect(findModel(catalogue, "nobody/knows")).toBeUndefined();
});

test("the public list is sorted, contains disabled providers and matches its schema", () => {
  const list = publicProviders(catalogue);
  ProviderList.parse({ data: list });
  expect(list).toHaveLength(35);
  expect(list.map(({ name }) => name)).toEqual(
    list.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b, "en")),
  );
  expect(list.find(({ slug }) => slug === "greenpt")).toMatchObject({ enabled: false, model_count: 0 });
  expect(list.find(({ slug }) => slug === "openai")?.model_count).toBe(12);
  expect(list.find(({ slug }) => slug === "sandbox-us")?.data_policy).toMatchObject({
    training: true,
    zdr: false,
  });
});

test("every unknown fact of a provider has its reason, and no other fact has", () => {
  for (const { data_policy, unknown, ...provider } of publicProviders(catalogue)) {
    const facts = Object.entries({ ...provider, ...data_policy });
    const untold = new Set(["description", "region_note", "verified_at", "source"]);
    const missing = facts.filter(([name, value]) => value === null && !untold.has(name));
    expect(Object.keys(unknown).toSorted(), provider.slug).toEqual(missing.map(([name]) => name).toSorted());
    for (const reason of Object.values(unknown)) expect(reason).toMatch(/^\p{Lu}.{20,}$/u);
  }
  const { unknown } = publicProviders(catalogue).find(({ slug }) => slug === "nebius") ?? {};
  expect(unknown?.region).toMatch(/may run anywhere/);
  expect(unknown?.terms_of_service_url).toMatch(/Not checked/);
  expect(unknown?.dpa_url).toMatch(/ask the provider/);
  expect(unknown?.icon_url).toMatch(/your own catalogue file/);
});

test("every address of a provider's documents is on its own site, and was checked", () => {
  const brands: Readonly<Record<string, string>> = { amazonaws: "amazon", googleapis: "google" };
  const site = (url: string) => new URL(url.replaceAll(/[{}]/g, "x")).hostname.split(".").at(-2) ?? "";
  const papers = ["privacy_policy_url", "terms_of_service_url", "status_page_url", "dpa_url"] as const;
  const given = shipped.providers.flatMap((provider) =>
    papers.flatMap((name) => (provider[name] === null ? [] : [{ provider, name, url: provider[name] }])),
  );
  expect(given.length).toBeGreaterThan(10);
  for (const { provider, name, url } of given) {
    const own = site(provider.base_url ?? "");
    expect(site(url), url).toBe(brands[own] ?? own);
    expect(provider.unverified, `${provider.slug} ${name}`).not.toContain(name);
  }
});

test("an address of a data policy is a page the catalogue cites, or on the provider's own site", () => {
  const cited = new Set(Object.values(shipped.sources).map(({ url }) => url));
  const site = (url: string) => new URL(url).hostname.split(".").at(-2);
  for (const provider of shipped.providers) {
    const { data_policy_url: url, base_url: base, slug } = provider;
    if (url !== null && !cited.has(url)) expect(site(url), slug).toBe(site(base ?? ""));
  }
});

test("a text completion never goes to an OpenAI chat model", () => {
  const chatting = [...catalogue.endpoints.values()].filter(({ model }) => model.type === "chat");
  for (const { id, provider, apis } of chatting)
    if (provider.slug === "openai" || provider.kind !== "openai-compatible")
      expect([...apis], id).not.toContain("completions");
  expect(endpoint("openai:openai/gpt-6.1-sol").apis).toEqual(new Set(["responses", "chat"]));
  // Known to accept raw prompts.
  for (const slug of ["stackit", "ionos"])
    for (const { id, apis } of chatting.filter(({ provider }) => provider.slug === slug))
      expect([...apis], id).toContain("completions");
});

test("the version covers the content, not the sandbox's port", () => {
  expect(load({ sandboxOrigin: "http://127.0.0.1:9" }).version).toBe(catalogue.version);
  expect(load().version).not.toBe(catalogue.version);
  expect(load({ exchangeRateOverride: "1.2" }).exchangeRate).toMatchObject({
    usdPerEur: "1.2",
    source: "operator",
  });
});

test("a missing or invalid overlay file, and a rate of zero, are refused by name", () => {
  expect(() => load({ overlayFile: "/nowhere/mine.json" })).toThrow(/\/nowhere\/mine\.json: cannot be read/);
  expect(() => load({ overlayFile: import.meta.filename })).toThrow(/shipped\.test\.ts: is not JSON/);
  expect(() => load({ exchangeRateOverride: "0" })).toThrow(/EUR_USD_RATE 0 must be more than 0/);
});
