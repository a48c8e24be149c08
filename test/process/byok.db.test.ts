import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { ProviderCredential } from "#contract/byok.ts";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { browserOf } from "./browser.ts";
import { email, password, secret, startByokServer } from "./byok-server.ts";
import { join, newOrganisation } from "./people.ts";

const { server, upstream, refusedKeys, authorizations, chat, add, remove } = await startByokServer();
const { post, send, record, services } = server;

describe("a provider for which only the organisation has a credential", () => {
  test("serves that organisation, which the provider bills directly", async () => {
    expect((await chat("test/own")).status).toBe(503);
    const made = await add({ provider: "bring-only" });
    const response = await chat("test/own");
    expect(response.status).toBe(200);
    expect(authorizations()).toEqual([`Bearer ${secret}`]);
    const { usage } = (await response.json()) as { usage: Record<string, unknown> };
    expect(usage).toMatchObject({ is_byok: true, cost: 0, cost_eur: 0 });
    expect(usage.cost_details).toMatchObject({ upstream_inference_cost: expect.any(Number) });
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({ is_byok: true, cost_pico_eur: 0n, provider: "bring-only" });
    expect(BigInt(String(row.upstream_pico_usd))).toBeGreaterThan(0n);
    await remove(made);
    expect((await chat("test/own")).status).toBe(503);
  });

  test("serves no other organisation, and no other sees the credential", async () => {
    const made = await add({ provider: "bring-only" });
    const stranger = await join(server, await newOrganisation(server), "owner");
    expect((await chat("test/own", stranger.key)).status).toBe(503);
    const list = await send("GET", "/byok", { key: stranger.key });
    expect(await list.json()).toMatchObject({ data: [] });
    for (const [method, path, body] of [
      ["GET", `/byok/${made.id}`],
      ["PATCH", `/byok/${made.id}`, '{"disabled":true}'],
      ["DELETE", `/byok/${made.id}`],
      ["POST", `/byok/${made.id}/check`, "{}"],
    ] as const)
      expect((await send(method, path, { key: stranger.key, ...(body && { body }) })).status).toBe(404);
    await remove(made);
  });

  test("serves only the allowed models and keys", async () => {
    const made = await add({ provider: "bring-only", allowed_models: ["test/other"] });
    expect((await chat("test/own")).status).toBe(503);
    expect((await chat("test/other")).status).toBe(200);
    const patch = (body: object) => send("PATCH", `/byok/${made.id}`, { body: JSON.stringify(body) });
    expect((await patch({ allowed_models: null, allowed_api_key_hashes: [] })).status).toBe(200);
    expect((await chat("test/own")).status).toBe(503);
    expect((await patch({ allowed_api_key_hashes: null })).status).toBe(200);
    expect((await chat("test/own")).status).toBe(200);
    expect((await patch({ disabled: true })).status).toBe(200);
    expect((await chat("test/own")).status).toBe(503);
    await remove(made);
  });
});

describe("credentials in addition to the installation's", () => {
  test.each([401, 403, 429])(
    "a credential that is answered %i is replaced by the installation's, whose use is billed",
    async (status) => {
      refusedKeys.set(secret, status);
      const made = await add({ provider: "shared" });
      const response = await chat("test/shared");
      expect(response.status).toBe(200);
      expect(authorizations()).toEqual([`Bearer ${secret}`, "Bearer installation-secret"]);
      const row = await record(response.headers.get("x-generation-id"));
      expect(row).toMatchObject({ is_byok: false });
      expect(row.cost_pico_eur).toBeGreaterThan(0n);
      await remove(made);
    },
  );

  test("a fallback credential is tried after the installation's", async () => {
    const made = await add({ provider: "shared", is_fallback: true });
    await chat("test/shared");
    expect(authorizations()).toEqual(["Bearer installation-secret"]);
    refusedKeys.set("installation-secret", 401);
    const response = await chat("test/shared");
    expect(authorizations().slice(1)).toEqual(["Bearer installation-secret", `Bearer ${secret}`]);
    expect((await record(response.headers.get("x-generation-id"))).is_byok).toBe(true);
    await remove(made);
  });

  test("several credentials are tried in their order", async () => {
    const second = await add({ provider: "shared", sort_order: 2, key: "sk-second" });
    const first = await add({ provider: "shared", sort_order: 1, key: "sk-first-1" });
    refusedKeys.set("sk-first-1", 401).set("sk-second", 401);
    await chat("test/shared");
    expect(authorizations()).toEqual(["Bearer sk-first-1", "Bearer sk-second", "Bearer installation-secret"]);
    await remove(first);
    await remove(second);
  });
});

