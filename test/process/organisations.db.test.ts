import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { SentInvitation } from "#contract/member.ts";
import { CreatedOrganisation, type ManagedOrganisation } from "#contract/organisation.ts";
import { verifyAudit } from "#server/audit/verify.ts";
import { inferenceHandlers } from "#server/http/inference-handler.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { until } from "#test/until.ts";
import { ignoreAddressLimit } from "./browser.ts";
import { codeFor, exchange } from "./connecting.ts";
import { password } from "./inviting.ts";
import { asked, brokenInvariants, Managed, organisationClient, reason } from "./managed-organisations.ts";
import { operations } from "./operation-plans.ts";
import { faultyModels } from "./overlay.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({ quick: { fr: "ok" }, slow: { fr: "slow:20" } }),
});

const { send, post, services } = server;
const { database } = services;
const { prisma } = database;
const { create, suspend, resume, remove, operatorId, createdOrganisation } = organisationClient(server);

ignoreAddressLimit();

const auditOf = async (orgId: string, about: string) =>
  (
    await prisma.audit_entry.findMany({
      where: { org_id: orgId, subject_id: about },
      orderBy: { position: "asc" },
    })
  ).map(({ action, actor_type, ip_address }) => ({ action, actor_type, ip_address }));

describe("the operator", () => {
  test("creates an organisation with credit, whose owner accepts the link and is its only member", async () => {
    const { id, key, name } = await createdOrganisation("Université de Liège");
    const { data: seen } = await answer(Managed, await send("GET", `/organisations/${id}`));
    expect(seen).toMatchObject({
      ...{ name, slug: "universite-de-liege", state: "active", people: 1, owners: 1, is_operator: false },
      balance: "5.000000",
    });
    expect((await post("/completions", asked, { key })).status).toBe(200);
    const again = await answer(
      CreatedOrganisation,
      await create({ name, owner_email: "second@example.eu" }),
      201,
    );
    expect(again.data.slug).toMatch(/^universite-de-liege-[a-z0-9]{8}$/);
    expect(again.data).toMatchObject({ balance: "0.000000", people: 0, owners: 0 });
  });

  test("finds organisations by a part of their names, and lists its own first", async () => {
    await createdOrganisation("Findable archive");
    const list = async (query: string) =>
      (await (await send("GET", `/organisations${query}`)).json()) as {
        data: ManagedOrganisation[];
        total_count: number;
      };
    const all = await list("");
    expect(all.data[0]).toMatchObject({ is_operator: true, id: await operatorId() });
    expect(all.data.filter(({ is_operator }) => is_operator)).toHaveLength(1);
    expect(all.total_count).toBe(all.data.length);
    expect((await list("?search=findABLE")).data.map(({ name }) => name)).toEqual(["Findable archive"]);
    expect((await list("?limit=1&offset=1")).data[0]?.id).toBe(all.data[1]?.id);
  });

  test("renames an organisation without changing its slug", async () => {
    const { id } = await createdOrganisation("Old name");
    const body = JSON.stringify({ name: "New name" });
    const { data: after } = await answer(Managed, await send("PATCH", `/organisations/${id}`, { body }));
    expect(after).toMatchObject({ name: "New name", slug: expect.stringMatching(/^old-name/) });
  });

  test("invites another owner, and the invitation is invalid once the key that sent it is deleted", async () => {
    const { id, name } = await createdOrganisation();
    const email = `${uuidv7()}@example.eu`;
    const issued = await post("/keys", { name: "Operator", permissions: ["organisations:write"] });
    const { key, data: made } = (await issued.json()) as { key: string; data: { hash: string } };
    const sent = await answer(
      SentInvitation,
      await post(`/organisations/${id}/owners`, { email }, { key }),
      201,
    );
    const token = new URL(sent.link ?? "").hash.slice(1);
    const view = () => post("/invitations/view", { token }, { key: null });
    expect(await (await view()).json()).toMatchObject({ data: { organisation: name, role: "owner" } });
    expect((await send("DELETE", `/keys/${made.hash}`)).status).toBe(200);
    expect((await view()).status).toBe(404);
  });

  test("cannot create an organisation with a limited key", async () => {
    const { key } = (await (
      await post("/keys", { name: "Limited", permissions: ["organisations:write"], limit: 1 })
    ).json()) as { key: string };
    const body = { name: "Never made", owner_email: "x@example.eu" };
    await refusal(await post("/organisations", body, { key }), 403, null);
    expect(await prisma.organisation.count({ where: { name: "Never made" } })).toBe(0);
  });

  test.each([
    [{ name: " ", owner_email: "a@example.eu" }, "name"],
    [{ name: "x", owner_email: "nobody" }, "owner_email"],
    [{ name: "x", owner_email: "a@example.eu", credit: 0 }, "credit"],
    [{ name: "x", owner_email: "a@example.eu", plan: "free" }, null],
  ])("%o is refused, naming the field", async (body, param) => {
    const { error } = ErrorEnvelope.parse(await (await create(body)).json());
    expect([error.code, error.param]).toEqual(["BAD_REQUEST", param ?? error.param]);
  });

  test("cannot suspend or delete its own organisation", async () => {
    const id = await operatorId();
    const { data: own } = await answer(Managed, await send("GET", `/organisations/${id}`));
    await refusal(await post(`/organisations/${id}/suspend`, { reason }), 409, null);
    await refusal(await remove(id, own.name), 409, null);
    expect((await send("GET", "/me")).status).toBe(200);
  });

  test("is recorded in both audit logs: with the actor in its own, without in the other", async () => {
    const { id, name } = await createdOrganisation();
    await send("PATCH", `/organisations/${id}`, { body: JSON.stringify({ name }) });
    await post(`/organisations/${id}/owners`, { email: "more@example.eu" });
    await suspend(id);
    await resume(id);
    await suspend(id);
    expect((await remove(id, name)).status).toBe(200);
    const actions = ["create", "update", "invite_owner", "suspend", "resume", "suspend", "delete"].map(
      (verb) => `organisation.${verb}`,
    );
    const own = (await auditOf(await operatorId(), id)).filter(({ action }) => action !== "credit.adjust");
    expect(own.map(({ action }) => action)).toEqual(actions);
    expect(own.every(({ actor_type, ip_address }) => actor_type === "key" && ip_address !== null)).toBe(true);
    const theirs = await auditOf(id, id);
    expect(theirs).toEqual(actions.map((action) => ({ action, actor_type: "system", ip_address: null })));
    expect((await verifyAudit(database)).broken).toEqual([]);
  });
});

