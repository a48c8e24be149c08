import { beforeAll, describe, expect, test, vi } from "vitest";
import { Identity } from "#contract/identity.ts";
import { ApiKey, type CreatedKey, KeyInfo } from "#contract/key.ts";
import { authorize } from "#server/access/authorize.ts";
import { nameKeys } from "#server/keys/index.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation, generationRow } from "#test/factories.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { database } = services;

type Body = Record<string, unknown>;
interface Problem {
  readonly error: { code: string; message: string; param: string | null; metadata: Body };
}

async function make(body: Body, key?: string): Promise<CreatedKey> {
  const response = await post("/keys", { name: "Made by a test", ...body }, { ...(key && { key }) });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedKey;
}

async function refusal(response: Response) {
  const { error } = (await response.json()) as Problem;
  return { status: response.status, param: error.param, message: error.message };
}

const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 4 };
const complete = (key: string, body: Body = asked) => post("/completions", body, { key });
const patch = (hash: string, body: Body, key?: string) =>
  send("PATCH", `/keys/${hash}`, { body: JSON.stringify(body), ...(key && { key }) });

describe("who the key acts for", () => {
  test("me tells person, organisation and credits, unwrapped and in six digits", async () => {
    const own = await createOrganisation(database, { creditEur: "12.5" });
    await services.refreshSnapshot();
    const me = await (await send("GET", "/me", { key: own.key })).json();
    expect(Identity.strict().parse(me)).toEqual({
      user_id: own.userId,
      email: `${own.userId}@test.example`,
      org_name: "Test organisation",
      org_id: own.orgId,
      plan: "self_hosted",
      credits: { balance: "12.500000", total_credits: "12.500000", total_usage: "0.000000" },
    });
    const credits = await (await send("GET", "/credits", { key: own.key })).json();
    expect(credits).toEqual({ data: { total_credits: "12.500000", total_usage: "0.000000" } });
  });

  test("a key with no permission at all may still ask who it is, and what it may do", async () => {
    const { key, data } = await make({ permissions: [] });
    expect((await send("GET", "/me", { key })).status).toBe(200);
    const { data: info } = (await (await send("GET", "/key", { key })).json()) as { data: KeyInfo };
    expect(KeyInfo.strict().parse(info)).toMatchObject({ hash: data.hash, permissions: [], limit: null });
    expect((await complete(key)).status).toBe(403);
    expect((await send("GET", "/keys", { key })).status).toBe(403);
  });

  test("x-org-id may name the key's organisation and no other", async () => {
    const other = await createOrganisation(database);
    const me = (await (await send("GET", "/me")).json()) as Identity;
    const ask = (orgId: string) => send("GET", "/me", { headers: { "x-org-id": orgId } });
    expect((await ask(me.org_id)).status).toBe(200);
    expect((await ask(other.orgId)).status).toBe(403);
    expect((await ask("nonsense")).status).toBe(403);
    expect((await post("/completions", asked, { headers: { "x-org-id": other.orgId } })).status).toBe(403);
  });
});

