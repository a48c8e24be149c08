import { describe, expect, test } from "vitest";
import { Budget } from "#contract/budget.ts";
import { BudgetPreview } from "#contract/budget-preview.ts";
import { data } from "#contract/common.ts";
import { DryRunAnswer } from "#contract/dry-run-answer.ts";
import { limits } from "#server/platform/limits.ts";
import { errorOf, keyClient } from "./key-client.ts";
import { answer } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { make } = keyClient(server);

let names = 0;
const draftOf = (dimensions: object, more: object = {}) => ({
  ...{ name: `Budget ${names++}`, measure: "requests", limit: 1, period: "month", ...more },
  dimensions: Object.entries(dimensions).map(([dimension, value]) => ({ dimension, value })),
});
const create = async (dimensions: object, more: object = {}) =>
  (await answer(data(Budget), await post("/budgets", draftOf(dimensions, more)), 201)).data;
const ask = (key: string, metadata?: object, body: object = {}) =>
  post(
    "/completions",
    { model: "sandbox/chat", prompt: "Hello.", max_tokens: 8, metadata, ...body },
    { key },
  );
const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;
const choose = (tags: readonly string[]) => send("PUT", "/tags", { body: JSON.stringify({ tags }) });

describe("a budget by a key of metadata", () => {
  test("counts the requests with its value only, whether or not usage is grouped by the key", async () => {
    const { key, data: made } = await make({});
    const budget = await create({ key: made.id, "metadata.team": "research" });
    const first = await ask(key, { team: "research" });
    expect(first.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(await statusOf(key, { team: "research" })).toBe(429);
    expect(await statusOf(key, { team: " research " })).toBe(429);
    for (const metadata of [undefined, {}, { team: "sales" }, { unit: "research" }])
      expect(await statusOf(key, metadata)).toBe(200);
    await choose(["metadata.team"]);
    await services.refreshSnapshot();
    expect(await statusOf(key, { team: "research" })).toBe(429);
    await choose([]);
    await services.billing.drain();
    const { data: read } = await answer(data(Budget), await send("GET", `/budgets/${budget.id}`));
    expect(read).toMatchObject({
      dimensions: [
        { dimension: "key", value: made.id },
        { dimension: "metadata.team", value: "research" },
      ],
      use: { used: 1, counters: 1 },
    });
  });

  test("counts each combination of values separately, with every other dimension", async () => {
    const { key, data: made } = await make({});
    const all = { "metadata.team": null, "metadata.site": null, end_user: null };
    const budget = await create({ ...all, key: made.id, model: "sandbox/chat", person: null });
    const team = { team: "a", site: "b" };
    expect(await statusOf(key, team, { user: "ada" })).toBe(200);
    expect(await statusOf(key, team, { user: "ada" })).toBe(429);
    expect(await statusOf(key, { team: "b", site: "a" }, { user: "ada" })).toBe(200);
    expect(await statusOf(key, team, { user: "bob" })).toBe(200);
    expect(await statusOf(key, { team: "a" }, { user: "ada" })).toBe(200);
    await services.billing.drain();
    const response = await send("GET", `/budgets/${budget.id}/counters?search=bob`);
    const { data: counters } = (await response.json()) as { data: { values: string[] }[] };
    expect(counters.map(({ values }) => values.slice(1))).toEqual([["b", "a", "bob"]]);
  });

  test("refuses over the Messages API too", async () => {
    const { key, data: made } = await make({});
    await create({ key: made.id, "metadata.user_id": "ada" }, { limit: 0 });
    const messages = [{ role: "user", content: "Hello." }];
    const say = (user_id: string) =>
      post("/messages", { model: "sandbox/chat", messages, max_tokens: 8, metadata: { user_id } }, { key });
    expect([(await say("ada")).status, (await say("bob")).status]).toEqual([429, 200]);
  });

  test("stores no secret that a value contains", async () => {
    const { key, data: made } = await make({});
    const budget = await create({ key: made.id, "metadata.team": null });
    const secret = `sk-${"a1B2".repeat(10)}`;
    expect(await statusOf(key, { team: secret })).toBe(200);
    const counters = await (await send("GET", `/budgets/${budget.id}/counters`)).text();
    expect(counters).toContain('"total_count":1');
    expect(counters).not.toContain(secret);
  });

  test("is in the dry run of a request with this metadata", async () => {
    const { key, data: made } = await make({ permissions: ["inference:use", "routing:read"] });
    const shut = await create({ key: made.id, "metadata.team": "research" }, { limit: 0 });
    const dryRun = async (metadata?: object) => {
      const response = await post("/routing-rules/dry-run", { model: "sandbox/chat", metadata }, { key });
      return (await answer(data(DryRunAnswer), response)).data.budgets;
    };
    expect(await dryRun({ team: "research" })).toMatchObject([{ id: shut.id, stops: true }]);
    expect(await dryRun({ team: "sales" })).toEqual([]);
    expect(await dryRun()).toEqual([]);
  });

  test("has a preview if the key is a tag of the organisation", async () => {
    const { key, data: made } = await make({});
    await choose(["metadata.team"]);
    await services.refreshSnapshot();
    for (const team of ["a", "a", "a", "b"]) expect(await statusOf(key, { team })).toBe(200);
    expect(await statusOf(key)).toBe(200);
    await services.billing.drain();
    const past = async (dimensions: object) => {
      const draft = draftOf({ key: made.id, ...dimensions }, { limit: 2 });
      return (await answer(data(BudgetPreview), await post("/budgets/preview", draft))).data.past;
    };
    expect(await past({ "metadata.team": null })).toMatchObject({ requests: 4, stopped: 1, highest: 3 });
    expect(await past({ "metadata.team": "b" })).toMatchObject({ requests: 1, stopped: 0, highest: 1 });
    expect(await past({ "metadata.other": null })).toBeNull();
    await choose([]);
  });
});

test.each([
  [{ metadata: "x" }, "dimensions.0.dimension"],
  [{ "metadata.": "x" }, "dimensions.0.dimension"],
  [{ "metadata.a b": "x" }, "dimensions.0.dimension"],
  [{ team: "x" }, "dimensions.0.dimension"],
  [{ "metadata.team": " x" }, "dimensions.0.value"],
  [{ "metadata.team": "x\ny" }, "dimensions.0.value"],
  [{ "metadata.team": "" }, "dimensions.0.value"],
  [Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`metadata.k${at}`, null])), "dimensions"],
])("a budget of %j is refused with the name of the field", async (dimensions, param) => {
  const response = await post("/budgets", draftOf(dimensions));
  expect([response.status, (await errorOf(response)).param]).toEqual([400, param]);
});

test("the budgets of an organisation count by a limited number of keys of metadata", async () => {
  const { tagsMax } = limits.budgets;
  const made: string[] = [];
  for (let at = 0; ; at++) {
    const response = await post("/budgets", draftOf({ workspace: null, [`metadata.many${at}`]: "never" }));
    if (response.status !== 201) {
      expect([response.status, (await errorOf(response)).param]).toEqual([409, "dimensions.1.dimension"]);
      break;
    }
    made.push((await answer(data(Budget), response, 201)).data.id);
    expect(made.length).toBeLessThanOrEqual(tagsMax);
  }
  expect((await post("/budgets", draftOf({ "metadata.many0": null }, { limit: 100 }))).status).toBe(201);
});
