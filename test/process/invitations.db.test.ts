import { describe, expect, test } from "vitest";
import { data, dataList } from "#contract/common.ts";
import { Invitation, InvitationView, Member, SentInvitation } from "#contract/member.ts";
import type { CurrentSession } from "#contract/overview.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken, uuidv7 } from "#server/platform/ids.ts";
import { type Browser, browserOf, ignoreAddressLimit } from "./browser.ts";
import { invitationClient, password, tokenOf } from "./inviting.ts";
import { join, newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { database } = server.services;

ignoreAddressLimit();

const [home, foreign] = [await newOrganisation(server), await newOrganisation(server)];
const admin = await join(server, home, "admin");
const { call, invite, accept, comer } = invitationClient(server, home);
const fresh = () => `${uuidv7()}@example.eu`;

describe("an invitation", () => {
  test("gives its holder the role it names, once", async () => {
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

  test("accepted twenty times at once creates one person", async () => {
    const { token, email } = await invite();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => accept(token)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await database.prisma.user.count({ where: { email } })).toBe(1);
  });

  test("is stored as a digest, and neither it nor the password is in the audit log", async () => {
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
    ["withdrawn", async (id: string) => call("DELETE", `/invitations/${id}`)],
    ["sent again", async (id: string) => call("POST", `/invitations/${id}/resend`, {})],
  ])("that was %s is invalid, and is answered like an unknown one", async (_, end) => {
    const { id, token } = await invite();
    await end(id);
    const [gone, never] = [await accept(token), await accept(randomToken(32))];
    const texts = await Promise.all(
      [gone, never].map(async (each) => (await refusal(each, 404, "token")).message),
    );
    expect(new Set(texts).size).toBe(1);
  });

  test("is invalid once its sender loses the role to send it", async () => {
    const admin = await join(server, home, "admin");
    const { token } = await invite(undefined, "admin", admin.key);
    await answer(data(Member), await call("PATCH", `/members/${admin.userId}`, { role: "member" }));
    expect((await accept(token)).status).toBe(404);
  });

  test("for an address with an account can only be accepted by that account, signed in", async () => {
    const { browser, email } = await comer();
    const other = await comer();
    const { token } = await invite(email, "viewer", foreign.key);
    expect((await accept(token)).status).toBe(401);
    expect((await accept(token, {}, other.browser)).status).toBe(403);
    expect((await accept(token, {}, browser)).status).toBe(200);
    const { organisations } = await browser.read<CurrentSession>("session.get");
    expect(organisations.map(({ id }) => id)).toEqual([home.orgId, foreign.orgId]);
  });

  test("requires the fields of a new account, by name", async () => {
    const { token } = await invite();
    await refusal(await accept(token, { password }), 400, "name");
    await refusal(await accept(token, { name: "Grace" }), 400, "password");
    await refusal(await accept(token, { name: "Grace", password: "short" }), 400, "password");
    expect((await accept(token)).status).toBe(200);
  });

  test("for a member answers 409, and for an invited address replaces the earlier invitation", async () => {
    const { email } = await comer();
    await refusal(await call("POST", "/invitations", { email }), 409, "email");
    const first = await invite();
    const second = await invite(first.email, "viewer");
    expect(second.id).toBe(first.id);
    expect((await accept(first.token)).status).toBe(404);
    expect((await accept(second.token)).status).toBe(200);
  });
});

describe("a pending invitation of an owner", () => {
  test("cannot be replaced, sent again or withdrawn by an admin", async () => {
    const email = fresh();
    const made = await answer(
      SentInvitation,
      await call("POST", "/invitations", { email, role: "owner" }),
      201,
    );
    const { id } = made.data;
    await refusal(await call("POST", "/invitations", { email, role: "viewer" }, admin.key), 403, "role");
    await refusal(await call("POST", `/invitations/${id}/resend`, {}, admin.key), 403, "role");
    await refusal(await call("DELETE", `/invitations/${id}`, undefined, admin.key), 403, "role");
    const { data: open } = await answer(dataList(Invitation), await call("GET", "/invitations"));
    expect(open.find((one) => one.id === id)).toEqual(made.data);
    expect((await server.post("/invitations/view", { token: tokenOf(made) }, { key: null })).status).toBe(
      200,
    );
  });
});

describe("whether an address has an account", () => {
  const viewOf = async (token: string, by: Browser | null = null) => {
    const asked = by
      ? ((await (await by.mutate("invitations.view", { token })).json()) as { result: { data: unknown } })
          .result.data
      : await (await server.post("/invitations/view", { token }, { key: null })).json();
    return data(InvitationView).parse(asked).data;
  };

  test("is not disclosed to the inviter, but to the address itself", async () => {
    const elsewhere = await newOrganisation(server);
    const inviteTo = async (email: string) => (await invite(email, "member", elsewhere.key)).token;
    const [known, unknown] = [fresh(), fresh()];
    const joining = { token: (await invite(known)).token, name: "Grace", password };
    expect((await server.post("/invitations/accept", joining, { key: null })).status).toBe(200);
    const [ofKnown, ofUnknown] = await Promise.all([inviteTo(known), inviteTo(unknown)]);
    const views = [await viewOf(ofKnown), await viewOf(ofUnknown)];
    expect(views.map(({ has_account }) => has_account)).toEqual([null, null]);
    const stranger = await browserOf(server).signIn(known, password);
    expect((await viewOf(ofUnknown, stranger)).has_account).toBeNull();
    expect((await viewOf(ofKnown, stranger)).has_account).toBe(true);
  });
});

test("the invitations of the organisation are listed without their tokens", async () => {
  const { token, id } = await invite();
  const list = await answer(dataList(Invitation), await call("GET", "/invitations"));
  expect(list.data.map((each) => each.id)).toContain(id);
  expect(JSON.stringify(list)).not.toContain(token);
});
