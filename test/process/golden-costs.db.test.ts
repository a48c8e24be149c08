import type { ServerResponse } from "node:http";
import { afterAll, expect, test, vi } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";
import { startTestServer } from "./server.ts";

/** Sends one token per event, up to the requested number. */
const stream = (response: ServerResponse, tokens: number) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < tokens; at++)
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: `w${at} ` } }] })}\n\n`);
};
const complete = (response: ServerResponse, usage: object) =>
  response.writeHead(200, { "content-type": "application/json" }).end(
    JSON.stringify({
      choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage,
    }),
  );

/** What the provider does, by the name of its model. */
const answers: Record<string, (response: ServerResponse) => void> = {
  plain: (response) =>
    complete(response, { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 }),
  cached: (response) =>
    complete(response, {
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1010,
      prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 200 },
    }),
  reasoning: (response) =>
    complete(response, {
      prompt_tokens: 50,
      completion_tokens: 300,
      total_tokens: 350,
      completion_tokens_details: { reasoning_tokens: 240 },
    }),
  failed: (response) => response.writeHead(500).end(),
  // Three tokens, and nothing more until the client leaves.
  cancelled: (response) => stream(response, 3),
  // Three tokens, and once they are delivered the connection breaks.
  partial: (response) => {
    stream(response, 3);
    breakOff = () => response.destroy();
  },
};
let breakOff = () => {};

const upstream = await startUpstream();
afterAll(() => upstream.close());
upstream.answer = (response, { body, path }) => {
  const { model = "" } = (body ?? {}) as { model?: string };
  if (path.endsWith("/models")) response.writeHead(200).end(JSON.stringify({ data: [] }));
  else answers[model]?.(response);
};

const eurPrice = { currency: "EUR", input: "2", output: "8" };
const cachePrice = { currency: "USD", input: "3", cached_input: "0.3", cache_write: "3.75", output: "15" };
const reasoningPrice = { currency: "USD", input: "1", output: "4", reasoning: "6" };
const endpoint = (model: string, upstreamModel: string, price: object, provider = "own") => ({
  provider,
  model: `golden/${model}`,
  upstream_model: upstreamModel,
  apis: ["chat"],
  price,
});
const endpoints = [
  endpoint("cached", "cached", cachePrice),
  endpoint("reasoning", "reasoning", reasoningPrice),
  endpoint("failed", "failed", eurPrice),
  endpoint("cancelled", "cancelled", eurPrice),
  endpoint("partial", "partial", eurPrice),
  endpoint("free", "plain", { currency: "EUR", input: "0", output: "0" }),
  endpoint("byok", "plain", eurPrice, "theirs"),
];
const server = await startTestServer({
  // 1.25 USD for 1 EUR, so that every figure below ends.
  settings: { OWN_API_KEY: "secret", ALLOW_PRIVATE_HOSTS: "127.0.0.1", EUR_USD_RATE: "1.25" },
  overlay: {
    providers: [
      { slug: "own", name: "Own", base_url: `${upstream.origin}/v1` },
      { slug: "theirs", name: "Theirs", base_url: `${upstream.origin}/v1` },
    ],
    models: endpoints.map(({ model }) => ({ id: model, context_length: 8192 })),
    endpoints,
  },
});
const { post, services } = server;

const messages = [{ role: "user", content: "Four" }];
const ask = (model: string, more: object = {}, signal?: AbortSignal) =>
  post("/chat/completions", { model: `golden/${model}`, messages, ...more }, signal && { signal });

/** What is stored of a generation, as plain text. */
async function costs(id: string | null) {
  await services.billing.drain();
  const { generation } = services.database.prisma;
  const row = await generation.findUniqueOrThrow({ where: { id: id ?? "" } });
  return {
    status: row.status,
    eur: row.cost_pico_eur.toFixed(0),
    usd: row.cost_pico_usd.toFixed(0),
    upstreamUsd: row.upstream_pico_usd.toFixed(0),
  };
}
const idOf = (response: Response) => response.headers.get("x-generation-id");

async function charged(model: string) {
  const response = await ask(model);
  const { usage } = (await response.json()) as { usage: Record<string, unknown> };
  return { usage, ...(await costs(idOf(response))) };
}

/** Reads `count` events with text of a stream. */
async function readTokens(response: Response, count: number) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; (text.match(/"content":"w/g) ?? []).length < count; ) {
    const part = await reader?.read();
    if (!part || part.done) throw new Error(`The stream ended after ${text}`);
    text += decoder.decode(part.value, { stream: true });
  }
  return reader;
}

async function stored(id: string | null) {
  const { generation } = services.database.prisma;
  await vi.waitFor(async () => expect(await generation.count({ where: { id: id ?? "" } })).toBe(1), 10_000);
  return costs(id);
}

test("cached: tokens read from and written to a cache have their own prices", async () => {
  // 1,000 in: 700 read at 0.30, 200 written at 3.75, so 100 at 3; 10 out at 15 USD a million. In USD:
  // 100 × 0.000003 = 0.0003; 700 × 0.0000003 = 0.00021; 200 × 0.00000375 = 0.00075; together 0.00126;
  // 10 × 0.000015 = 0.00015; 0.00141 in all. In EUR 0.00141 / 1.25 = 0.001128.
  const { usage, ...cost } = await charged("cached");
  expect(cost).toEqual({
    status: "completed",
    usd: "1410000000",
    upstreamUsd: "1410000000",
    eur: "1128000000",
  });
  expect(usage).toMatchObject({
    cost: 0.00141,
    cost_eur: 0.001128,
    cost_details: {
      upstream_inference_uncached_prompt_cost: 0.0003,
      upstream_inference_cache_read_cost: 0.00021,
      upstream_inference_cache_write_cost: 0.00075,
      upstream_inference_prompt_cost: 0.00126,
      upstream_inference_completions_cost: 0.00015,
      upstream_inference_cost: 0.00141,
    },
  });
});

test("reasoning: reasoning tokens are part of the output, with their own price", async () => {
  // 50 in at 1: 0.00005. 300 out, of which 240 reasoning at 6 and 60 text at 4 USD a million:
  // 240 × 0.000006 = 0.00144; 60 × 0.000004 = 0.00024; 0.00168. In all 0.00173 USD; / 1.25 = 0.001384 EUR.
  const { usage, ...cost } = await charged("reasoning");
  expect(cost).toEqual({
    status: "completed",
    usd: "1730000000",
    upstreamUsd: "1730000000",
    eur: "1384000000",
  });
  expect(usage).toMatchObject({
    completion_tokens: 300,
    cost: 0.00173,
    cost_details: { upstream_inference_completions_cost: 0.00168 },
  });
});

test("free: a price of zero charges nothing, whatever was used", async () => {
  // 1,000 × 0 + 200 × 0 = 0.
  const { usage, ...cost } = await charged("free");
  expect(cost).toEqual({ status: "completed", usd: "0", upstreamUsd: "0", eur: "0" });
  expect(usage).toMatchObject({ prompt_tokens: 1000, completion_tokens: 200, cost: 0, cost_eur: 0 });
});

test("failed: a provider that answers only an error costs nothing", async () => {
  // No token came in or out: 0.
  const response = await ask("failed");
  expect(response.status).toBeGreaterThanOrEqual(500);
  await response.text();
  expect(await stored(idOf(response))).toEqual({ status: "failed", usd: "0", upstreamUsd: "0", eur: "0" });
});

test("cancelled: the input and the output until the client left are charged", async () => {
  // The messages are 34 bytes as JSON, 8.5 times 4: 9 tokens of estimate, at 2: 0.000018. 3 tokens had come, at
  // 8 EUR a million: 0.000024. Together 0.000042 EUR; × 1.25 = 0.0000525 USD.
  const leaving = new AbortController();
  const response = await ask("cancelled", { stream: true }, leaving.signal);
  await readTokens(response, 3);
  leaving.abort();
  expect(await stored(idOf(response))).toEqual({
    status: "cancelled",
    eur: "42000000",
    usd: "52500000",
    upstreamUsd: "52500000",
  });
});

test("partial: the input and the output until the stream broke are charged", async () => {
  // As cancelled: 9 × 0.000002 + 3 × 0.000008 = 0.000042 EUR, 0.0000525 USD.
  const response = await ask("partial", { stream: true });
  const reader = await readTokens(response, 3);
  breakOff();
  while (!(await reader?.read())?.done);
  expect(await stored(idOf(response))).toEqual({
    status: "failed",
    eur: "42000000",
    usd: "52500000",
    upstreamUsd: "52500000",
  });
});

test("BYOK: nothing is charged, and the provider's own cost is recorded", async () => {
  const made = await post("/byok", { provider: "theirs", name: "Ours", key: "sk-own-0123456789" });
  expect(made.status).toBe(201);
  // 1,000 × 0.000002 + 200 × 0.000008 = 0.0036 EUR, × 1.25 = 0.0045 USD: the provider's bill, none of ours.
  const { usage, ...cost } = await charged("byok");
  expect(cost).toEqual({ status: "completed", eur: "0", usd: "0", upstreamUsd: "4500000000" });
  expect(usage).toMatchObject({
    is_byok: true,
    cost: 0,
    cost_eur: 0,
    cost_details: { upstream_inference_cost: 0.0045 },
  });
});

test("rerank: a search unit is a query with up to 100 documents", async () => {
  const response = await post("/rerank", {
    model: "sandbox/rerank",
    query: "Which?",
    documents: Array.from({ length: 250 }, (_, at) => `document ${at}`),
    provider: { only: ["sandbox-fr"] },
  });
  // 250 documents are 3 units, at 1 EUR for a thousand searches: 3 × 0.001 = 0.003 EUR, × 1.25 = 0.00375 USD.
  const { usage } = (await response.json()) as { usage: object };
  expect(await costs(idOf(response))).toEqual({
    status: "completed",
    eur: "3000000000",
    usd: "3750000000",
    upstreamUsd: "3750000000",
  });
  expect(usage).toMatchObject({ search_units: 3, cost: 0.00375, cost_eur: 0.003 });
});