describe("the life of a key", () => {
  test("it is shown once, works at once, and is listed without its secret", async () => {
    const made = await make({ name: "  Search  ", limit: 3.25, limit_reset: "monthly" });
    expect(ApiKey.strict().parse(made.data)).toMatchObject({
      name: "Search",
      limit: 3.25,
      limit_remaining: 3.25,
      limit_reset: "monthly",
      usage: 0,
      permissions: ["inference:use"],
      allowed_models: null,
      disabled: false,
      last_used: null,
    });
    expect(made.key.slice(4, 16)).toBe(made.data.hash);
    expect((await complete(made.key)).status).toBe(200);
    const text = await (await send("GET", "/keys")).text();
    expect(text).toContain(made.data.hash);
    expect(text).not.toContain(made.key.slice(16, 59));
  });

  test("lists are paged, newest first, and leave disabled keys out unless asked", async () => {
    const own = await createOrganisation(database);
    await services.refreshSnapshot();
    const names = ["a", "b", "c"];
    for (const name of names) await make({ name, disabled: name === "b" }, own.key);
    const list = async (query: string) => {
      const response = await send("GET", `/keys${query}`, { key: own.key });
      const { data, total_count } = (await response.json()) as { data: ApiKey[]; total_count: number };
      return [data.map(({ name }) => name), total_count];
    };
    expect(await list("")).toEqual([["c", "a", "Test key"], 3]);
    expect(await list("?include_disabled=true&limit=2&offset=1")).toEqual([["b", "a"], 4]);
    expect((await send("GET", "/keys?limit=0")).status).toBe(400);
    const reader = { ...own.caller, permissions: new Set(["keys:read" as const]) };
    const named = await nameKeys(database, authorize(reader, "keys:read", "workspace"));
    expect(named.map((each) => each.name)).toEqual(["c", "b", "a", "Test key"]);
  });

  test("a reset without a limit is refused, when a key is made and when it is changed", async () => {
    const asked = { status: 400, param: "limit_reset" };
    expect(await refusal(await post("/keys", { name: "x", limit_reset: "daily" }))).toMatchObject(asked);
    const { data } = await make({});
    expect(await refusal(await patch(data.hash, { limit_reset: "daily" }))).toMatchObject(asked);
    expect(await refusal(await patch(data.hash, { limit: null, limit_reset: "daily" }))).toMatchObject(asked);
    expect((await patch(data.hash, { limit_reset: null })).status).toBe(200);
    expect((await patch(data.hash, { limit: 5, limit_reset: "daily" })).status).toBe(200);
    const weekly = (await (await patch(data.hash, { limit_reset: "weekly" })).json()) as { data: ApiKey };
    expect(weekly.data).toMatchObject({ limit: 5, limit_reset: "weekly" });
    expect((await patch(data.hash, { limit: null, limit_reset: null })).status).toBe(200);
  });

  test("a change is seen, and what was not sent stays", async () => {
    const { data } = await make({ limit: 5, limit_reset: "daily", allowed_models: ["sandbox/chat"] });
    const changed = (await (await patch(data.hash, { name: "New", limit: 7 })).json()) as { data: ApiKey };
    expect(changed.data).toMatchObject({
      name: "New",
      limit: 7,
      limit_reset: "daily",
      allowed_models: ["sandbox/chat"],
    });
    const cleared = (await (await patch(data.hash, { limit: null, allowed_models: null })).json()) as {
      data: ApiKey;
    };
    expect(cleared.data).toMatchObject({ limit: null, limit_reset: null, allowed_models: null });
    expect(await refusal(await patch(data.hash, { user_id: "x" }))).toMatchObject({
      status: 400,
      param: "user_id",
    });
    expect(await refusal(await patch(data.hash, { limit: -1 }))).toMatchObject({
      status: 400,
      param: "limit",
    });
  });

  test("a limit that is lowered holds for the very next request, and one that is raised lets it through", async () => {
    const { key, data } = await make({ limit: 5 });
    expect((await complete(key)).status).toBe(200);
    for (const [limit, status] of [
      [0, 402],
      [5, 200],
      [0, 402],
      [null, 200],
    ] as const) {
      expect((await patch(data.hash, { limit })).status).toBe(200);
      expect((await complete(key)).status).toBe(status);
    }
  });

  test.each([
    ["disabled", (hash: string) => patch(hash, { disabled: true })],
    ["deleted", (hash: string) => send("DELETE", `/keys/${hash}`)],
  ])("a %s key stops at once here", async (_, stop) => {
    const { key, data } = await make({});
    expect((await complete(key)).status).toBe(200);
    expect((await stop(data.hash)).status).toBe(200);
    expect((await complete(key)).status).toBe(401);
  });

  test("a key revoked by another process stops here within two seconds", async () => {
    const { key, data } = await make({});
    expect((await complete(key)).status).toBe(200);
    await database.transaction(async (tx) => {
      await tx.api_key.update({ where: { public_id: data.hash }, data: { disabled: true } });
      await tx.config_version.update({ where: { id: 1 }, data: { version: { increment: 1 } } });
    });
    await vi.waitFor(async () => expect((await complete(key)).status).toBe(401), {
      timeout: 2000,
      interval: 50,
    });
  });

  test("a key is used until it expires and not after, and cannot be made expired", async () => {
    expect(
      await refusal(await post("/keys", { name: "x", expires_at: "2001-01-01T00:00:00Z" })),
    ).toMatchObject({ status: 400, param: "expires_at" });
    const { key, data } = await make({ expires_at: "2031-01-01T02:00:00+02:00" });
    expect(data.expires_at).toBe("2031-01-01T00:00:00.000Z");
    expect((await complete(key)).status).toBe(200);
  });
});

