import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { data, dataList } from "#contract/common.ts";
import { ApiKey } from "#contract/key.ts";
import { Invitation, InvitationView, Member, SentInvitation, ServiceAccount } from "#contract/member.ts";
import type { CurrentSession } from "#contract/overview.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken, uuidv7 } from "#server/platform/ids.ts";
import { type Browser, browserOf, ignoreAddressLimit } from "./browser.ts";
import { join, newOrganisation, type Person } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { database } = server.services;
const password = "correct horse battery";

ignoreAddressLimit();

let home: Awaited<ReturnType<typeof newOrganisation>>;
let foreign: Awaited<ReturnType<typeof newOrganisation>>;
const people: Record<string, Person> = {};
const person = (role: string): Person => people[role] as Person;

beforeAll(async () => {
  [home, foreign] = [await newOrganisation(server), await newOrganisation(server)];
  for (const role of ["admin", "member", "viewer"] as const) people[role] = await join(server, home, role);
  people.owner = home;
});

const call = (method: string, path: string, body?: object, key = home.key) =>
  server.send(method, path, { key, ...(body && { body: JSON.stringify(body) }) });
const Members = dataList(Member);

async function invite(email = `${uuidv7()}@example.eu`, role = "member", key = home.key) {
  const made = await answer(SentInvitation, await call("POST", "/invitations", { email, role }, key), 201);
  return { id: made.data.id, email, token: new URL(made.link ?? "").hash.slice(1) };
}
const accept = (token: string, body: object = { name: "Grace", password }, by: Browser | null = null) =>
  by
    ? by.mutate("invitations.accept", { token, ...body })
    : server.post("/invitations/accept", { token, ...body }, { key: null });

/** Somebody new who came by an invitation and is signed in. */
async function comer(
  role = "member",
  into = home,
): Promise<{ browser: Browser; userId: string; email: string }> {
  const { token, email } = await invite(undefined, role, into.key);
  await answer(z.object({}), await accept(token));
  const { id: userId } = await database.prisma.user.findUniqueOrThrow({ where: { email } });
  return { browser: await browserOf(server).signIn(email, password), userId, email };
}

const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 1 };
const statusOf = async (key: string) => (await server.post("/completions", asked, { key })).status;

