import { describe, expect, test } from "vitest";
import { Budget } from "#contract/budget.ts";
import { data, dataList } from "#contract/common.ts";
import { DryRunAnswer } from "#contract/dry-run-answer.ts";
import { errorOf, keyClient } from "./key-client.ts";
import { answer } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { make } = keyClient(server);

let names = 0;
const create = async (body: object) =>
  (await answer(data(Budget), await post("/budgets", { name: `Budget ${names++}`, ...body }), 201)).data;
const read = async (id: string) => (await answer(data(Budget), await send("GET", `/budgets/${id}`))).data;
const ask = (key: string, body: object = {}) =>
  post("/completions", { model: "sandbox/chat", prompt: "Hello.", max_tokens: 8, ...body }, { key });
const patch = (id: string, body: object) => send("PATCH", `/budgets/${id}`, { body: JSON.stringify(body) });
const forKey = (id: string) => ({ dimensions: [{ dimension: "key", value: id }] });

describe("a budget", () => {
  test("of requests refuses with 429, names itself and says when to try again", async () => {
    const { key, data: made } = await make({});
    const budget = await create({
      name: "Two an hour",
      measure: "requests",
      limit: 2,
      period: "hour",
      ...forKey(made.id),
    });
    const first = await ask(key);
    expect(first.status).toBe(200);
    expect(first.headers.get("x-ratelimit-limit-requests")).toBe("2");
    expect(first.headers.get("x-ratelimit-remaining-requests")).toBe("1");
    expect(first.headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+s$/);
    expect((await ask(key)).status).toBe(200);
    const refused = await ask(key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const error = await errorOf(refused);
    expect(error.message).toContain('"Two an hour"');
    expect(error).toMatchObject({
      code: "RATE_LIMIT_EXCEEDED",
      metadata: { limit_of: "budget", budget: { id: budget.id }, resets_at: budget.use.resets_at },
    });
    await services.billing.drain();
    expect((await read(budget.id)).use).toMatchObject({ used: 2, remaining: 0, counters: 1 });
    const raised = await send("PATCH", `/budgets/${budget.id}`, { body: JSON.stringify({ limit: 3 }) });
    expect(raised.status).toBe(200);
    expect((await ask(key)).status).toBe(200);
    expect((await send("DELETE", `/budgets/${budget.id}`)).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
  });

  test("refuses in the shape of Anthropic's errors over the Messages API", async () => {
    const { key, data: made } = await make({});
    await create({ measure: "requests", limit: 0, period: "day", ...forKey(made.id) });
    const messages = [{ role: "user", content: "Hello." }];
    const refused = await post("/messages", { model: "sandbox/chat", messages, max_tokens: 8 }, { key });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
  });

  test.each(["eur", "usd"])(
    "of money in %s refuses with 402 and spends at most its limit",
    async (measure) => {
      const { key, data: made } = await make({});
      const none = await create({ measure, limit: 0, period: "day", ...forKey(made.id) });
      const error = await errorOf(await ask(key));
      expect(error).toMatchObject({ code: "INSUFFICIENT_QUOTA", metadata: { limit_of: "budget" } });
      expect(error.message).toContain(`"${none.name}"`);
      const { needed } = error.metadata as unknown as { needed: number };
      const limit = Number((needed * 3).toFixed(6));
      await send("PATCH", `/budgets/${none.id}`, { body: JSON.stringify({ limit }) });
      const statuses = [];
      for (let at = 0; at < 100; at++) statuses.push((await ask(key)).status);
      expect(statuses[0]).toBe(200);
      expect(statuses.at(-1)).toBe(402);
      await services.billing.drain();
      const { use } = await read(none.id);
      expect(use.used).toBeGreaterThan(0);
      expect(use.used).toBeLessThanOrEqual(limit);
    },
  );

  test("of tokens counts prompts and answers, and shortens an answer that would not fit", async () => {
    const { key, data: made } = await make({});
    const budget = await create({ measure: "tokens", limit: 6_000, period: "day", ...forKey(made.id) });
    const answered = await ask(key, { max_tokens: undefined });
    expect(answered.status).toBe(200);
    expect(Number(answered.headers.get("x-portolan-max-tokens-applied"))).toBeLessThan(6_000);
    expect(answered.headers.get("x-ratelimit-limit-tokens")).toBe("6000");
    const { usage } = (await answered.json()) as { usage: { total_tokens: number } };
    await services.billing.drain();
    expect((await read(budget.id)).use.used).toBe(usage.total_tokens);
    expect((await ask(key, { max_tokens: 6_000 })).status).toBe(429);
  });

  test("of parallel requests is free again when they end", async () => {
    const { key, data: made } = await make({});
    await create({ measure: "concurrency", limit: 2, period: "none", ...forKey(made.id) });
    const together = await Promise.all(Array.from({ length: 6 }, () => ask(key)));
    const refused = together.filter(({ status }) => status === 429);
    expect(together.filter(({ status }) => status === 200)).toHaveLength(6 - refused.length);
    for (const response of refused) expect(response.headers.get("retry-after")).toBe("1");
    for (let at = 0; at < 5; at++) expect((await ask(key)).status).toBe(200);
  });

  test("per end user counts each of them alone, and shows the one with the highest use", async () => {
    const { key, data: made } = await make({});
    const budget = await create({
      measure: "requests",
      limit: 1,
      period: "month",
      dimensions: [{ dimension: "end_user", value: null }, ...forKey(made.id).dimensions],
    });
    expect((await ask(key, { user: "one" })).status).toBe(200);
    expect((await ask(key, { user: "one" })).status).toBe(429);
    expect((await ask(key, { user: "two" })).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
    await services.billing.drain();
    expect((await read(budget.id)).use).toMatchObject({ used: 1, counters: 2 });
  });

  test("of a model does not count other models", async () => {
    const { key, data: made } = await make({});
    await create({
      measure: "requests",
      limit: 0,
      period: "day",
      dimensions: [{ dimension: "model", value: "sandbox/chat" }, ...forKey(made.id).dimensions],
    });
    expect((await ask(key)).status).toBe(429);
    const embedded = await post("/embeddings", { model: "sandbox/embed", input: "Hello." }, { key });
    expect(embedded.status).toBe(200);
  });
});

test("the dry run names the budget that would stop a request", async () => {
  const { key, data: made } = await make({ permissions: ["inference:use", "routing:read"] });
  const open = await create({ measure: "eur", limit: 100, period: "month", ...forKey(made.id) });
  const shut = await create({ measure: "requests", limit: 0, period: "day", ...forKey(made.id) });
  const response = await post("/routing-rules/dry-run", { model: "sandbox/chat" }, { key });
  const { budgets } = (await answer(data(DryRunAnswer), response)).data;
  expect(budgets).toMatchObject([
    { id: shut.id, stops: true, remaining: 0, resets_at: shut.use.resets_at },
    { id: open.id, stops: false, remaining: 100 },
  ]);
});

test("a disabled budget neither counts nor refuses, and keeps what it has counted", async () => {
  const { key, data: made } = await make({});
  const budget = await create({ measure: "requests", limit: 1, period: "month", ...forKey(made.id) });
  expect((await ask(key)).status).toBe(200);
  expect((await ask(key)).status).toBe(429);
  expect((await patch(budget.id, { enabled: false })).status).toBe(200);
  for (let at = 0; at < 3; at++) expect((await ask(key)).status).toBe(200);
  await services.billing.drain();
  expect(await read(budget.id)).toMatchObject({ enabled: false, use: { used: 1 } });
  await patch(budget.id, { enabled: true });
  expect((await ask(key)).status).toBe(429);
});

describe("the list of budgets", () => {
  test("is searched by name and measure, and paged", async () => {
    await create({ name: "Needle in the list", measure: "tokens", limit: 5, period: "minute" });
    const found = await answer(dataList(Budget), await send("GET", "/budgets?search=needle"));
    expect(found).toMatchObject({ total_count: 1, data: [{ name: "Needle in the list" }] });
    const other = await answer(dataList(Budget), await send("GET", "/budgets?search=needle&measure=eur"));
    expect(other.total_count).toBe(0);
    const minutes = await answer(dataList(Budget), await send("GET", "/budgets?search=needle&period=minute"));
    expect(minutes.total_count).toBe(1);
    const disabled = await answer(
      dataList(Budget),
      await send("GET", "/budgets?search=needle&enabled=false"),
    );
    expect(disabled.total_count).toBe(0);
    const page = await answer(dataList(Budget), await send("GET", "/budgets?limit=1"));
    expect(page.data).toHaveLength(1);
    expect(page.total_count).toBeGreaterThan(1);
    await send("DELETE", `/budgets/${found.data[0]?.id}`);
  });

  test.each([
    [{ measure: "tokens", limit: 1.5, period: "day" }, "limit"],
    [{ measure: "tokens", limit: 1, period: "none" }, "period"],
    [{ measure: "concurrency", limit: 1, period: "day" }, "period"],
    [{ measure: "pounds", limit: 1, period: "day" }, "measure"],
    [
      { measure: "eur", limit: 1, period: "day", dimensions: [{ dimension: "key", value: "x" }] },
      "dimensions.0.value",
    ],
    [
      {
        ...{ measure: "eur", limit: 1, period: "day" },
        dimensions: [{ dimension: "workspace", value: "0190a1b2-0000-7000-8000-000000000000" }],
      },
      "dimensions.0.value",
    ],
  ])("refuses %j and names the field", async (body, param) => {
    const response = await post("/budgets", { name: "Wrong", ...body });
    expect([response.status, (await errorOf(response)).param]).toEqual([400, param]);
  });
});