describe("a suspended organisation", () => {
  const reported = async (response: Response) => {
    const { error } = ErrorEnvelope.parse(await response.json());
    expect([response.status, error.code, error.metadata.reason]).toEqual([
      ...[403, "ORGANISATION_SUSPENDED", reason],
    ]);
    expect(error.message).toContain(reason);
  };

  test("is refused on every path of the API that requires a key, with the reason", async () => {
    const { id, key } = await createdOrganisation();
    await suspend(id);
    const paths = operations.flatMap(({ meta: { openapi } }) =>
      openapi && openapi.protect !== false ? [[openapi.method, openapi.path] as const] : [],
    );
    expect(paths.length).toBeGreaterThan(50);
    for (const [method, pattern] of paths) {
      const path = pattern.replace(/\{\w+\}/g, "x");
      const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
      await reported(await send(method, path, { key, ...body }));
    }
    for (const path of inferenceHandlers.keys()) await reported(await post(path, asked, { key }));
    await reported(await send("GET", "/responses/resp_1?stream=true", { key }));
    // Public paths stay open.
    expect((await send("GET", "/models", { key })).status).toBe(200);
  });

  test("shows the reason everywhere in the console, except in the profile and other organisations", async () => {
    const { id, browser, email, name } = await createdOrganisation();
    const other = await createdOrganisation();
    const { id: userId } = await prisma.user.findUniqueOrThrow({ where: { email } });
    await suspend(id);
    for (const { name: procedure, type, meta } of operations) {
      if (meta.scope === undefined) continue;
      const response = await (type === "query" ? browser.query(procedure) : browser.mutate(procedure));
      const { error } = (await response.json()) as { error: { data: { error: object } } };
      expect([procedure, response.status, error.data.error]).toMatchObject([
        ...[procedure, 403, { code: "ORGANISATION_SUSPENDED", metadata: { reason } }],
      ]);
    }
    await reported(await browser.request("POST", "/api/playground/completions", asked));
    expect(await browser.read("profile.get")).toMatchObject({ email });
    expect(await browser.read("session.organisations")).toEqual([{ id, name, suspended_reason: reason }]);
    // A person with another organisation acts for that one.
    await prisma.member.create({ data: { org_id: other.id, user_id: userId, role: "member" } });
    expect(await browser.read("session.get")).toMatchObject({ organisation: { id: other.id } });
    const named = await browser.request("GET", "/api/trpc/session.get", undefined, { "x-org-id": id });
    expect([named.status, await named.text()]).toEqual([403, expect.stringContaining(reason)]);
  });

  test("is refused by other processes too, as soon as they reload the configuration", async () => {
    const { id, key } = await createdOrganisation();
    expect((await post("/completions", asked, { key })).status).toBe(200);
    await prisma.$executeRaw`
      update organisation set suspended_at = now(), suspended_reason = 'x' where id = ${id}::uuid`;
    await prisma.$executeRaw`update config_version set version = version + 1`;
    await until(async () => (await post("/completions", asked, { key })).status === 403);
    await resume(id);
    expect((await post("/completions", asked, { key })).status).toBe(200);
  });

  test("admits nobody: invitations and codes are refused until it is resumed", async () => {
    const { id, key, browser } = await createdOrganisation();
    const invited = await browser.mutate("invitations.create", { email: `${uuidv7()}@example.eu` });
    const { result: sent } = (await invited.json()) as { result: { data: SentInvitation } };
    const token = new URL(sent.data.link ?? "").hash.slice(1);
    const accept = () => post("/invitations/accept", { token, name: "Alan", password }, { key: null });
    const code = await codeFor(server, "app.example.eu", { key });
    await suspend(id);
    await reported(await post("/invitations/view", { token }, { key: null }));
    await reported(await accept());
    await refusal(await exchange(server, code), 403, null);
    await resume(id);
    expect((await accept()).status).toBe(200);
    expect((await exchange(server, code)).status).toBe(200);
  });

  test("has no caller for queued background responses", async () => {
    const { id, key } = await createdOrganisation();
    const caller = services.authenticate({ authorization: `Bearer ${key}` });
    await suspend(id);
    expect(caller?.kind === "key" && services.callerOfKey(caller.keyId)).toBeNull();
  });

  test("pays for requests under way, and works as before once it is resumed", async () => {
    const { id, key } = await createdOrganisation();
    const streaming = await post("/completions", { ...asked, model: "test/slow", stream: true }, { key });
    const reader = streaming.body?.getReader();
    await reader?.read();
    await suspend(id);
    await refusal(await post("/completions", asked, { key }), 403, null);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
    const { status, cost_pico_eur: cost } = await server.record(streaming.headers.get("x-generation-id"));
    expect(status).toBe("completed");
    expect(cost).toBeGreaterThan(0n);
    const resumed = await resume(id);
    expect(resumed).toMatchObject({ state: "active", suspended_at: null, suspended_reason: null });
    expect(Number(resumed.balance)).toBeLessThan(5);
    expect((await post("/completions", asked, { key })).status).toBe(200);
    expect(await brokenInvariants(database)).toEqual([]);
  });
});