describe("an invitation", () => {
  test("brings its holder in with the role it names, once", async () => {
    const { token, email } = await invite(undefined, "viewer");
    const view = await answer(
      data(InvitationView),
      await server.post("/invitations/view", { token }, { key: null }),
    );
    expect(view.data).toMatchObject({ email, role: "viewer", has_account: null });
    expect((await accept(token)).status).toBe(200);
    expect((await accept(token)).status).toBe(404);
    const session = await (await browserOf(server).signIn(email, password)).read<CurrentSession>(
      "session.get",
    );
    expect(session).toMatchObject({ email, role: "viewer", organisation: { id: home.orgId } });
  });

  test("accepted twenty times at once makes one person", async () => {
    const { token, email } = await invite();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => accept(token)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await database.prisma.user.count({ where: { email } })).toBe(1);
  });

  test("is kept as a digest, and neither it nor the password is in the audit log", async () => {
    const { token, email } = await invite();
    await accept(token);
    const { token: open } = await invite();
    const rows = await database.prisma.invitation.findMany();
    const entries = await database.prisma.audit_entry.findMany({ omit: { id: true } });
    const text = JSON.stringify([rows, entries]);
    expect(rows.map(({ digest }) => digest)).toContain(sha256(open));
    for (const secret of [token, open, password]) expect(text).not.toContain(secret);
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["invitation.create", "member.join"]),
    );
    expect(text).toContain(email);
  });

  test.each([
    [
      "ended",
      async (id: string) => database.prisma.$executeRaw`
      update invitation set expires_at = now() where id = ${id}::uuid`,
    ],
    ["taken back", async (id: string) => call("DELETE", `/invitations/${id}`)],
    ["sent again", async (id: string) => call("POST", `/invitations/${id}/resend`, {})],
  ])("that was %s no longer counts, and is answered like one that never was", async (_, end) => {
    const { id, token } = await invite();
    await end(id);
    const [gone, never] = [await accept(token), await accept(randomToken(32))];
    const texts = await Promise.all(
      [gone, never].map(async (each) => (await refusal(each, 404, "token")).message),
    );
    expect(new Set(texts).size).toBe(1);
  });

  test("does not outlive the standing of whoever sent it", async () => {
    const admin = await join(server, home, "admin");
    const { token } = await invite(undefined, "admin", admin.key);
    await answer(data(Member), await call("PATCH", `/members/${admin.userId}`, { role: "member" }));
    expect((await accept(token)).status).toBe(404);
  });

  test("for an address with an account is accepted by that account only, signed in", async () => {
    const { browser, email } = await comer();
    const other = await comer();
    const { token } = await invite(email, "viewer", foreign.key);
    expect((await accept(token)).status).toBe(401);
    expect((await accept(token, {}, other.browser)).status).toBe(403);
    expect((await accept(token, {}, browser)).status).toBe(200);
    const { organisations } = await browser.read<CurrentSession>("session.get");
    expect(organisations.map(({ id }) => id)).toEqual([home.orgId, foreign.orgId]);
  });

  test("asks for what a new account needs, by name", async () => {
    const { token } = await invite();
    await refusal(await accept(token, { password }), 400, "name");
    await refusal(await accept(token, { name: "Grace" }), 400, "password");
    await refusal(await accept(token, { name: "Grace", password: "short" }), 400, "password");
    expect((await accept(token)).status).toBe(200);
  });

  test("for a member answers 409, and for an address invited before replaces that invitation", async () => {
    const { email } = await comer();
    await refusal(await call("POST", "/invitations", { email }), 409, "email");
    const first = await invite();
    const second = await invite(first.email, "viewer");
    expect(second.id).toBe(first.id);
    expect((await accept(first.token)).status).toBe(404);
    expect((await accept(second.token)).status).toBe(200);
  });
});

describe("who may decide", () => {
  test.each(["member", "viewer"])("a %s sees the members and changes nothing", async (role) => {
    const { key } = person(role);
    expect((await call("GET", "/members", undefined, key)).status).toBe(200);
    expect((await call("POST", "/invitations", { email: "a@example.eu" }, key)).status).toBe(403);
    expect((await call("PATCH", `/members/${home.userId}`, { role: "viewer" }, key)).status).toBe(403);
    expect((await call("POST", "/service-accounts", { name: "x" }, key)).status).toBe(403);
  });

  test("an admin makes no owner: not by invitation, not by role, not of themselves", async () => {
    const { key, userId } = person("admin");
    await refusal(
      await call("POST", "/invitations", { email: "o@example.eu", role: "owner" }, key),
      403,
      "role",
    );
    await refusal(await call("PATCH", `/members/${userId}`, { role: "owner" }, key), 403, "role");
    const member = person("member").userId;
    await refusal(await call("PATCH", `/members/${member}`, { role: "owner" }, key), 403, "role");
  });

  test("an admin decides nothing about an owner", async () => {
    const { key } = person("admin");
    await refusal(await call("PATCH", `/members/${home.userId}`, { role: "member" }, key), 403, "role");
    await refusal(await call("PATCH", `/members/${home.userId}`, { disabled: true }, key), 403, "role");
    await refusal(await call("DELETE", `/members/${home.userId}`, undefined, key), 403, "role");
  });

  test("an admin's key of an owner's rights is still an admin's", async () => {
    const admin = await join(server, home, "admin");
    await answer(data(Member), await call("PATCH", `/members/${admin.userId}`, { role: "viewer" }));
    expect((await call("POST", "/invitations", { email: "b@example.eu" }, admin.key)).status).toBe(403);
    expect(await statusOf(admin.key)).toBe(403);
  });
});

