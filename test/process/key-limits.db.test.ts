import { describe, expect, test } from "vitest";
import type { ApiKey, KeyInfo } from "#contract/key.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { generationRow } from "#test/factories.ts";
import { errorOf, keyClient } from "./key-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { database } = services;
const { make, complete, patch } = keyClient(server);

describe("limits", () => {
  const spend = async (key: string, times: number) => {
    const statuses = [];
    for (let at = 0; at < times; at++) statuses.push((await complete(key)).status);
    return statuses;
  };
  /** The most a request of these tests may cost, read from the refusal of a key with a limit of 0. */
  async function bound(): Promise<number> {
    const { key } = await make({ limit: 0 });
    const error = await errorOf(await complete(key));
    expect(error).toMatchObject({ code: "INSUFFICIENT_QUOTA", metadata: { limit_of: "key" } });
    return Number(error.metadata.needed_eur);
  }

  test("a key is refused with 402 once its limit is used up, and shows the remaining limit", async () => {
    const limit = Number(((await bound()) * 3).toFixed(6));
    const { key, data } = await make({ limit });
    const statuses = await spend(key, 200);
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBe(402);
    await services.billing.drain();
    const { data: info } = (await (await send("GET", "/key", { key })).json()) as { data: KeyInfo };
    expect(info.usage).toBeGreaterThan(0);
    expect(info.usage).toBeLessThanOrEqual(limit);
    expect(info.limit_remaining).toBeCloseTo(limit - info.usage, 9);
    expect((await patch(data.hash, { limit: limit * 100 })).status).toBe(200);
    expect((await complete(key)).status).toBe(200);
  });

  test("keys created by a limited key spend from its limit", async () => {
    const limit = Number(((await bound()) * 3).toFixed(6));
    const maker = await make({ limit, permissions: ["inference:use", "keys:write"] });
    const children = [await make({}, maker.key), await make({}, maker.key)];
    for (const { key } of children) await spend(key, 150);
    expect((await complete(maker.key)).status).toBe(402);
    await services.billing.drain();
    const rows = await database.prisma.key_usage.findMany();
    const spent = rows
      .filter(({ holder_id }) => children.some(({ data }) => data.id === holder_id))
      .reduce((sum, row) => sum + Number(row.cost_pico_eur), 0);
    expect(spent).toBeLessThanOrEqual(Number(picoFromDecimal(limit)));
  });

  test("a key shows the limit with the least remaining of all that apply to it, everywhere", async () => {
    const { data: workspace } = (await (
      await post("/workspaces", { name: "Bounded", limit: 7.5 })
    ).json()) as { data: { id: string } };
    const limit = Number(((await bound()) * 40).toFixed(6));
    const permissions = ["inference:use", "keys:read", "keys:write"];
    const maker = await make({ limit, permissions, workspace_id: workspace.id });
    const child = await make({ permissions }, maker.key);
    const narrow = await make({ limit: limit / 2, permissions }, maker.key);
    const grandchild = await make({ permissions }, narrow.key);
    expect(await spend(grandchild.key, 2)).toEqual([200, 200]);
    await services.billing.drain();
    const { data: spent } = (await (await send("GET", "/key", { key: grandchild.key })).json()) as {
      data: KeyInfo;
    };
    expect(spent.usage).toBeGreaterThan(0);
    const left = { ofMaker: limit - spent.usage, ofNarrow: limit / 2 - spent.usage };
    const { data: listed } = (await (await send("GET", "/keys")).json()) as { data: ApiKey[] };
    for (const [{ key, data }, own, effective, remaining] of [
      [maker, limit, limit, left.ofMaker],
      [child, null, limit, left.ofMaker],
      [narrow, limit / 2, limit / 2, left.ofNarrow],
      [grandchild, null, limit / 2, left.ofNarrow],
    ] as const) {
      const { data: info } = (await (await send("GET", "/key", { key })).json()) as { data: KeyInfo };
      const { data: single } = (await (await send("GET", `/keys/${data.hash}`)).json()) as { data: ApiKey };
      for (const shown of [info, single, listed.find(({ hash }) => hash === data.hash)]) {
        expect(shown).toMatchObject({ limit: own, effective_limit: effective });
        expect(shown?.limit_remaining).toBeCloseTo(remaining, 9);
      }
    }
    expect(child.data).toMatchObject({ limit: null, effective_limit: limit, limit_remaining: limit });
    const inWorkspace = await make({ limit: 8, workspace_id: workspace.id });
    expect(inWorkspace.data).toMatchObject({ limit: 8, effective_limit: 7.5 });
    expect(inWorkspace.data.limit_remaining).toBeCloseTo(7.5 - spent.usage, 9);
    const free = await make({});
    expect(free.data).toMatchObject({ limit: null, effective_limit: null, limit_remaining: null });
  });

  test("a daily limit is available again on the next day", async () => {
    const limit = Number(((await bound()) * 2).toFixed(6));
    const { key, data } = await make({ limit, limit_reset: "daily" });
    expect((await spend(key, 200)).at(-1)).toBe(402);
    await services.billing.drain();
    await database.prisma.$executeRaw`
      update key_usage set day = day - 1 where holder_id = ${data.id}::uuid`;
    await database.prisma.$executeRaw`
      update credit_balance set period_start = period_start - interval '1 day' where account_id = ${data.id}::uuid`;
    const { data: info } = (await (await send("GET", `/keys/${data.hash}`)).json()) as { data: ApiKey };
    expect(info).toMatchObject({ limit_remaining: limit, usage_daily: 0 });
    expect((await complete(key)).status).toBe(200);
  });

  test("usage is summed by day, week and month, and last_used is recorded", async () => {
    const { data } = await make({});
    const { org_id, user_id } = await database.prisma.api_key.findUniqueOrThrow({ where: { id: data.id } });
    const own = { orgId: org_id, userId: user_id, keyId: data.id };
    await services.billing.finish(generationRow(own, "0.25"));
    await services.billing.finish(generationRow(own, "0.5", { started_at: "2020-02-03T00:00:00.000Z" }));
    await services.billing.drain();
    const { data: key } = (await (await send("GET", `/keys/${data.hash}`)).json()) as { data: ApiKey };
    expect(key).toMatchObject({ usage: 0.75, usage_daily: 0.25, usage_weekly: 0.25, usage_monthly: 0.25 });
    expect(key.last_used).not.toBeNull();
  });
});
