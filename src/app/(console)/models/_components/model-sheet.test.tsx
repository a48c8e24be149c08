import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import {
  CatalogueEndpoint,
  type EndpointPrice,
  type Health,
  ModelWithEndpoints,
} from "#contract/catalogue-view.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal, requestId } from "#test/console/server.ts";
import { ModelSheet } from "./model-sheet.tsx";

const sample = sampleOf(ModelWithEndpoints);
const ending = { deprecation_date: "2026-11-01", expiration_date: null, successor: null };
const fact = <T,>(value: T | null, more: object = {}) => ({
  value,
  sources: [],
  as_of: null,
  expires_at: null,
  confidence: "high" as const,
  expired: false,
  ...more,
});
const health: Health = {
  cooling: false,
  health: 1,
  measured: true,
  latency_p50: null,
  throughput_p50: null,
};
const noAmounts = { prompt: "0", completion: "0", cache_read: null, request: null, searches: null };
const price: EndpointPrice = {
  currency: "USD",
  eur: { ...noAmounts, prompt: "0.858369000000", completion: "2.575107000000" },
  usd: { ...noAmounts, prompt: "1.000000000000", completion: "3.000000000000" },
  tiers: 0,
  sources: [{ title: "Price list", url: "https://alpha.example/prices" }],
  as_of: "2026-11-01",
  expired: false,
};
const endpoint: CatalogueEndpoint = {
  ...sampleOf(CatalogueEndpoint),
  id: "alpha:m/one",
  tag: "alpha/fp8",
  provider_name: "Alpha AI",
  status: "active",
  unusable: null,
  countries: ["DE", "FR"],
  region_groups: [],
  eu_owned: fact(true),
  training: fact(false),
  retention_days: fact(30),
  quantization: "fp8",
  context_length: 131_072,
  max_output_tokens: 8_192,
  supported_parameters: ["temperature", "top_p"],
  apis: ["chat", "responses"],
  price,
  health,
};

function show(...endpoints: Partial<CatalogueEndpoint>[]) {
  const answer: ModelWithEndpoints = {
    model: { ...sample.model, ...ending, id: "m/one", description: "A model" },
    endpoints: endpoints.map((more) => ({ ...endpoint, ...more })),
    rate: { usd_per_eur: "1.1650", date: "2026-11-19" },
  };
  return renderConsole(<ModelSheet id="m/one" onClose={() => {}} />, {
    answers: { catalogue: { model: () => answer } },
  });
}
type Row = [name: string, more: Partial<CatalogueEndpoint>, text: string];

/** The cells of a row of the comparison, one for each endpoint. */
const cellsOf = async (name: string) => {
  const header = await screen.findByRole("rowheader", { name });
  const row = header.closest("tr") ?? header;
  return within(row)
    .getAllByRole("cell")
    .map(({ textContent }) => textContent);
};

test("every endpoint is a column with its provider, and all of them are counted", async () => {
  show({}, { id: "beta:m/one", provider_name: "Beta AI", tag: "beta" });
  const headers = await screen.findAllByRole("columnheader");
  expect(headers.map(({ textContent }) => textContent)).toEqual(["Alpha AIalpha/fp8", "Beta AIbeta"]);
  expect(screen.getByText("2 endpoints")).toBeDefined();
  expect(screen.getByText("A model")).toBeDefined();
  expect(screen.getByText(/Exchange rate of 19 Nov 2026: 1.1650 USD per EUR/)).toBeDefined();
});