describe("keys of others", () => {
  test("foreign, unknown and deleted keys answer alike", async () => {
    const other = await createOrganisation(database);
    const foreign = await database.prisma.api_key.findUniqueOrThrow({ where: { id: other.keyId } });
    const bodies = [];
    for (const hash of [foreign.public_id, "AAAAAAAAAAAA"]) {
      for (const response of [
        await send("GET", `/keys/${hash}`),
        await patch(hash, { disabled: true }),
        await send("DELETE", `/keys/${hash}`),
      ]) {
        bodies.push(await refusal(response));
      }
    }
    for (const body of bodies)
      expect(body).toEqual({ status: 404, param: "hash", message: "No such API key" });
    await services.refreshSnapshot();
    expect((await send("GET", "/me", { key: other.key })).status).toBe(200);
  });

  test("a member sees their own keys only, an administrator all of the organisation", async () => {
    const own = await createOrganisation(database);
    await database.prisma.member.updateMany({ where: { user_id: own.userId }, data: { role: "member" } });
    const stranger = await createOrganisation(database);
    await database.prisma.api_key.update({ where: { id: stranger.keyId }, data: { org_id: own.orgId } });
    await services.refreshSnapshot();
    const count = async () =>
      ((await (await send("GET", "/keys", { key: own.key })).json()) as { total_count: number }).total_count;
    expect(await count()).toBe(1);
    await database.prisma.member.updateMany({ where: { user_id: own.userId }, data: { role: "admin" } });
    expect(await count()).toBe(2);
  });
});

describe("a child never exceeds the permissions of the key that creates it", () => {
  let maker: CreatedKey;
  const permissions = ["inference:use", "keys:read", "keys:write"];
  beforeAll(async () => {
    maker = await make({
      permissions,
      allowed_models: ["sandbox/chat"],
      limit: 1,
      expires_at: "2030-01-01T00:00:00Z",
    });
  });

  test.each([
    ["permissions", { permissions: ["routing:read"] }],
    ["allowed_models", { allowed_models: ["sandbox/chat", "sandbox/other"] }],
    ["allowed_models", { allowed_models: null }],
    ["limit", { limit: 1.01 }],
    ["expires_at", { expires_at: "2030-01-01T00:00:01Z" }],
    ["expires_at", { expires_at: null }],
  ])("more %s is refused: %o", async (param, preference) => {
    const response = await post("/keys", { name: "Child", ...preference }, { key: maker.key });
    expect(await refusal(response)).toMatchObject({ status: 403, param: param });
  });

  test("what is left out is inherited", async () => {
    const { data } = await make({}, maker.key);
    expect(data).toMatchObject({ allowed_models: ["sandbox/chat"], expires_at: "2030-01-01T00:00:00.000Z" });
  });

  test("a key cannot change itself, and a limited one only those it made", async () => {
    const self = await patch(maker.data.hash, { limit: null }, maker.key);
    expect(self.status).toBe(403);
    const elsewhere = await make({});
    expect((await patch(elsewhere.data.hash, { name: "x" }, maker.key)).status).toBe(404);
    const child = await make({}, maker.key);
    expect((await patch(child.data.hash, { permissions: ["routing:read"] }, maker.key)).status).toBe(403);
    expect((await patch(child.data.hash, { name: "Renamed" }, maker.key)).status).toBe(200);
  });

  test("a child of a limited key ends with it", async () => {
    const child = await make({}, maker.key);
    expect((await complete(child.key)).status).toBe(200);
    expect((await patch(maker.data.hash, { disabled: true })).status).toBe(200);
    expect((await complete(child.key)).status).toBe(401);
    expect((await patch(maker.data.hash, { disabled: false })).status).toBe(200);
    expect((await complete(child.key)).status).toBe(200);
  });
});

describe("allowed models", () => {
  test("only they are served, also as fallbacks; an empty list allows none", async () => {
    const { key } = await make({ allowed_models: ["sandbox/chat"] });
    expect((await complete(key)).status).toBe(200);
    const other =
      services
        .catalogue()
        .models.keys()
        .find((id) => id !== "sandbox/chat") ?? "";
    const refused = await complete(key, { ...asked, models: [other] });
    expect(await refusal(refused)).toMatchObject({ status: 403, message: expect.stringContaining(other) });
    const none = await make({ allowed_models: [] });
    expect((await complete(none.key)).status).toBe(403);
  });
});

describe("limits", () => {
  const spend = async (key: string, times: number) => {
    const statuses = [];
    for (let at = 0; at < times; at++) statuses.push((await complete(key)).status);
    return statuses;
  };
  /** What a request of these tests may cost at most, asked of the refusal it gets with no money at all. */
  async function bound(): Promise<number> {
    const { key } = await make({ limit: 0 });
    const { error } = (await (await complete(key)).json()) as Problem;
    expect(error).toMatchObject({ code: "INSUFFICIENT_QUOTA", metadata: { limit_of: "key" } });
    return Number(error.metadata.needed_eur);
  }

  test("a key is refused with 402 once its limit is used up, and tells what is left", async () => {
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

  test("keys made by a limited key spend from its limit", async () => {
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

  test("a key tells of all limits that bind it the one of which least is left, wherever it is shown", async () => {
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

  test("a new day opens a daily limit again", async () => {
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

  test("usage is summed by day, week and month, and last_used is kept", async () => {
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
