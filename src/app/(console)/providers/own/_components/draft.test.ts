import { describe, expect, test } from "vitest";
import { EndpointEntry, ModelEntry, ProviderEntry } from "#contract/catalogue.ts";
import { CatalogueEntriesCreate } from "#contract/catalogue-entry.ts";
import { PriceEntry } from "#contract/price-entry.ts";
import type { ProviderProbe } from "#contract/provider-probe.ts";
import { createOf, errorsOf, isPrivateAddress, newDraft, slugOf } from "./draft.ts";

const probe: ProviderProbe = {
  ...{ success: true, message: "Found 2 models", base_url: "http://gpu:8000/v1", server: "vllm" },
  ...{ auth: "bearer-optional", setting: null },
  models: [
    { id: "Qwen/Qwen3-8B", model: "qwen/qwen3-8b", known: true, type: "chat", context_length: 32_768 },
    { id: "llama3.2:3b", model: "own/llama3.2-3b", known: false, type: "chat", context_length: null },
  ],
};
const draft = { ...newDraft(probe), name: "Our GPU server", country: "DE" };
const today = "2026-11-25";

describe("a new provider", () => {
  test("is valid as it is, and answers the form's defaults: free, no training, nothing retained", () => {
    const body = createOf(draft, probe, today);
    expect(CatalogueEntriesCreate.safeParse(body).error).toBeUndefined();
    expect(ProviderEntry.parse(body.providers[0])).toMatchObject({
      slug: "our-gpu-server",
      dialect: "vllm",
      free: true,
      datacenters: ["DE"],
      training: { value: false },
      eu_owned: { value: null },
      retention_days: { value: 0 },
    });
    expect(body.models.map((model) => ModelEntry.parse(model).id)).toEqual(["our-gpu-server/llama3.2-3b"]);
    expect(body.endpoints.map((one) => EndpointEntry.parse(one).upstream_model)).toEqual([
      "Qwen/Qwen3-8B",
      "llama3.2:3b",
    ]);
  });

  test("has only the chosen models, and prices if it is not free", () => {
    const chosen = {
      ...draft,
      models: ["llama3.2:3b"],
      pricing: "own" as const,
      input: "0.05",
      output: "0.10",
    };
    const { endpoints, providers } = createOf(chosen, probe, today);
    expect(endpoints).toEqual([
      {
        provider: "our-gpu-server",
        model: "our-gpu-server/llama3.2-3b",
        upstream_model: "llama3.2:3b",
        price: { currency: "EUR", input: "0.05", output: "0.10" },
      },
    ]);
    expect(providers[0]).toMatchObject({ free: false });
  });

  test("has imported list prices where there are some, and no other price", () => {
    const price = { currency: "USD", input: "1", output: "2", source: "List price of Lab" };
    const imported = { ...draft, pricing: "imported" as const, priceProvider: "lab" };
    const { endpoints, providers } = createOf(imported, probe, today, new Map([["qwen/qwen3-8b", price]]));
    expect(endpoints.map((one) => EndpointEntry.parse(one).price)).toEqual([PriceEntry.parse(price), null]);
    expect(providers[0]).toMatchObject({ free: false });
    expect(errorsOf({ ...imported, priceProvider: "" })).toEqual({ priceProvider: "must be chosen" });
  });

  test("states nothing that is unknown", () => {
    const unknown = { ...draft, country: "", retentionDays: null, training: "unknown" as const };
    const [provider] = createOf(unknown, probe, today).providers;
    expect(provider).toMatchObject({ training: null, retention_days: null, retains_prompts: null });
    expect(provider).not.toHaveProperty("datacenters");
  });
});

test.each([
  ["Our vLLM", "our-vllm"],
  ["  Büro / GPU #1 ", "buro-gpu-1"],
  ["---", ""],
])("the slug of %j is %j", (name, slug) => expect(slugOf(name)).toBe(slug));

test.each([
  ["http://gpu:8000/v1", true],
  ["http://gpu-1.internal/v1", true],
  ["http://10.1.2.3:8000", true],
  ["http://172.20.0.1", true],
  ["http://[fd00::1]:8000", true],
  ["https://api.mistral.ai/v1", false],
  ["https://10.example.com", false],
  ["http://172.40.0.1", false],
  ["no address", false],
])("whether %s is in a private network: %s", (address, isPrivate) => {
  expect(isPrivateAddress(address)).toBe(isPrivate);
});

test("of a server at a public address nothing is stated that nobody said", () => {
  const open = { ...probe, base_url: "https://api.lab.example/v1" };
  expect(newDraft(open)).toMatchObject({ training: "unknown", retentionDays: null, pricing: "own" });
  expect(createOf({ ...newDraft(open), name: "Lab" }, open, today).providers[0]).not.toHaveProperty(
    "self_hosted",
  );
});

test("wrong fields are named, and prices matter only if it is not free", () => {
  const wrong = { ...draft, country: "D", input: "0,1", output: "2000000" };
  expect(Object.keys(errorsOf({ ...wrong, pricing: "own" })).toSorted()).toEqual([
    "country",
    "input",
    "output",
  ]);
  expect(Object.keys(errorsOf({ ...wrong, pricing: "free" }))).toEqual(["country"]);
  expect(errorsOf(draft)).toEqual({});
});