describe("a credential of the installation in the database", () => {
  test("serves every organisation, at the installation's price", async () => {
    const stranger = await join(server, await newOrganisation(server), "owner");
    expect((await chat("test/own", stranger.key)).status).toBe(503);
    const made = await add({ provider: "bring-only", shared: true });
    const response = await chat("test/own", stranger.key);
    expect(response.status).toBe(200);
    expect(authorizations()).toEqual([`Bearer ${secret}`]);
    const row = await record(response.headers.get("x-generation-id"));
    expect(row.is_byok).toBe(false);
    expect(row.cost_pico_eur).toBeGreaterThan(0n);
    expect(await (await send("GET", "/byok", { key: stranger.key })).json()).toMatchObject({ data: [] });
    await remove(made);
    expect((await chat("test/own", stranger.key)).status).toBe(503);
  });

  test("replaces the one in the environment while it is enabled, after the organisation's own", async () => {
    const made = await add({ provider: "shared", shared: true });
    await chat("test/shared");
    const own = await add({ provider: "shared", key: "sk-first-1" });
    refusedKeys.set("sk-first-1", 401);
    await chat("test/shared");
    await send("PATCH", `/byok/${made.id}`, { body: JSON.stringify({ disabled: true }) });
    await remove(own);
    await chat("test/shared");
    expect(authorizations()).toEqual([
      `Bearer ${secret}`,
      "Bearer sk-first-1",
      `Bearer ${secret}`,
      "Bearer installation-secret",
    ]);
    await remove(made);
  });

  test("can be created and changed only by the operator", async () => {
    const stranger = await join(server, await newOrganisation(server), "owner");
    const asStranger = (method: string, path: string, body: object) =>
      send(method, path, { key: stranger.key, body: JSON.stringify(body) });
    const create = { provider: "bring-only", name: "Mine", key: secret };
    expect((await asStranger("POST", "/byok", { ...create, shared: true })).status).toBe(403);
    const own = (await (await asStranger("POST", "/byok", create)).json()) as { data: ProviderCredential };
    expect((await asStranger("PATCH", `/byok/${own.data.id}`, { shared: true })).status).toBe(403);
  });

  test.each([{ is_fallback: true }, { allowed_models: ["test/own"] }, { allowed_api_key_hashes: [] }])(
    "cannot be limited by %o, at creation or later",
    async (limit) => {
      const error = { error: { param: Object.keys(limit)[0] } };
      const refused = await post("/byok", {
        provider: "bring-only",
        name: "x",
        key: secret,
        shared: true,
        ...limit,
      });
      expect([refused.status, await refused.json()]).toMatchObject([400, error]);
      const made = await add({ provider: "bring-only", shared: true });
      const changed = await send("PATCH", `/byok/${made.id}`, { body: JSON.stringify(limit) });
      expect([changed.status, await changed.json()]).toMatchObject([400, error]);
      await remove(made);
    },
  );
});

test("the secret is in no answer, no record and not in the database in clear text", async () => {
  const made = await add({ provider: "bring-only" });
  refusedKeys.set(secret, 401);
  const answers = [
    JSON.stringify(made),
    await (await send("GET", `/byok/${made.id}`)).text(),
    await (await send("PATCH", `/byok/${made.id}`, { body: JSON.stringify({ key: `${secret}x` }) })).text(),
    await (await send("GET", "/byok")).text(),
    await (await chat("test/own")).text(),
    await (await send("POST", `/byok/${made.id}/check`, { body: "{}" })).text(),
    await (await send("GET", "/audit")).text(),
    inspect(await services.database.prisma.provider_credential.findMany(), { depth: 9 }),
    inspect(await services.database.prisma.audit_entry.findMany(), { depth: 9 }),
  ];
  for (const text of answers) expect(text).not.toContain("canary");
  await remove(made);
});

