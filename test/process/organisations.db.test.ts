import { describe, expect, test } from "vitest";
import { data } from "#contract/common.ts";
import { ErrorEnvelope } from "#contract/errors.ts";
import { SentInvitation } from "#contract/member.ts";
import { CreatedOrganisation, ManagedOrganisation } from "#contract/organisation.ts";
import { purgeOrganisation } from "#server/accounts/index.ts";
import { verifyAudit } from "#server/audit/verify.ts";
import { auditMoney } from "#server/billing/index.ts";
import { inferenceHandlers } from "#server/http/inference-handler.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { until } from "#test/until.ts";
import { type Browser, browserOf, ignoreAddressLimit } from "./browser.ts";
import { codeFor, connectApp, exchange } from "./connecting.ts";
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
const password = "correct horse battery";

ignoreAddressLimit();

const Managed = data(ManagedOrganisation);
const reason = "The invoice of October is not paid";
const asked = { model: "test/quick", prompt: "x", max_tokens: 4, seed: 5 };
const create = (body: object) => post("/organisations", body);
const suspend = async (id: string) =>
  (await answer(Managed, await post(`/organisations/${id}/suspend`, { reason }))).data;
const resume = async (id: string) =>
  (await answer(Managed, await post(`/organisations/${id}/resume`, {}))).data;
const remove = (id: string, name: string) =>
  send("DELETE", `/organisations/${id}?${new URLSearchParams({ name })}`);

interface OrganisationFixture {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly browser: Browser;
  readonly email: string;
}

/** An organisation that the operator made, whose owner came by the link and has a key that may do everything. */
async function createdOrganisation(name = `Library ${uuidv7()}`): Promise<OrganisationFixture> {
  const email = `${uuidv7()}@example.eu`;
  const made = await answer(CreatedOrganisation, await create({ name, owner_email: email, credit: 5 }), 201);
  const token = new URL(made.link ?? "").hash.slice(1);
  const accepted = await post("/invitations/accept", { token, name: "Grace", password }, { key: null });
  expect(accepted.status).toBe(200);
  const browser = await browserOf(server).signIn(email, password);
  const permissions = [
    ...["inference:use", "activity:read", "keys:read", "keys:write", "routing:read", "routing:write"],
    ...["members:read", "members:write", "audit:read", "broadcast:write", "workspaces:write"],
  ];
  const issued = await browser.mutate("keys.create", { name: "Everything", permissions });
  expect(issued.status).toBe(200);
  const { result } = (await issued.json()) as { result: { data: { key: string } } };
  return { id: made.data.id, name, key: result.data.key, browser, email };
}

const auditOf = async (orgId: string, about: string) =>
  (
    await prisma.audit_entry.findMany({
      where: { org_id: orgId, subject_id: about },
      orderBy: { position: "asc" },
    })
  ).map(({ action, actor_type, ip_address }) => ({ action, actor_type, ip_address }));
const operatorId = async () => {
  const { org_id } = (await (await send("GET", "/me")).json()) as { org_id: string };
  return org_id;
};

