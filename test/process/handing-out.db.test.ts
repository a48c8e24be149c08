import { describe, expect, test } from "vitest";
import { data, dataList } from "#contract/common.ts";
import { ApiKey, type CreatedKey } from "#contract/key.ts";
import { Invitation, InvitationView, SentInvitation, ServiceAccount } from "#contract/member.ts";
import { type Permission, permissionsOf } from "#server/access/permissions.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { type Browser, browserOf, ignoreAddressLimit } from "./browser.ts";
import { codeFor, exchange } from "./connecting.ts";
import { join, newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { database } = server.services;
ignoreAddressLimit();
const home = await newOrganisation(server);
const admin = await join(server, home, "admin");

const call = (method: string, path: string, body?: object, key = home.key) =>
  server.send(method, path, { key, ...(body && { body: JSON.stringify(body) }) });
const fresh = () => `${uuidv7()}@example.eu`;

async function keyWith(
  permissions: readonly Permission[],
  bounds: object = {},
  by = home.key,
): Promise<CreatedKey> {
  const response = await call("POST", "/keys", { name: "Made", permissions, ...bounds }, by);
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedKey;
}
const members = [...permissionsOf("member"), "members:write"] as const;

describe("a key hands out only what it has", () => {
  test("one with members:write alone invites nobody, and gets no link", async () => {
    const { key } = await keyWith(["members:write"]);
    for (const role of ["owner", "admin", "member", "viewer"]) {
      const response = await call("POST", "/invitations", { email: fresh(), role }, key);
      await refusal(response, 403, "role");
    }
  });

  test("one with all that a member has invites members and viewers, and nobody above them", async () => {
    const { key } = await keyWith(members);
    for (const role of ["member", "viewer"])
      await answer(SentInvitation, await call("POST", "/invitations", { email: fresh(), role }, key), 201);
    for (const role of ["owner", "admin"])
      await refusal(await call("POST", "/invitations", { email: fresh(), role }, key), 403, "role");
  });

  test.each([
    ["a limit", { limit: 5 }],
    ["an end", { expires_at: "2100-01-01T00:00:00Z" }],
    ["some models", { allowed_models: ["sandbox/chat"] }],
    ["a rate", { requests_per_minute: 5 }],
    ["a workspace", { workspace_id: home.workspaceId }],
  ])("one with %s of its own hands out no role, which could not be bound alike", async (_, bounds) => {
    const { key } = await keyWith([...permissionsOf("owner")], bounds);
    expect((await call("POST", "/invitations", { email: fresh(), role: "viewer" }, key)).status).toBe(403);
    expect((await call("POST", "/service-accounts", { name: "Robot", role: "viewer" }, key)).status).toBe(
      403,
    );
  });

  test("one that can do less than another key does not switch that on, nor widen it, but stops it", async () => {
    const strong = await keyWith([...permissionsOf("owner")], { disabled: true });
    const { key } = await keyWith(["keys:write", "inference:use"]);
    const path = `/keys/${strong.data.hash}`;
    for (const body of [{ disabled: false }, { limit: 5 }, { expires_at: "2100-01-01T00:00:00Z" }])
      await refusal(await call("PATCH", path, body, key), 403, "permissions");
    expect((await call("PATCH", path, { name: "Stopped", disabled: true }, key)).status).toBe(200);
    expect((await call("DELETE", path, undefined, key)).status).toBe(200);
  });
});

describe("an open invitation for an owner", () => {
  test("is neither replaced nor sent again nor taken back by an admin", async () => {
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

describe("whether an address has an account here", () => {
  const password = "correct horse battery";
  const viewOf = async (token: string, by: Browser | null = null) => {
    const asked = by
      ? ((await (await by.mutate("invitations.view", { token })).json()) as { result: { data: unknown } })
          .result.data
      : await (await server.post("/invitations/view", { token }, { key: null })).json();
    return data(InvitationView).parse(asked).data;
  };
  const invite = async (email: string, key: string) =>
    tokenOf(await answer(SentInvitation, await call("POST", "/invitations", { email }, key), 201));

  test("is not told to who invites it to find out, and is to the address itself", async () => {
    const elsewhere = await newOrganisation(server);
    const [known, unknown] = [fresh(), fresh()];
    const joining = { token: await invite(known, home.key), name: "Grace", password };
    expect((await server.post("/invitations/accept", joining, { key: null })).status).toBe(200);
    const [ofKnown, ofUnknown] = [await invite(known, elsewhere.key), await invite(unknown, elsewhere.key)];
    const views = [await viewOf(ofKnown), await viewOf(ofUnknown)];
    expect(views.map(({ has_account }) => has_account)).toEqual([null, null]);
    const stranger = await browserOf(server).signIn(known, password);
    expect((await viewOf(ofUnknown, stranger)).has_account).toBeNull();
    expect((await viewOf(ofKnown, stranger)).has_account).toBe(true);
  });
});

const tokenOf = ({ link }: SentInvitation): string => new URL(link ?? "").hash.slice(1);
const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 1 };
const statusOf = async (key: string) => (await server.post("/completions", asked, { key })).status;

describe("what a key without a limit has made ends with it", () => {
  /** A key that made a key that made a key, and each of the other things a key can make. */
  async function family() {
    const maker = await keyWith([...permissionsOf("owner")]);
    const child = await keyWith(["inference:use", "keys:write"], {}, maker.key);
    const grandchild = await keyWith(["inference:use"], {}, child.key);
    const invitation = await answer(
      SentInvitation,
      await call("POST", "/invitations", { email: fresh() }, maker.key),
      201,
    );
    const robot = await answer(
      data(ServiceAccount),
      await call("POST", "/service-accounts", { name: "Robot" }, maker.key),
      201,
    );
    const ofRobot = await keyWith(["inference:use"], { service_account_id: robot.data.user_id }, maker.key);
    const used = await codeFor(server, "app.example.eu", { key: child.key });
    const issued = (await (await exchange(server, used)).json()) as { key: string };
    const open = await codeFor(server, "app.example.eu", { key: child.key });
    const keys = [child.key, grandchild.key, ofRobot.key, issued.key];
    return { maker, child, invitation, open, keys };
  }

  const unusable = async ({ invitation, open, keys }: Awaited<ReturnType<typeof family>>) => {
    for (const key of keys) expect(await statusOf(key)).toBe(401);
    expect((await exchange(server, open)).status).toBe(403);
    const view = await server.post("/invitations/view", { token: tokenOf(invitation) }, { key: null });
    expect(view.status).toBe(404);
  };

  test("revoked: all of it is gone for good, and each key has an audit row that says who made it", async () => {
    const all = await family();
    for (const key of all.keys) expect(await statusOf(key)).toBe(200);
    const { data: before } = await answer(dataList(ApiKey), await call("GET", "/keys"));
    expect((await call("DELETE", `/keys/${all.maker.data.hash}`)).status).toBe(200);
    await unusable(all);
    const { data: after } = await answer(dataList(ApiKey), await call("GET", "/keys?include_disabled=true"));
    const gone = before.filter(({ id }) => !after.some((one) => one.id === id));
    expect(gone).toHaveLength(5);
    const rows = await database.prisma.audit_entry.findMany({
      where: { action: "api_key.delete", subject_id: { in: gone.map(({ id }) => id) } },
    });
    const makers = rows.map(({ before: row }) => (row as { made_by?: string }).made_by);
    const child = all.child.data.hash;
    expect(makers.toSorted()).toEqual(
      [all.maker.data.hash, all.maker.data.hash, child, child, undefined].toSorted(),
    );
  });

  test("disabled or at its end: all of it rests, and counts again when the key does", async () => {
    const all = await family();
    const path = `/keys/${all.maker.data.hash}`;
    for (const [stop, go] of [
      [() => ({ disabled: true }), { disabled: false }],
      [() => ({ expires_at: new Date(Date.now() + 300).toISOString() }), { expires_at: null }],
    ] as const) {
      expect((await call("PATCH", path, stop())).status).toBe(200);
      await expect.poll(() => statusOf(all.maker.key)).toBe(401);
      await unusable(all);
      expect((await call("PATCH", path, go)).status).toBe(200);
      for (const key of all.keys) expect(await statusOf(key)).toBe(200);
    }
  });

  test("removed with its service account or with its app: what they made goes with them", async () => {
    const robot = await answer(
      data(ServiceAccount),
      await call("POST", "/service-accounts", { name: "R" }),
      201,
    );
    const { user_id } = robot.data;
    const own = await keyWith(["inference:use", "keys:write"], { service_account_id: user_id });
    const child = await keyWith(["inference:use"], {}, own.key);
    expect((await call("DELETE", `/service-accounts/${user_id}`)).status).toBe(200);
    for (const key of [own.key, child.key]) expect(await statusOf(key)).toBe(401);
    expect(await database.prisma.api_key.count({ where: { id: child.data.id } })).toBe(0);
  });
});
