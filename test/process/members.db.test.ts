import { describe, expect, test } from "vitest";
import { z } from "zod";
import { data, dataList } from "#contract/common.ts";
import { ApiKey } from "#contract/key.ts";
import { Member, ServiceAccount } from "#contract/member.ts";
import type { CurrentSession } from "#contract/overview.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken, uuidv7 } from "#server/platform/ids.ts";
import { ignoreAddressLimit } from "./browser.ts";
import { invitationClient } from "./inviting.ts";
import { join, newOrganisation, type Person } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { database } = server.services;

ignoreAddressLimit();

const [home, foreign] = [await newOrganisation(server), await newOrganisation(server)];
const people: Record<string, Person> = { owner: home };
for (const role of ["admin", "member", "viewer"] as const) people[role] = await join(server, home, role);
const person = (role: string): Person => people[role] as Person;
const { call, invite, accept, comer } = invitationClient(server, home);
const Members = dataList(Member);
const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 1 };
const statusOf = async (key: string) => (await server.post("/completions", asked, { key })).status;

describe("permissions of roles", () => {
  test.each(["member", "viewer"])("a %s sees the members and changes nothing", async (role) => {
    const { key } = person(role);
    expect((await call("GET", "/members", undefined, key)).status).toBe(200);
    expect((await call("POST", "/invitations", { email: "a@example.eu" }, key)).status).toBe(403);
    expect((await call("PATCH", `/members/${home.userId}`, { role: "viewer" }, key)).status).toBe(403);
    expect((await call("POST", "/service-accounts", { name: "x" }, key)).status).toBe(403);
  });

  test("an admin cannot make an owner: not by invitation, not by role, not of themselves", async () => {
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

  test("an admin cannot change or remove an owner", async () => {
    const { key } = person("admin");
    await refusal(await call("PATCH", `/members/${home.userId}`, { role: "member" }, key), 403, "role");
    await refusal(await call("PATCH", `/members/${home.userId}`, { disabled: true }, key), 403, "role");
    await refusal(await call("DELETE", `/members/${home.userId}`, undefined, key), 403, "role");
  });

  test("a key of an admin loses permissions with the role of the admin", async () => {
    const admin = await join(server, home, "admin");
    await answer(data(Member), await call("PATCH", `/members/${admin.userId}`, { role: "viewer" }));
    expect((await call("POST", "/invitations", { email: "b@example.eu" }, admin.key)).status).toBe(403);
    expect(await statusOf(admin.key)).toBe(403);
  });
});

describe("the last owner", () => {
  test("cannot be demoted, disabled or removed", async () => {
    const own = await newOrganisation(server);
    const path = `/members/${own.userId}`;
    await refusal(await call("PATCH", path, { role: "admin" }, own.key), 409, null);
    await refusal(await call("PATCH", path, { disabled: true }, own.key), 409, null);
    await refusal(await call("DELETE", path, undefined, own.key), 409, null);
  });

  test("remains when two owners remove each other at the same time", async () => {
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
  test("ends the keys and the session of a removed person in this organisation only", async () => {
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

  test("is possible for everybody, and leaves a session without an organisation", async () => {
    const { browser } = await comer("viewer");
    expect((await browser.mutate("members.leave")).status).toBe(200);
    expect(await browser.sessionStatus()).toBe(403);
    expect((await browser.query("profile.get")).status).toBe(200);
  });

  test("can be temporary: key and session of a disabled member are valid again afterwards", async () => {
    const { key, userId } = await join(server, home, "member");
    const { browser, userId: other } = await comer();
    for (const id of [userId, other]) await call("PATCH", `/members/${id}`, { disabled: true });
    expect([await statusOf(key), await browser.sessionStatus()]).toEqual([401, 403]);
    for (const id of [userId, other]) await call("PATCH", `/members/${id}`, { disabled: false });
    expect([await statusOf(key), await browser.sessionStatus()]).toEqual([200, 200]);
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

  test("gets the same answer for a foreign id as for an unknown id", async () => {
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

  test("has working keys and no address, and cannot consent for a person", async () => {
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

  test("has only the permissions of its role, and is never an owner", async () => {
    const viewer = await create("viewer");
    const preference = { name: "x", service_account_id: viewer, permissions: ["keys:write"] };
    await refusal(await call("POST", "/keys", preference), 403, "permissions");
    await refusal(await call("POST", "/service-accounts", { name: "x", role: "owner" }), 400, "role");
    await refusal(await call("PATCH", `/members/${viewer}`, { role: "owner" }), 400, "role");
  });

  test("stays when its maker is removed, and its keys end with it", async () => {
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

test("a session shows the organisation chosen in it, and only members can choose it", async () => {
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
