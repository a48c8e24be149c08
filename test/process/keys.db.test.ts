import { describe, expect, test, vi } from "vitest";
import { Identity } from "#contract/identity.ts";
import { ApiKey, KeyInfo } from "#contract/key.ts";
import { authorize } from "#server/access/authorize.ts";
import { nameKeys } from "#server/keys/index.ts";
import { createOrganisation } from "#test/factories.ts";
import { asked, keyClient, refusalOf } from "./key-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { database } = services;
const { make, complete, patch } = keyClient(server);

describe("the owner of a key", () => {
  test("`/me` returns person, organisation and credits, unwrapped and with six digits", async () => {
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
    expect(credits).toEqual({ data: { total_credits: 12.5, total_usage: 0 } });
  });

  test("a key without any permission may still read its owner and its own permissions", async () => {
    const { key, data } = await make({ permissions: [] });
    expect((await send("GET", "/me", { key })).status).toBe(200);
    const { data: info } = (await (await send("GET", "/key", { key })).json()) as { data: KeyInfo };
    expect(KeyInfo.strict().parse(info)).toMatchObject({ hash: data.hash, permissions: [], limit: null });
    expect((await complete(key)).status).toBe(403);
    expect((await send("GET", "/keys", { key })).status).toBe(403);
  });

  test("x-org-id may name only the key's own organisation", async () => {
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
  test("a key is shown once, works at once, and is listed without its secret", async () => {
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

  test("lists are paged, newest first, and omit disabled keys unless requested", async () => {
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

  test("a reset without a limit is refused, when a key is created and when it is changed", async () => {
    const asked = { status: 400, param: "limit_reset" };
    expect(await refusalOf(await post("/keys", { name: "x", limit_reset: "daily" }))).toMatchObject(asked);
    const { data } = await make({});
    expect(await refusalOf(await patch(data.hash, { limit_reset: "daily" }))).toMatchObject(asked);
    expect(await refusalOf(await patch(data.hash, { limit: null, limit_reset: "daily" }))).toMatchObject(
      asked,
    );
    expect((await patch(data.hash, { limit_reset: null })).status).toBe(200);
    expect((await patch(data.hash, { limit: 5, limit_reset: "daily" })).status).toBe(200);
    const weekly = (await (await patch(data.hash, { limit_reset: "weekly" })).json()) as { data: ApiKey };
    expect(weekly.data).toMatchObject({ limit: 5, limit_reset: "weekly" });
    expect((await patch(data.hash, { limit: null, limit_reset: null })).status).toBe(200);
  });

  test("a change is visible, and fields that were not sent stay", async () => {
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
    expect(await refusalOf(await patch(data.hash, { user_id: "x" }))).toMatchObject({
      status: 400,
      param: "user_id",
    });
    expect(await refusalOf(await patch(data.hash, { limit: -1 }))).toMatchObject({
      status: 400,
      param: "limit",
    });
  });

  test("a lowered limit applies to the very next request, and a raised one admits it", async () => {
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
  ])("a %s key stops working at once in this process", async (_, stop) => {
    const { key, data } = await make({});
    expect((await complete(key)).status).toBe(200);
    expect((await stop(data.hash)).status).toBe(200);
    expect((await complete(key)).status).toBe(401);
  });

  test("a key revoked by another process stops working here within two seconds", async () => {
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

  test("a key works until it expires, and cannot be created expired", async () => {
    expect(
      await refusalOf(await post("/keys", { name: "x", expires_at: "2001-01-01T00:00:00Z" })),
    ).toMatchObject({ status: 400, param: "expires_at" });
    const { key, data } = await make({ expires_at: "2031-01-01T02:00:00+02:00" });
    expect(data.expires_at).toBe("2031-01-01T00:00:00.000Z");
    expect((await complete(key)).status).toBe(200);
  });
});

describe("keys of others", () => {
  test("foreign and unknown keys are answered alike", async () => {
    const other = await createOrganisation(database);
    const foreign = await database.prisma.api_key.findUniqueOrThrow({ where: { id: other.keyId } });
    const bodies = [];
    for (const hash of [foreign.public_id, "AAAAAAAAAAAA"]) {
      for (const response of [
        await send("GET", `/keys/${hash}`),
        await patch(hash, { disabled: true }),
        await send("DELETE", `/keys/${hash}`),
      ]) {
        bodies.push(await refusalOf(response));
      }
    }
    for (const body of bodies)
      expect(body).toEqual({ status: 404, param: "hash", message: "No such API key" });
    await services.refreshSnapshot();
    expect((await send("GET", "/me", { key: other.key })).status).toBe(200);
  });

  test("a member sees only their own keys, an administrator all keys of the organisation", async () => {
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

describe("allowed models", () => {
  test("only allowed models are served, also as fallbacks; an empty list allows none", async () => {
    const { key } = await make({ allowed_models: ["sandbox/chat"] });
    expect((await complete(key)).status).toBe(200);
    const other =
      services.catalogues
        .of(null)
        .models.keys()
        .find((id) => id !== "sandbox/chat") ?? "";
    const refused = await complete(key, { ...asked, models: [other] });
    expect(await refusalOf(refused)).toMatchObject({ status: 403, message: expect.stringContaining(other) });
    const none = await make({ allowed_models: [] });
    expect((await complete(none.key)).status).toBe(403);
  });
});