test("a check reports in our own words whether the provider accepts the credential", async () => {
  const made = await add({ provider: "bring-only" });
  const check = async () =>
    ((await (await send("POST", `/byok/${made.id}/check`, { body: "{}" })).json()) as { data: object }).data;
  expect(await check()).toEqual({
    success: true,
    status: 200,
    message: "The provider accepts the credential",
  });
  expect(upstream.received.at(-1)?.path).toBe("/v1/models");
  refusedKeys.set(secret, 401);
  expect(await check()).toEqual({
    success: false,
    status: 401,
    message: "The provider does not accept the credential",
  });
  await remove(made);
});

test("the console shows whose credential exists, and that the provider is usable", async () => {
  const browser = await browserOf(server).signIn(email, password);
  const shown = async (slug: string) =>
    (await browser.read<{ data: CatalogueProvider[] }>("catalogue.providers", {})).data.find(
      (one) => one.slug === slug,
    );
  expect(await shown("shared")).toMatchObject({
    unusable: null,
    credentials: { own: false, installation: true },
  });
  expect(await shown("bring-only")).toMatchObject({
    unusable: "no_credential",
    credentials: { own: false, installation: false },
  });
  const made = await add({ provider: "bring-only" });
  expect(await shown("bring-only")).toMatchObject({
    unusable: null,
    credentials: { own: true, installation: false },
  });
  expect(await browser.read("session.get")).toMatchObject({ operator: true });
  await remove(made);
});

test("the result of the last check is shown until the key is replaced", async () => {
  const made = await add({ provider: "bring-only" });
  expect(made).toMatchObject({ last_check: null, last_used: null, last_four: "6789" });
  const shown = async () =>
    ((await (await send("GET", `/byok/${made.id}`)).json()) as { data: ProviderCredential }).data;
  const replace = (key: string) => send("PATCH", `/byok/${made.id}`, { body: JSON.stringify({ key }) });
  await send("POST", `/byok/${made.id}/check`, { body: "{}" });
  expect(await shown()).toEqual({
    ...made,
    last_check: {
      success: true,
      status: 200,
      message: "The provider accepts the credential",
      at: expect.stringMatching(/^20\d\d-/),
    },
  });
  await replace("AKIAEXAMPLE01234:and its secret part".replaceAll(" ", "-"));
  expect(await shown()).toMatchObject({ last_check: null, last_four: "1234" });
  await replace("short-key");
  expect(await shown()).toMatchObject({ last_four: null });
  await remove(made);
});

test("a check is not recorded when the key was replaced meanwhile", async () => {
  const made = await add({ provider: "bring-only" });
  const { answer } = upstream;
  upstream.answer = async (response, request) => {
    await send("PATCH", `/byok/${made.id}`, { body: '{"key":"sk-another-one"}' });
    answer?.(response, request);
  };
  expect((await send("POST", `/byok/${made.id}/check`, { body: "{}" })).status).toBe(200);
  expect(await (await send("GET", `/byok/${made.id}`)).json()).toMatchObject({ data: { last_check: null } });
  await remove(made);
});

test("a credential can be checked without storing it, and is not disclosed", async () => {
  const stored = () => services.database.prisma.provider_credential.count();
  const before = await stored();
  const check = (body: object) => post("/byok/check", body);
  const accepted = await check({ provider: "bring-only", key: secret });
  expect(await accepted.json()).toEqual({
    data: { success: true, status: 200, message: "The provider accepts the credential" },
  });
  expect(authorizations()).toEqual([`Bearer ${secret}`]);
  refusedKeys.set(secret, 403);
  const refused = await (await check({ provider: "bring-only", key: secret })).text();
  expect(JSON.parse(refused)).toMatchObject({ data: { success: false, status: 403 } });
  expect(refused).not.toContain("canary");
  expect((await check({ provider: "nobody", key: secret })).status).toBe(400);
  expect(await stored()).toBe(before);
});

test("a credential shows when it was last used, the installation's as well", async () => {
  const lastUsed = async ({ id }: ProviderCredential) =>
    (await services.database.prisma.provider_credential.findUniqueOrThrow({ where: { id } })).last_used_at;
  for (const own of [{ provider: "bring-only" }, { provider: "bring-only", shared: true }]) {
    const made = await add(own);
    const response = await chat("test/own");
    const row = await record(response.headers.get("x-generation-id"));
    expect(row.credential_id).toBe(made.id);
    expect(await lastUsed(made)).toEqual(row.started_at);
    await remove(made);
  }
  const response = await chat("test/shared");
  expect((await record(response.headers.get("x-generation-id"))).credential_id).toBeNull();
});