describe("the last owner", () => {
  test("can neither leave, nor be removed, nor become less, nor be shut out", async () => {
    const own = await newOrganisation(server);
    const path = `/members/${own.userId}`;
    await refusal(await call("PATCH", path, { role: "admin" }, own.key), 409, null);
    await refusal(await call("PATCH", path, { disabled: true }, own.key), 409, null);
    await refusal(await call("DELETE", path, undefined, own.key), 409, null);
  });

  test("is found among two owners who remove each other at once", async () => {
    const own = await newOrganisation(server);
    const second = await join(server, own, "owner");
    const answers = await Promise.all([
      call("DELETE", `/members/${second.userId}`, undefined, own.key),
      call("DELETE", `/members/${own.userId}`, undefined, second.key),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await database.prisma.member.count({ where: { org_id: own.orgId, role: "owner" } })).toBe(1);
  });
});

describe("leaving", () => {
  test("ends a removed person's keys and session for the organisation, and keeps the other's", async () => {
    const { browser, userId, email } = await comer();
    const { token } = await invite(email, "member", foreign.key);
    await accept(token, {}, browser);
    const key = await join(server, home, "member");
    expect(await statusOf(key.key)).toBe(200);
    await answer(z.object({}), await call("DELETE", `/members/${key.userId}`));
    expect(await statusOf(key.key)).toBe(401);
    const stored = await database.prisma.api_key.findUniqueOrThrow({ where: { id: key.keyId } });
    expect(stored.disabled).toBe(true);
    await answer(z.object({}), await call("DELETE", `/members/${userId}`));
    const session = await browser.read<CurrentSession>("session.get");
    expect(session.organisations.map(({ id }) => id)).toEqual([foreign.orgId]);
  });

  test("is everybody's own right, and leaves a session that belongs nowhere", async () => {
    const { browser } = await comer("viewer");
    expect((await browser.mutate("members.leave")).status).toBe(200);
    expect(await browser.standing()).toBe(403);
    expect((await browser.query("profile.get")).status).toBe(200);
  });

  test("for a while: a disabled member's key and session count again afterwards", async () => {
    const { key, userId } = await join(server, home, "member");
    const { browser, userId: other } = await comer();
    for (const id of [userId, other]) await call("PATCH", `/members/${id}`, { disabled: true });
    expect([await statusOf(key), await browser.standing()]).toEqual([401, 403]);
    for (const id of [userId, other]) await call("PATCH", `/members/${id}`, { disabled: false });
    expect([await statusOf(key), await browser.standing()]).toEqual([200, 200]);
  });
});

describe("another organisation", () => {
  test("sees none of the members, invitations and service accounts", async () => {
    await invite();
    for (const path of ["/members", "/invitations", "/service-accounts"]) {
      const text = await (await call("GET", path, undefined, foreign.key)).text();
      expect(text).not.toContain(home.userId);
      expect(text).not.toContain(person("member").userId);
    }
    const { data: own } = await answer(Members, await call("GET", "/members", undefined, foreign.key));
    expect(own.map(({ user_id }) => user_id)).toContain(foreign.userId);
  });

  test("gets for theirs what it gets for an id that never was", async () => {
    const { id } = await invite();
    const account = await answer(
      data(ServiceAccount),
      await call("POST", "/service-accounts", { name: "Theirs" }),
      201,
    );
    const tries: [string, string, string, object?][] = [
      ["PATCH", "/members/", person("member").userId, { role: "viewer" }],
      ["DELETE", "/members/", person("member").userId],
      ["DELETE", "/invitations/", id],
      ["DELETE", "/service-accounts/", account.data.user_id],
    ];
    for (const [method, path, theirs, body] of tries) {
      const answers = [theirs, uuidv7()].map(async (each) => {
        const response = await call(method, path + each, body, foreign.key);
        const { error } = (await response.json()) as { error: object };
        return [response.status, error];
      });
      const [foreignId, unknown] = await Promise.all(answers);
      expect(foreignId).toEqual(unknown);
      expect(foreignId?.[0]).toBe(404);
    }
    expect((await call("POST", `/invitations/${id}/resend`, {}, foreign.key)).status).toBe(404);
    const key = { name: "x", service_account_id: account.data.user_id };
    expect((await call("POST", "/keys", key, foreign.key)).status).toBe(404);
  });
});

describe("a service account", () => {
  const create = async (role = "member") =>
    (
      await answer(
        data(ServiceAccount),
        await call("POST", "/service-accounts", { name: "Search backend", role }),
        201,
      )
    ).data.user_id;
  const keyFor = async (service_account_id: string, more: object = {}) =>
    (
      await answer(
        data(ApiKey).extend({ key: z.string() }),
        await call("POST", "/keys", { name: "Machine", service_account_id, ...more }),
        201,
      )
    ).key;

  test("has keys that work, no address, and no say in a person's place", async () => {
    const id = await create();
    const key = await keyFor(id, { permissions: ["inference:use", "keys:write"] });
    expect(await statusOf(key)).toBe(200);
    const me = (await (await call("GET", "/me", undefined, key)).json()) as { user_id: string };
    expect(me).toMatchObject({ user_id: id, email: null, org_id: home.orgId });
    const preference = {
      callback_url: "https://app.example.eu/",
      code_challenge: sha256(randomToken(32)),
      code_challenge_method: "S256",
    };
    expect((await call("POST", "/auth/keys/authorize", preference, key)).status).toBe(403);
    expect((await call("POST", "/auth/keys/code", preference, key)).status).toBe(200);
  });

  test("has no more rights than its role, and is never an owner", async () => {
    const viewer = await create("viewer");
    const preference = { name: "x", service_account_id: viewer, permissions: ["keys:write"] };
    await refusal(await call("POST", "/keys", preference), 403, "permissions");
    await refusal(await call("POST", "/service-accounts", { name: "x", role: "owner" }), 400, "role");
    await refusal(await call("PATCH", `/members/${viewer}`, { role: "owner" }), 400, "role");
  });

  test("outlives the person who made it, and ends with its keys", async () => {
    const admin = await join(server, home, "admin");
    const made = await answer(
      data(ServiceAccount),
      await call("POST", "/service-accounts", { name: "Kept" }, admin.key),
      201,
    );
    const key = await keyFor(made.data.user_id);
    await answer(z.object({}), await call("DELETE", `/members/${admin.userId}`));
    expect(await statusOf(key)).toBe(200);
    await answer(z.object({}), await call("DELETE", `/service-accounts/${made.data.user_id}`));
    expect(await statusOf(key)).toBe(401);
  });
});

test("a session shows the organisation chosen in it, which only members can choose", async () => {
  const { browser, email } = await comer();
  expect((await browser.mutate("session.switchOrganisation", { org_id: foreign.orgId })).status).toBe(404);
  const { token } = await invite(email, "viewer", foreign.key);
  await accept(token, {}, browser);
  expect((await browser.read<CurrentSession>("session.get")).organisation.id).toBe(home.orgId);
  expect((await browser.mutate("session.switchOrganisation", { org_id: foreign.orgId })).status).toBe(200);
  expect(await browser.read<CurrentSession>("session.get")).toMatchObject({
    role: "viewer",
    organisation: { id: foreign.orgId },
  });
  expect((await browser.mutate("members.leave")).status).toBe(200);
  expect((await browser.read<CurrentSession>("session.get")).organisation.id).toBe(home.orgId);
});

test("the invitations of the organisation are listed without their tokens", async () => {
  const { token, id } = await invite();
  const list = await answer(dataList(Invitation), await call("GET", "/invitations"));
  expect(list.data.map((each) => each.id)).toContain(id);
  expect(JSON.stringify(list)).not.toContain(token);
});
