import { inspect } from "node:util";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { ProviderCredential } from "#contract/byok.ts";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { browserOf } from "./browser.ts";
import { join, newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const upstream = await startUpstream();
afterAll(() => upstream.close());

const [email, password] = ["owner@example.eu", "a password for tests only"];
const model = (id: string) => ({ id, context_length: 8192 });
const at = (provider: string, id: string) => ({
  provider,
  model: id,
  upstream_model: "theirs",
  price: { currency: "EUR", input: "10", output: "20" },
});
const server = await startTestServer({
  overlay: {
    providers: [
      { slug: "bring-only", name: "Bring only", base_url: `${upstream.origin}/v1` },
      { slug: "shared", name: "Shared", base_url: `${upstream.origin}/v1` },
      { slug: "closed", name: "Closed", base_url: `${upstream.origin}/v1`, byok_supported: false },
    ],
    models: [model("test/own"), model("test/shared"), model("test/other")],
    endpoints: [at("bring-only", "test/own"), at("shared", "test/shared"), at("bring-only", "test/other")],
  },
  settings: {
    ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    SHARED_API_KEY: "installation-secret",
    ADMIN_EMAIL: email,
    ADMIN_PASSWORD: password,
  },
});
const { post, send, record, services } = server;

const secret = "sk-own-canary-0123456789";
const authorizations = () => upstream.received.map(({ headers }) => headers.authorization);
const refusedKeys = new Map<string, number>();
beforeEach(() => {
  upstream.received.length = 0;
  refusedKeys.clear();
  upstream.answer = (response, { headers, path }) => {
    const status = refusedKeys.get(headers.authorization?.slice("Bearer ".length) ?? "") ?? 200;
    const body = path.endsWith("/models")
      ? { data: [] }
      : {
          choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
          usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        };
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify(status === 200 ? body : { error: { message: `no ${secret}` } }));
  };
});

const chat = (name: string, key?: string) =>
  post("/chat/completions", { model: name, messages: [{ role: "user", content: "Hi" }] }, { key });
async function add(own: object): Promise<ProviderCredential> {
  const response = await post("/byok", { name: "Ours", key: secret, ...own });
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: ProviderCredential }).data;
}
const remove = ({ id }: ProviderCredential) => send("DELETE", `/byok/${id}`);

describe("a provider only the organisation has a credential for", () => {
  test("serves that organisation, which the provider bills itself", async () => {
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

  test("serves nobody else, and nobody else sees the credential", async () => {
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

  test("serves the models and keys it is meant for only", async () => {
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

describe("beside the installation's credential", () => {
  test.each([401, 403, 429])(
    "an own one that is answered %i gives way to it, and that is paid for",
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

  test("one in reserve is tried behind it", async () => {
    const made = await add({ provider: "shared", is_fallback: true });
    await chat("test/shared");
    expect(authorizations()).toEqual(["Bearer installation-secret"]);
    refusedKeys.set("installation-secret", 401);
    const response = await chat("test/shared");
    expect(authorizations().slice(1)).toEqual(["Bearer installation-secret", `Bearer ${secret}`]);
    expect((await record(response.headers.get("x-generation-id"))).is_byok).toBe(true);
    await remove(made);
  });

  test("several are tried in their order", async () => {
    const second = await add({ provider: "shared", sort_order: 2, key: "sk-second" });
    const first = await add({ provider: "shared", sort_order: 1, key: "sk-first-1" });
    refusedKeys.set("sk-first-1", 401).set("sk-second", 401);
    await chat("test/shared");
    expect(authorizations()).toEqual(["Bearer sk-first-1", "Bearer sk-second", "Bearer installation-secret"]);
    await remove(first);
    await remove(second);
  });
});

describe("the installation's own, kept in the database", () => {
  test("serves every organisation, which pays the installation's price", async () => {
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

  test("takes the place of the environment's while it is enabled, behind the organisation's own", async () => {
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

  test("is given, changed and taken by nobody but who runs the installation", async () => {
    const stranger = await join(server, await newOrganisation(server), "owner");
    const asStranger = (method: string, path: string, body: object) =>
      send(method, path, { key: stranger.key, body: JSON.stringify(body) });
    const create = { provider: "bring-only", name: "Mine", key: secret };
    expect((await asStranger("POST", "/byok", { ...create, shared: true })).status).toBe(403);
    const own = (await (await asStranger("POST", "/byok", create)).json()) as { data: ProviderCredential };
    expect((await asStranger("PATCH", `/byok/${own.data.id}`, { shared: true })).status).toBe(403);
  });

  test.each([{ is_fallback: true }, { allowed_models: ["test/own"] }, { allowed_api_key_hashes: [] }])(
    "cannot be limited by %o, when it is made or later",
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

test("the secret is in no answer, no record and not in the database as it is", async () => {
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

test("a check tells in words of ours whether the provider accepts it", async () => {
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

test("the console tells whose credential there is, and that its provider can be used", async () => {
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

test("what its last check found stands with it until another key takes its place", async () => {
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

test("a check that was overtaken by a new key is not noted on that one", async () => {
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

test("a credential that is not kept can be checked too, and is told nobody", async () => {
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

test("a credential tells when it last served, the installation's own as well", async () => {
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

test.each([
  [{ provider: "nobody", key: secret, name: "x" }, "provider"],
  [{ provider: "closed", key: secret, name: "x" }, "provider"],
  [{ provider: "shared", key: "short", name: "x" }, "key"],
  [{ provider: "shared", key: secret, name: "x", allowed_models: ["no/model"] }, "allowed_models"],
  [{ provider: "shared", key: secret, name: "x", base_url: "http://10.0.0.1" }, "base_url"],
])("%o is refused for its %s", async (body, param) => {
  const response = await post("/byok", body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});

test("keys a credential is for must be there", async () => {
  const allowed_api_key_hashes = ["A".repeat(12)];
  const response = await post("/byok", {
    provider: "shared",
    key: secret,
    name: "x",
    allowed_api_key_hashes,
  });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { param: "allowed_api_key_hashes" } });
});
