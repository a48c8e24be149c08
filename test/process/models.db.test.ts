import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { ModelEndpoints, ModelList } from "#contract/models.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { client, send, post } = server;
const listed = async (query = "") =>
  ModelList.parse(await (await send("GET", `/models${query}`, { key: null })).json());

describe("the unmodified openai client", () => {
  test("lists models and reads one by its id, including the slash", async () => {
    const ids: string[] = [];
    for await (const { id, object, owned_by: owner } of await client.models.list()) {
      expect([object, owner]).toEqual(["model", id.split("/")[0]]);
      ids.push(id);
    }
    expect(ids).toContain("sandbox/chat");
    expect(await client.models.retrieve("sandbox/chat")).toMatchObject({
      id: "sandbox/chat",
      object: "model",
    });
    await expect(client.models.retrieve("nobody/nothing")).rejects.toMatchObject({
      status: 404,
      code: "NOT_FOUND",
    });
    await expect(client.models.retrieve("Sandbox/Chat")).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("Did you mean `sandbox/chat`?"),
    });
  });
});

test("usable models come first; prices are exact decimals for one token", async () => {
  const { data, total_count: count } = await listed();
  expect(data).toHaveLength(count);
  const available = data.map((model) => model.available);
  expect(available).toEqual(available.toSorted((a, b) => Number(b) - Number(a)));
  expect(data.find(({ id }) => id === "sandbox/chat")).toMatchObject({
    available: true,
    category: "chat",
    // The sandbox in the USA is the cheapest: 0.10 and 0.30 USD a million.
    pricing: { currency: "USD", prompt: "0.0000001", completion: "0.0000003", request: "0" },
    architecture: { modality: "text+image+audio+file+video->text" },
  });
  expect(data.find(({ id }) => id === "sandbox/rerank")?.pricing).toMatchObject({
    prompt: "0",
    search_unit: "0.0005",
  });
  expect(data.find(({ id }) => id === "mistralai/mistral-embed")?.available).toBe(false);
});

test("the query filters and pages the list", async () => {
  const all = await listed("?category=rerank");
  expect(new Set(all.data.map(({ category }) => category))).toEqual(new Set(["rerank"]));
  const page = await listed("?category=rerank&limit=2&offset=1");
  expect(page.data).toEqual(all.data.slice(1, 3));
  expect(page.total_count).toBe(all.total_count);
  const own = await listed("?provider=sandbox-fr");
  expect(own.data.map(({ id }) => id)).toEqual(["sandbox/chat", "sandbox/embed", "sandbox/rerank"]);
  const tools = await listed("?supported_parameters=tools,seed&provider=sandbox-fr");
  expect(tools.data.map(({ id }) => id)).toContain("sandbox/chat");
  expect(tools.data.map(({ id }) => id)).not.toContain("sandbox/embed");
  expect((await listed("?supported_parameters=telepathy")).data).toEqual([]);
  for (const query of ["?category=poetry", "?limit=0", "?limit=1001", "?offset=-1"]) {
    const response = await send("GET", `/models${query}`);
    const { error } = ErrorEnvelope.parse(await response.json());
    expect([response.status, error.param]).toEqual([400, /\w+/.exec(query)?.[0]]);
  }
});

test.each(["/models", "/providers"])(
  "%s is cacheable, and not sent again to a client that has it",
  async (path) => {
    const first = await send("GET", path, { key: null });
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    const etag = first.headers.get("etag") ?? "";
    await first.text();
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await send("GET", path, { key: null, headers: { "if-none-match": held } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
    }
    const other = await send("GET", path, { key: null, headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
    await other.text();
  },
);

test("a model's endpoints show price, rank and measurements", async () => {
  const read = async () =>
    ModelEndpoints.parse(await (await send("GET", "/models/sandbox/chat/endpoints", { key: null })).json())
      .data;
  const before = await read();
  expect(before.endpoints.map(({ tag }) => tag).toSorted()).toEqual([
    "sandbox-de",
    "sandbox-fr",
    "sandbox-us",
  ]);
  const untried = before.endpoints.find(({ tag }) => tag === "sandbox-fr");
  expect(untried).toMatchObject({
    status: 0,
    uptime_last_30m: null,
    latency_last_30m: null,
    pricing: { currency: "EUR", prompt: "0.0000004", completion: "0.0000012", input_cache_read: "0.0000001" },
  });
  const streamed = {
    model: "sandbox/chat",
    prompt: "Hello",
    stream: true,
    provider: { only: ["sandbox-fr"] },
  };
  await (await post("/completions", streamed)).text();
  // One reading of the figures serves for a second.
  await expect
    .poll(async () => (await read()).endpoints.find(({ tag }) => tag === "sandbox-fr"), { timeout: 5_000 })
    .toMatchObject({ uptime_last_30m: 100, latency_last_30m: { p50: expect.any(Number) } });
});

test("a model is listed under every path it is served at, including emulation by chat", async () => {
  const { data } = await listed();
  const requests: Record<string, object> = {
    "/api/v1/chat/completions": { messages: [{ role: "user", content: "Hi" }] },
    "/api/v1/completions": { prompt: "Hi" },
    "/api/v1/messages": { messages: [{ role: "user", content: "Hi" }], max_tokens: 16 },
    "/api/v1/responses": { input: "Hi" },
    "/api/v1/embeddings": { input: "Hi" },
    "/api/v1/rerank": { query: "Hi", documents: ["Hi"] },
  };
  for (const model of ["sandbox/chat", "sandbox/embed", "sandbox/rerank"]) {
    const served: string[] = [];
    for (const [path, body] of Object.entries(requests))
      if ((await post(path.slice("/api/v1".length), { model, ...body })).ok) served.push(path);
    expect(data.find(({ id }) => id === model)?.supported_api_endpoints, model).toEqual(served.toSorted());
  }
  const chats = data.filter(({ supported_api_endpoints: paths }) =>
    paths.includes("/api/v1/chat/completions"),
  );
  for (const { id, supported_api_endpoints: paths } of chats)
    expect(paths, id).toEqual([
      "/api/v1/chat/completions",
      "/api/v1/completions",
      "/api/v1/messages",
      "/api/v1/responses",
    ]);
});
