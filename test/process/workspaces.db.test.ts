import { describe, expect, test } from "vitest";
import { data, dataList } from "#contract/common.ts";
import type { CreatedKey } from "#contract/key.ts";
import { Workspace } from "#contract/workspace.ts";
import { generationRow } from "#test/factories.ts";
import { join, newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { database } = services;
const ours = await newOrganisation(server);
const own = { key: ours.key };

type Body = Record<string, unknown>;
const create = async (body: Body): Promise<Workspace> =>
  (await answer(data(Workspace), await post("/workspaces", body, own), 201)).data;
const patch = (id: string, body: Body, key = ours.key) =>
  send("PATCH", `/workspaces/${id}`, { body: JSON.stringify(body), key });
const get = async (id: string): Promise<Workspace> =>
  (await answer(data(Workspace), await send("GET", `/workspaces/${id}`, own))).data;
const keyIn = async (workspaceId: string, body: Body = {}): Promise<CreatedKey> => {
  const made = await post("/keys", { name: "In it", workspace_id: workspaceId, ...body }, own);
  expect(made.status).toBe(201);
  return (await made.json()) as CreatedKey;
};
const complete = (key: string) =>
  post("/completions", { model: "sandbox/chat", prompt: "x", max_tokens: 4 }, { key });

describe("the life of a workspace", () => {
  test("a reset without a limit is refused, when it is made and when it is changed", async () => {
    const reported = async (response: Response) => {
      const { error } = (await response.json()) as { error: { param: string } };
      return [response.status, error.param];
    };
    const body = JSON.stringify({ name: "Endless", limit_reset: "daily" });
    expect(await reported(await send("POST", "/workspaces", { ...own, body }))).toEqual([400, "limit_reset"]);
    const { id } = await create({ name: "Endless" });
    expect(await reported(await patch(id, { limit_reset: "daily" }))).toEqual([400, "limit_reset"]);
    expect((await patch(id, { limit: 1, limit_reset: "daily" })).status).toBe(200);
    expect((await send("DELETE", `/workspaces/${id}`, own)).status).toBe(200);
  });

  test("it is made, listed by name, changed, and deleted", async () => {
    const made = await create({ name: " Zebra ", description: "Stripes", limit: 5, limit_reset: "weekly" });
    expect(made).toMatchObject({
      name: "Zebra",
      description: "Stripes",
      limit: 5,
      limit_remaining: 5,
      limit_reset: "weekly",
      usage: 0,
    });
    const list = await answer(dataList(Workspace), await send("GET", "/workspaces", own));
    expect(list.data.map(({ name }) => name)).toEqual(["Research", "Zebra"]);
    expect(list.total_count).toBe(2);
    const page = await answer(dataList(Workspace), await send("GET", "/workspaces?limit=1&offset=1", own));
    expect([page.data.map(({ name }) => name), page.total_count]).toEqual([["Zebra"], 2]);
    const { data: changed } = await answer(data(Workspace), await patch(made.id, { limit: 7 }));
    expect(changed).toMatchObject({ name: "Zebra", limit: 7, limit_reset: "weekly" });
    const { data: cleared } = await answer(data(Workspace), await patch(made.id, { limit: null }));
    expect(cleared).toMatchObject({ limit: null, limit_reset: null });
    expect((await send("DELETE", `/workspaces/${made.id}`, own)).status).toBe(200);
    expect((await send("GET", `/workspaces/${made.id}`, own)).status).toBe(404);
    const actions = await database.prisma.audit_entry.findMany({
      where: { org_id: ours.orgId, subject_id: made.id },
      orderBy: { position: "asc" },
    });
    expect(actions.map(({ action }) => action)).toEqual([
      "workspace.create",
      "workspace.update",
      "workspace.update",
      "workspace.delete",
    ]);
  });

  test("an organisation has each name once", async () => {
    const { id } = await create({ name: "Once" });
    await refusal(await post("/workspaces", { name: "Once" }, own), 409, "name");
    await refusal(await patch(ours.workspaceId, { name: "Once" }), 409, "name");
    expect((await send("DELETE", `/workspaces/${id}`, own)).status).toBe(200);
  });

  test("one in use is not deleted, and what uses it is named", async () => {
    const { id } = await create({ name: "Busy" });
    const { data: key } = await keyIn(id);
    const rule = await post("/routing-rules", { name: "In it", scope: "workspace", workspace_id: id }, own);
    const error = await refusal(await send("DELETE", `/workspaces/${id}`, own), 409, null);
    expect(error.metadata.used_by).toEqual({ api_keys: 1, routing_rules: 1 });
    expect((await send("DELETE", `/keys/${key.hash}`, own)).status).toBe(200);
    const { data: made } = (await rule.json()) as { data: { id: string } };
    expect((await send("DELETE", `/routing-rules/${made.id}`, own)).status).toBe(200);
    expect((await send("DELETE", `/workspaces/${id}`, own)).status).toBe(200);
  });

  test("a key moves into a workspace and out again, but not into another organisation's", async () => {
    const { id } = await create({ name: "Moved into" });
    const { data: key } = await keyIn(ours.workspaceId);
    const move = (workspace_id: string | null) =>
      send("PATCH", `/keys/${key.hash}`, { body: JSON.stringify({ workspace_id }), key: ours.key });
    expect(await (await move(id)).json()).toMatchObject({ data: { workspace_id: id } });
    const error = await refusal(await send("DELETE", `/workspaces/${id}`, own), 409, null);
    expect(error.metadata.used_by).toEqual({ api_keys: 1 });
    expect(await (await move(null)).json()).toMatchObject({ data: { workspace_id: null } });
    const theirs = await newOrganisation(server);
    await refusal(await move(theirs.workspaceId), 404, "workspace_id");
    expect((await send("DELETE", `/workspaces/${id}`, own)).status).toBe(200);
  });

  test("members read workspaces; only owners and admins change them; a key inside one never does", async () => {
    const member = await join(server, ours, "member");
    expect((await send("GET", "/workspaces", { key: member.key })).status).toBe(200);
    expect((await post("/workspaces", { name: "Mine" }, { key: member.key })).status).toBe(403);
    const inside = await join(server, ours, "admin", ours.workspaceId);
    expect((await patch(ours.workspaceId, { limit: null }, inside.key)).status).toBe(403);
  });
});

describe("the limit of a workspace", () => {
  /** The maximum cost of a request of these tests, read from its refusal without credit. */
  async function bound(): Promise<number> {
    const { id } = await create({ name: "Penniless", limit: 0 });
    const { key, data: made } = await keyIn(id);
    const error = await refusal(await complete(key), 402, null);
    expect(error.metadata).toMatchObject({ limit_of: "workspace" });
    await send("DELETE", `/keys/${made.hash}`, own);
    await send("DELETE", `/workspaces/${id}`, own);
    return Number(error.metadata.needed_eur);
  }

  async function spendAll(keys: readonly string[]): Promise<number[]> {
    const statuses = [];
    for (let at = 0; at < 200 && statuses.at(-1) !== 402; at++) {
      statuses.push((await complete(keys[at % keys.length] ?? "")).status);
    }
    return statuses;
  }

  test("is shared by all its keys, is shown, and resets on the next day or when it is raised", async () => {
    const limit = Number(((await bound()) * 3).toFixed(6));
    const { id } = await create({ name: "Shared budget", limit, limit_reset: "daily" });
    const keys = [(await keyIn(id)).key, (await keyIn(id)).key];
    const statuses = await spendAll(keys);
    expect([statuses[0], statuses[1], statuses.at(-1)]).toEqual([200, 200, 402]);
    await services.billing.drain();
    const spent = await get(id);
    expect(spent.usage_daily).toBeGreaterThan(0);
    expect(spent.usage).toBeLessThanOrEqual(limit);
    expect(spent.limit_remaining).toBeCloseTo(limit - spent.usage, 9);

    await database.prisma.$executeRaw`update key_usage set day = day - 1 where holder_id = ${id}::uuid`;
    await database.prisma.$executeRaw`
      update credit_balance set period_start = period_start - interval '1 day' where account_id = ${id}::uuid`;
    expect(await get(id)).toMatchObject({ limit_remaining: limit, usage_daily: 0 });
    expect((await spendAll(keys)).slice(-1)).toEqual([402]);
    expect((await patch(id, { limit: limit * 100 })).status).toBe(200);
    expect((await complete(keys[0] ?? "")).status).toBe(200);
  });

  test("what deleted keys have cost stays with the workspace", async () => {
    const { id } = await create({ name: "Past" });
    const { data: key } = await keyIn(id);
    const row = generationRow({ ...ours, keyId: key.id }, "0.25", { workspace_id: id });
    await services.billing.finish(row);
    expect((await send("DELETE", `/keys/${key.hash}`, own)).status).toBe(200);
    await services.billing.drain();
    expect(await get(id)).toMatchObject({ usage: 0.25, usage_daily: 0.25, usage_monthly: 0.25 });
  });

  test("requests with own credentials are counted separately, and against the limit only if a key says so", async () => {
    const { data: apart } = await keyIn(ours.workspaceId, { limit: 1 });
    const { data: counted } = await keyIn(ours.workspaceId, { limit: 1, include_byok_in_limit: true });
    for (const { id } of [apart, counted]) {
      const free = generationRow({ ...ours, keyId: id }, "0", {
        is_byok: true,
        upstream_pico_usd: "579800000000",
        fx_usd_per_eur: "1.1596",
      });
      await services.billing.finish(free);
    }
    await services.billing.drain();
    const shown = async (hash: string) =>
      ((await (await send("GET", `/keys/${hash}`, own)).json()) as { data: Body }).data;
    expect(await shown(apart.hash)).toMatchObject({ usage: 0, byok_usage: 0.5, byok_usage_daily: 0.5 });
    expect((await shown(apart.hash)).limit_remaining).toBe(1);
    expect(await shown(counted.hash)).toMatchObject({ usage: 0, byok_usage: 0.5, limit_remaining: 0.5 });
  });
});