describe("prices", () => {
  test.each([
    ["Prompt", "€0.858369$1.00"],
    ["Completion", "€2.575107$3.00"],
    ["Cached prompt", "–"],
    ["Per request", "–"],
    ["Per 1,000 searches", "–"],
    ["Price source", "Price list · 1 Nov 2026"],
  ])("%s is exact in both currencies: %s", async (name, text) => {
    show({});
    expect(await cellsOf(name)).toEqual([text]);
  });

  test("of a rerank endpoint are for a thousand searches", async () => {
    const amounts = { ...noAmounts, searches: "2.000000000000" };
    show({ price: { ...price, eur: amounts, usd: { ...amounts, searches: "2.330000000000" } } });
    expect(await cellsOf("Per 1,000 searches")).toEqual(["€2.00$2.33"]);
  });

  test("that are unknown are not zero", async () => {
    show({ price: null });
    expect(await cellsOf("Prompt")).toEqual(["–"]);
    expect(await cellsOf("Price source")).toEqual(["No price"]);
  });

  test("have a history, which the link names by its endpoint", async () => {
    show({ id: "alpha/eu:m/one" });
    const link = await screen.findByRole("link", { name: "Price history of alpha/eu:m/one" });
    expect(link.getAttribute("href")).toBe("/models/prices?endpoint=alpha%2Feu%3Am%2Fone");
  });
});

describe("what the endpoint can do", () => {
  test.each<Row>([
    ["Context", { context_length: 131_072 }, "131.1k"],
    ["Context", { context_length: null }, "Unknown"],
    ["Max output tokens", { max_output_tokens: 8_192 }, "8,192"],
    ["Max output tokens", { max_output_tokens: null }, "Unknown"],
    ["Parameters", {}, "temperature, top_p"],
    ["Parameters", { supported_parameters: [] }, "Unknown"],
    ["Operations", {}, "chat, responses"],
    ["Quantization", {}, "fp8"],
    ["Status", { status: "deprecated" }, "deprecated"],
  ])("%s of %j is %s", async (name, more, text) => {
    show(more);
    expect(await cellsOf(name)).toEqual([text]);
  });
});

describe("what a rule may ask", () => {
  test.each([
    ["Runs in", {}, "Germany, France"],
    ["Runs in", { countries: [], region_groups: [] }, "Unknown"],
    ["EU-owned", {}, "Yesno source · high confidence"],
    ["EU-owned", { eu_owned: fact(false) }, "Nono source · high confidence"],
    ["Training", {}, "no trainingno source · high confidence"],
    ["Training", { training: fact(true) }, "trains on promptsno source · high confidence"],
    ["Retention", { retention_days: fact(0) }, "zero data retentionno source · high confidence"],
    ["Retention", { retention_days: fact(null) }, "Unknown (treated as the worst case)"],
  ])("%s of %j is %s", async (name, more, text) => {
    show(more);
    expect(await cellsOf(name)).toEqual([text]);
  });

  test("a claim whose day is over is marked as unknown", async () => {
    show({ eu_owned: fact(true, { expired: true, expires_at: "2026-01-01" }) });
    const [text] = await cellsOf("EU-owned");
    expect(text).toContain("Expired on 2026-01-01 (treated as unknown)");
  });
});

describe("whether it can be used", () => {
  test.each<Row>([
    ["Availability", {}, "Available"],
    ["Availability", { unusable: "no_credential" }, "no credential"],
    ["Availability", { unusable: "no_base_url" }, "base URL not set"],
    ["Health", {}, "Healthy"],
    ["Health", { health: { ...health, latency_p50: 0.25 } }, "Healthy, first token 250 ms"],
    ["Health", { health: { ...health, health: 0.905 } }, "90.5% successful"],
    ["Health", { health: { ...health, measured: false } }, "No recent traffic"],
    ["Health", { health: { ...health, cooling: true } }, "Cooling down after an error"],
  ])("%s of %j is %s", async (name, more, text) => {
    show(more);
    expect(await cellsOf(name)).toEqual([text]);
  });
});

test("a model that cannot be loaded shows why, and the request to name", async () => {
  const model = () => {
    throw new Refusal("NOT_FOUND", "No such model");
  };
  renderConsole(<ModelSheet id="m/gone" onClose={() => {}} />, { answers: { catalogue: { model } } });
  const { textContent } = await screen.findByRole("alert");
  expect(textContent).toContain("No such model");
  expect(textContent).toContain(requestId);
});
