import { CohereClientV2, CohereError } from "cohere-ai";
import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { RerankResult } from "#contract/rerank.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { post, record } = server;

const cities = [
  "Vienna lies on the Danube.",
  "Paris, the capital of France, lies on the Seine.",
  "Rome lies on the Tiber.",
];
const question = { model: "sandbox/rerank", query: "Which capital lies on the Seine?", documents: cities };
const ask = async (body: object) =>
  RerankResult.parse(await (await post("/rerank", { ...question, ...body })).json());

async function refused(body: object): Promise<ErrorEnvelope["error"]> {
  const response = await post("/rerank", { ...question, ...body });
  const { error } = ErrorEnvelope.parse(await response.json());
  expect([response.status, error.code]).toEqual([400, "BAD_REQUEST"]);
  return error;
}

test("documents are returned best first, each with its position in the request", async () => {
  const { results } = await ask({});
  expect(results.map(({ index }) => index).toSorted()).toEqual([0, 1, 2]);
  expect(results[0]).toMatchObject({ index: 1, document: { text: cities[1] } });
  expect(results.map(({ relevance_score: score }) => score)).toEqual(
    results.map(({ relevance_score: score }) => score).toSorted((a, b) => b - a),
  );
});

test("the answer has the specified fields and no others", async () => {
  const response = await post("/rerank", { ...question, provider: { only: ["sandbox-fr"] } });
  const body = await response.json();
  expect(body).toStrictEqual(RerankResult.parse(body));
  expect(Object.keys(body as object).toSorted()).toEqual([
    "id",
    "meta",
    "model",
    "provider",
    "results",
    "usage",
  ]);
  expect(body).toMatchObject({
    id: `rerank-${response.headers.get("x-generation-id")}`,
    model: "sandbox/rerank",
    provider: "Sandbox France",
  });
});

test.each([
  [{ top_n: 1 }, 1],
  [{ top_k: 2 }, 2],
  [{ top_n: 1000 }, 3],
  [{ top_n: null }, 3],
])("%j gives %i results", async (body, count) => {
  expect((await ask(body)).results).toHaveLength(count);
});

test("documents are omitted on request", async () => {
  for (const result of (await ask({ return_documents: false })).results)
    expect(Object.keys(result).toSorted()).toEqual(["index", "relevance_score"]);
});

test("objects are ranked by their text, or by the named fields", async () => {
  const byText = await ask({
    query: { text: question.query },
    documents: cities.map((text) => ({ text, n: 1 })),
  });
  expect(byText.results[0]).toMatchObject({ index: 1, document: { text: cities[1] } });
  const byField = await ask({
    rank_fields: ["river", "since"],
    documents: [
      { city: "Paris on the Seine", river: "Danube" },
      { city: "Vienna", river: "Seine", since: 1 },
    ],
  });
  expect(byField.results[0]).toMatchObject({ index: 1, document: { text: "river: Seine\nsince: 1" } });
});

test("unknown fields are accepted", async () => {
  expect(
    (await ask({ some: "thing", max_tokens_per_doc: 100, truncation: true, priority: 1 })).results,
  ).toHaveLength(3);
});

describe("billing", () => {
  test.each([
    [100, 1],
    [101, 2],
    [1000, 10],
  ])("%i documents are %i search units, at the endpoint's price for each", async (count, units) => {
    const response = await post("/rerank", {
      ...question,
      documents: Array.from({ length: count }, (_, at) => `document ${at}`),
      top_n: 1,
      provider: { only: ["sandbox-fr"] },
    });
    const { usage } = RerankResult.parse(await response.json());
    // 1.00 EUR for a thousand searches at the sandbox in France.
    const eur = picoFromDecimal("0.001") * BigInt(units);
    expect(usage).toMatchObject({ search_units: units, cost_currency: "USD", is_byok: false });
    expect(picoFromDecimal(usage.cost_eur.toFixed(12))).toBe(eur);
    expect(usage.cost_details).toEqual({
      upstream_inference_cost: usage.cost,
      upstream_inference_prompt_cost: 0,
      upstream_inference_completions_cost: 0,
    });
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({
      operation: "rerank",
      status: "completed",
      search_units: units,
      completion_tokens: 0,
      usage_estimated: false,
      cost_pico_eur: eur,
      parameters: { top_n: 1 },
    });
  });

  test("the query and the documents are not recorded", async () => {
    const response = await post("/rerank", question);
    const row = await record(response.headers.get("x-generation-id"));
    expect(
      JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value)),
    ).not.toMatch(/Seine|Danube/);
  });
});

describe("a refusal names its field", () => {
  test.each([
    ["query", { query: "" }],
    ["query", { query: { words: "x" } }],
    ["documents", { documents: [] }],
    ["documents", { documents: Array(1001).fill("x") }],
    ["documents", { documents: "x" }],
    ["documents.1", { documents: ["x", 7] }],
    ["documents.1", { documents: ["x", { title: "y" }] }],
    ["documents.0", { documents: [{ title: "y" }], rank_fields: ["text"] }],
    ["top_n", { top_n: 0 }],
    ["top_n", { top_n: 1.5 }],
    ["models", { models: ["sandbox/rerank"] }],
    ["stream", { stream: true }],
    ["model", { model: undefined }],
    ["model", { model: 7 }],
  ])("%s, case %#", async (param, body) => {
    expect((await refused(body)).param).toBe(param);
  });

  test("without a model, that of a rule is used; without either the request is refused by name", async () => {
    const { model: _, ...unsaid } = question;
    const rule = JSON.stringify({ name: "Ranks", model: question.model, auto_apply: false });
    expect((await server.send("POST", "/routing-rules", { body: rule })).status).toBe(201);
    expect((await post("/rerank", { ...unsaid, rule_name: "Ranks" })).status).toBe(200);
    const refused = await post("/rerank", unsaid);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: "model" } });
  });

  test("a chat model is not used to rank", async () => {
    const response = await post("/rerank", { ...question, model: "sandbox/chat" });
    expect(response.status).toBe(503);
    await response.text();
  });
});

describe("Cohere's client, with this API as its base URL", () => {
  test("reranks", async () => {
    const cohere = new CohereClientV2({
      token: server.key,
      baseUrl: `${server.origin}/api/v1`,
      maxRetries: 0,
    });
    const answer = await cohere.rerank({ ...question, topN: 2 });
    expect(answer.results.map(({ index }) => index)).toHaveLength(2);
    expect(answer.results[0]).toMatchObject({ index: 1, relevanceScore: expect.any(Number) });
    expect(answer.meta).toMatchObject({ apiVersion: { version: "2" }, billedUnits: { searchUnits: 1 } });
  });

  test("raises its own error classes", async () => {
    const cohere = new CohereClientV2({
      token: "nonsense",
      baseUrl: `${server.origin}/api/v1`,
      maxRetries: 0,
    });
    await expect(cohere.rerank(question)).rejects.toThrow(CohereError);
    await expect(cohere.rerank(question)).rejects.toMatchObject({ statusCode: 401 });
  });
});
