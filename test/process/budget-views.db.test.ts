import { describe, expect, test } from "vitest";
import { Budget } from "#contract/budget.ts";
import { BudgetCounter } from "#contract/budget-counter.ts";
import { BudgetPreview } from "#contract/budget-preview.ts";
import { data, dataList } from "#contract/common.ts";
import { errorOf, keyClient } from "./key-client.ts";
import { answer } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { make } = keyClient(server);

let names = 0;
const create = async (body: object) =>
  (await answer(data(Budget), await post("/budgets", { name: `Budget ${names++}`, ...body }), 201)).data;
const ask = (key: string, body: object = {}) =>
  post("/completions", { model: "sandbox/chat", prompt: "Hello.", max_tokens: 8, ...body }, { key });
const forKey = (id: string) => ({ dimensions: [{ dimension: "key", value: id }] });

test("the counters of a budget are listed with the highest use first, and searched", async () => {
  const { key, data: made } = await make({});
  const { id } = await create({
    measure: "requests",
    limit: 5,
    period: "month",
    dimensions: [{ dimension: "end_user", value: null }, ...forKey(made.id).dimensions],
  });
  for (const user of ["ada", "bob", "bob", "Carl"]) expect((await ask(key, { user })).status).toBe(200);
  await services.billing.drain();
  const list = async (query: string) =>
    answer(dataList(BudgetCounter), await send("GET", `/budgets/${id}/counters${query}`));
  const all = await list("");
  expect(all.total_count).toBe(3);
  expect(all.data[0]).toMatchObject({ values: ["bob"], used: 2, remaining: 3 });
  expect((await list("?search=CAR")).data).toMatchObject([{ values: ["Carl"], used: 1 }]);
  expect((await list("?limit=1&offset=1")).data).toHaveLength(1);
});

describe("the preview of a budget", () => {
  const preview = async (body: object) =>
    (await answer(data(BudgetPreview), await post("/budgets/preview", { name: "Draft", ...body }))).data;

  test("counts the recorded requests that came after the limit was used up, for each value", async () => {
    const { key, data: made } = await make({});
    const users = ["ada", "ada", "ada", "bob", undefined];
    for (const user of users) expect((await ask(key, { user })).status).toBe(200);
    await services.billing.drain();
    const own = forKey(made.id).dimensions;
    const all = { measure: "requests", period: "month", dimensions: own };
    const each = { ...all, dimensions: [{ dimension: "end_user", value: null }, ...own] };
    expect((await preview({ ...all, limit: 3 })).past).toMatchObject({
      ...{ requests: 5, stopped: 2, exhausted: 1, highest: 5, truncated: false },
    });
    expect((await preview({ ...each, limit: 2 })).past).toMatchObject({
      ...{ requests: 4, stopped: 1, exhausted: 1, highest: 3 },
    });
    expect((await preview({ ...each, limit: 4 })).past).toMatchObject({ stopped: 0, exhausted: 0 });
    const bob = [{ dimension: "end_user", value: "bob" }, ...own];
    expect((await preview({ ...all, dimensions: bob, limit: 0 })).past).toMatchObject({
      ...{ requests: 1, stopped: 1 },
    });
    const usage = await services.database.prisma.generation.aggregate({
      where: { api_key_id: made.id },
      _sum: { cost_pico_eur: true, prompt_tokens: true, completion_tokens: true },
    });
    const { cost_pico_eur: cost, prompt_tokens: prompt, completion_tokens: completion } = usage._sum;
    const money = await preview({ ...all, measure: "eur", period: "total", limit: 1 });
    expect(money.past?.highest).toBeCloseTo(Number(cost) / 1e12, 12);
    const tokens = await preview({ ...all, measure: "tokens", period: "week", limit: 1 });
    expect(tokens.past).toMatchObject({ stopped: 4, highest: (prompt ?? 0) + (completion ?? 0) });
    expect((await preview({ ...all, measure: "concurrency", period: "none", limit: 1 })).past).toBeNull();
  });

  test.each([
    [{ measure: "requests", limit: 0, period: "day" }, 429],
    [{ measure: "eur", limit: 0, period: "week" }, 402],
  ])("of %j shows the refusal that clients get", async (body, status) => {
    const { key, data: made } = await make({});
    const { refusal } = await preview({ ...body, name: "Shut", ...forKey(made.id) });
    const { id } = await create({ ...body, name: "Shut", ...forKey(made.id) });
    const refused = await ask(key);
    const { message, code } = await errorOf(refused);
    const withoutFigures = (text: string) => text.replace(/\d+(?:\.\d+)?(?= s$)|EUR [\d.]+/g, "#");
    expect(withoutFigures(message)).toBe(withoutFigures(refusal.message));
    expect([refused.status, code]).toEqual([refusal.status, refusal.code]);
    expect(refusal.status).toBe(status);
    for (const name of Object.keys(refusal.headers)) expect(refused.headers.get(name)).not.toBeNull();
    await send("DELETE", `/budgets/${id}`);
  });

  test("stores nothing, and refuses what could not be created", async () => {
    await preview({ name: "Never stored", measure: "eur", limit: 1, period: "day" });
    const found = await answer(dataList(Budget), await send("GET", "/budgets?search=never+stored"));
    expect(found.total_count).toBe(0);
    const dimensions = [{ dimension: "key", value: "0190a1b2-0000-7000-8000-000000000000" }];
    const body = { name: "Draft", measure: "eur", limit: 1, period: "day", dimensions };
    const refused = await post("/budgets/preview", body);
    expect([refused.status, (await errorOf(refused)).param]).toEqual([400, "dimensions.0.value"]);
  });
});
