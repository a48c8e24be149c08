import { describe, expect, test } from "vitest";
import { EmbeddingList } from "#contract/embeddings.ts";
import { ErrorEnvelope } from "#contract/errors.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { startTestServer } from "./server.ts";

const priced = { price: { currency: "EUR", input: "1", output: "0" } };
const server = await startTestServer({
  overlay: {
    models: [
      { id: "test/flaky", type: "embedding", context_length: 8192 },
      { id: "test/fixed", type: "embedding", context_length: 8192, embedding_dimensions: 256 },
    ],
    endpoints: [
      { provider: "sandbox-fr", model: "test/flaky", upstream_model: "sandbox/embed!error-200", ...priced },
      {
        provider: "sandbox-de",
        model: "test/flaky",
        upstream_model: "sandbox/embed",
        price: { ...priced.price, input: "2" },
      },
      {
        provider: "sandbox-fr",
        model: "test/fixed",
        upstream_model: "sandbox/embed",
        supported_parameters: ["user"],
        ...priced,
      },
    ],
  },
});
const { client, post, record } = server;

const inputs = ["Vienna lies on the Danube.", "Paris lies on the Seine."];
const asked = { model: "sandbox/embed", input: inputs, dimensions: 64 };

describe("the unmodified openai client", () => {
  test("embeds in both formats and in the client's default", async () => {
    const floats = await client.embeddings.create({ ...asked, encoding_format: "float" });
    const base64 = await client.embeddings.create({ ...asked, encoding_format: "base64" });
    const own = await client.embeddings.create(asked);
    expect(floats.object).toBe("list");
    expect(floats.data.map(({ index }) => index)).toEqual([0, 1]);
    for (const [at, { embedding }] of floats.data.entries()) {
      expect(embedding).toHaveLength(64);
      const text: unknown = base64.data[at]?.embedding;
      const bytes = Buffer.from(String(text), "base64");
      const decoded = Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readFloatLE(place * 4));
      expect(decoded).toEqual(embedding.map(Math.fround));
      expect(Array.from(own.data[at]?.embedding ?? [])).toEqual(decoded);
    }
    expect(own.usage.prompt_tokens).toBeGreaterThan(0);
    expect(own.usage.total_tokens).toBe(own.usage.prompt_tokens);
  });

  test("embeds one text, and tokens", async () => {
    expect((await client.embeddings.create({ ...asked, input: "one" })).data).toHaveLength(1);
    expect((await client.embeddings.create({ ...asked, input: [1, 2, 3] })).data).toHaveLength(1);
    expect((await client.embeddings.create({ ...asked, input: [[1, 2], [3]] })).data).toHaveLength(2);
  });
});

test("the answer names its provider; its tokens are billed at their price and recorded", async () => {
  const response = await post("/embeddings", { ...asked, provider: { only: ["sandbox-fr"] } });
  const body = await response.json();
  const list = EmbeddingList.parse(body);
  expect(body).toStrictEqual(list);
  expect(list).toMatchObject({ provider: "Sandbox France", model: "sandbox/embed" });
  const row = await record(response.headers.get("x-generation-id"));
  expect(list.id).toBe(`emb-${row.id}`);
  expect(row).toMatchObject({
    operation: "embeddings",
    status: "completed",
    prompt_tokens: list.usage.prompt_tokens,
    completion_tokens: 0,
    usage_estimated: false,
    parameters: { dimensions: 64 },
  });
  // 0.05 EUR for a million tokens at the sandbox in France.
  expect(row.cost_pico_eur).toBe((picoFromDecimal("0.05") / 1_000_000n) * BigInt(row.prompt_tokens));
  expect(list.usage.cost_details.upstream_inference_prompt_cost).toBe(list.usage.cost);
});

test("after an error with status 200 the next endpoint answers", async () => {
  const response = await post("/embeddings", { ...asked, model: "test/flaky", provider: { sort: "price" } });
  expect(response.headers.get("x-fallback-count")).toBe("1");
  expect(EmbeddingList.parse(await response.json()).provider).toBe("Sandbox Germany");
});

test("vectors of another length than an endpoint supports are not requested from it", async () => {
  const ask = (dimensions: number) => post("/embeddings", { ...asked, model: "test/fixed", dimensions });
  const native = EmbeddingList.parse(await (await ask(256)).json());
  expect(native.data[0]?.embedding).toHaveLength(256);
  const response = await ask(64);
  const { error } = ErrorEnvelope.parse(await response.json());
  expect([response.status, error.code]).toEqual([400, "BAD_REQUEST"]);
  expect(error.message).toContain("64 dimensions");
});

describe("a refusal names its field", () => {
  test.each([
    ["input", { input: "" }],
    ["input", { input: [] }],
    ["input", { input: ["x", ""] }],
    ["input", { input: ["x", 7] }],
    ["input", { input: [[]] }],
    ["input", { input: [1.5] }],
    ["input", { input: { text: "x" } }],
    ["encoding_format", { encoding_format: "int8" }],
    ["dimensions", { dimensions: 0 }],
    ["models", { models: ["sandbox/embed"] }],
    ["stream", { stream: true }],
    ["model", { model: undefined }],
  ])("%s, case %#", async (param, body) => {
    const response = await post("/embeddings", { ...asked, ...body });
    const { error } = ErrorEnvelope.parse(await response.json());
    expect([response.status, error.param?.split(".")[0]]).toEqual([400, param]);
  });

  test("more inputs than 2,048", async () => {
    const response = await post("/embeddings", { ...asked, input: Array(2049).fill("x") });
    const { error } = ErrorEnvelope.parse(await response.json());
    expect([response.status, error.param]).toEqual([400, "input"]);
  });
});