describe("whoever runs the installation", () => {
  test("makes an organisation with credit, whose owner comes by the link and is the only one in it", async () => {
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

  test("finds organisations by a part of their names, its own first", async () => {
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

  test("gives an organisation another name, and its slug stays", async () => {
    const { id } = await createdOrganisation("Old name");
    const body = JSON.stringify({ name: "New name" });
    const { data: after } = await answer(Managed, await send("PATCH", `/organisations/${id}`, { body }));
    expect(after).toMatchObject({ name: "New name", slug: expect.stringMatching(/^old-name/) });
  });

  test("invites an owner anew, and one whose key or role is gone invites nobody any more", async () => {
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

  test("does not do it with a key that has limits, which would hand out more than it has", async () => {
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
  ])("%o is refused, and the field is named", async (body, param) => {
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

  test("leaves what it did in both audit logs: in its own with who it was, in the other without", async () => {
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

  test("is refused on every path of the API that needs a key, with the reason", async () => {
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
    // What is open to everybody stays open.
    expect((await send("GET", "/models", { key })).status).toBe(200);
  });

  test("tells its people why everywhere in the console, who keep their profile and other organisations", async () => {
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
    // One who belongs to another organisation too acts for that.
    await prisma.member.create({ data: { org_id: other.id, user_id: userId, role: "member" } });
    expect(await browser.read("session.get")).toMatchObject({ organisation: { id: other.id } });
    const named = await browser.request("GET", "/api/trpc/session.get", undefined, { "x-org-id": id });
    expect([named.status, await named.text()]).toEqual([403, expect.stringContaining(reason)]);
  });

  test("is refused by other processes too, as soon as they read their settings again", async () => {
    const { id, key } = await createdOrganisation();
    expect((await post("/completions", asked, { key })).status).toBe(200);
    await prisma.$executeRaw`
      update organisation set suspended_at = now(), suspended_reason = 'x' where id = ${id}::uuid`;
    await prisma.$executeRaw`update config_version set version = version + 1`;
    await until(async () => (await post("/completions", asked, { key })).status === 403);
    await resume(id);
    expect((await post("/completions", asked, { key })).status).toBe(200);
  });

  test("gets nobody in: an invitation waits until it is resumed, and a code brings no key", async () => {
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

  test("does not answer what waited in the background", async () => {
    const { id, key } = await createdOrganisation();
    const caller = services.authenticate({ authorization: `Bearer ${key}` });
    await suspend(id);
    expect(caller?.kind === "key" && services.callerOfKey(caller.keyId)).toBeNull();
  });

  test("pays for what was under way, and is as it was when it is resumed", async () => {
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
    const unwell = (await auditMoney(database)).filter(({ broken }) => broken > 0);
    expect(unwell).toEqual([]);
  });
});

describe("a deleted organisation", () => {
  test("is suspended first and named", async () => {
    const { id, name } = await createdOrganisation();
    await refusal(await remove(id, name), 409, null);
    await suspend(id);
    await refusal(await remove(id, "Another"), 400, "name");
    expect((await remove(id, name)).status).toBe(200);
    expect((await remove(id, name)).status).toBe(404);
  });

  test("leaves its books and its audit log, and nothing else", async () => {
    const { id, name, key, browser, email } = await createdOrganisation();
    const headers = { "x-title": "Catalogue search" };
    const body = { ...asked, user: "reader-17", session_id: "desk-4" };
    expect((await post("/completions", body, { key, headers })).status).toBe(200);
    const stored = { model: "test/quick", input: "For the record", max_output_tokens: 4 };
    expect((await post("/responses", stored, { key })).status).toBe(200);
    await post("/completions", { ...asked, model: "no/such" }, { key });
    await services.refusedRequests.flush();
    await post("/service-accounts", { name: "Robot" }, { key });
    await post("/workspaces", { name: "Desk" }, { key });
    await post("/routing-rules", { name: "Ours", scope: "org", provider: {} }, { key });
    await connectApp(server, { key, headers: { "idempotency-key": uuidv7() } });
    await services.billing.drain();
    const where = { org_id: id };
    await until(async () => (await prisma.stored_response.count({ where })) === 1);
    const entries = await prisma.audit_entry.count({ where });
    const generations = await prisma.generation.findMany({ where, orderBy: { id: "asc" } });
    const ledger = async () => ({
      transfers: await prisma.ledger_transfer.findMany({ where, orderBy: { id: "asc" } }),
      days: await prisma.usage_day.findMany({ where }),
    });
    const before = await ledger();
    expect(generations.length).toBeGreaterThan(1);

    await suspend(id);
    expect((await remove(id, name)).status).toBe(200);
    await until(async () => (await prisma.refused_request.count({ where })) === 0);
    await until(
      async () => (await prisma.generation.count({ where: { ...where, app_title: { not: null } } })) === 0,
    );

    const holding = await prisma.$queryRaw<{ name: string; column: string }[]>`
      select table_name as name, column_name as column from information_schema.columns
      where table_schema = 'public' and (column_name = 'org_id'
        or column_name = 'account_id' and table_name in ('credit_balance', 'credit_lease')) order by 1`;
    const left: string[] = [];
    for (const { name: table, column } of holding) {
      const rows = await database.statement<{ count: string }>(
        `select count(*) from "${table}" where "${column}" = $1::uuid`,
        [id],
      );
      if (rows[0]?.count !== "0") left.push(table);
    }
    expect(left.filter((table) => table !== "credit_lease")).toEqual([
      ...["audit_entry", "audit_head", "credit_balance", "generation", "ledger_transfer", "usage_day"],
    ]);
    expect(await ledger()).toEqual(before);
    const unnamed = generations.map((row) => ({
      ...row,
      ...{ user_reference: null, session_id: null, app_title: null },
    }));
    expect(await prisma.generation.findMany({ where, orderBy: { id: "asc" } })).toEqual(unnamed);
    // That it was suspended and deleted stands at the end.
    expect(await prisma.audit_entry.count({ where })).toBe(entries + 2);
    expect((await verifyAudit(database)).broken).toEqual([]);
    expect((await auditMoney(database)).filter(({ broken }) => broken > 0)).toEqual([]);
    expect(await prisma.user.count({ where: { name: "Robot" } })).toBe(0);

    expect((await post("/completions", asked, { key })).status).toBe(401);
    expect(await browser.read("profile.get")).toMatchObject({ email });
    expect(await browser.read("session.organisations")).toEqual([]);
    expect((await browser.query("session.get")).status).toBe(403);
  });

  test("pays for what was under way, and what was leased for it comes back", async () => {
    const { id, name, key } = await createdOrganisation();
    const streaming = await post("/completions", { ...asked, model: "test/slow", stream: true }, { key });
    const reader = streaming.body?.getReader();
    await reader?.read();
    await suspend(id);
    expect((await remove(id, name)).status).toBe(200);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
    const made = await server.record(streaming.headers.get("x-generation-id"));
    expect(made).toMatchObject({ status: "completed", org_id: id });
    expect(made.cost_pico_eur).toBeGreaterThan(0n);
    const charge = await prisma.ledger_transfer.findUniqueOrThrow({ where: { id: made.id } });
    expect(charge).toMatchObject({ org_id: id, kind: "usage" });
    expect(BigInt(charge.amount_pico_eur.toFixed(0))).toBe(made.cost_pico_eur);
    expect((await auditMoney(database)).filter(({ broken }) => broken > 0)).toEqual([]);
  });

  test("is forgotten in parts, and nothing of one that exists is touched", async () => {
    const { id, key } = await createdOrganisation();
    const headers = { "x-title": "Kept" };
    expect((await post("/completions", asked, { key, headers })).status).toBe(200);
    await services.billing.drain();
    await purgeOrganisation(database, id);
    expect(await prisma.generation.count({ where: { org_id: id, app_title: "Kept" } })).toBe(1);
  });
});
