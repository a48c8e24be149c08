import { beforeAll, describe, expect, test } from "vitest";
import { data, dataList } from "#contract/common.ts";
import { ApiKey, type CreatedKey } from "#contract/key.ts";
import { SentInvitation, ServiceAccount } from "#contract/member.ts";
import { type Permission, permissionsOf } from "#server/access/permissions.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { ignoreAddressLimit } from "./browser.ts";
import { codeFor, exchange } from "./connecting.ts";
import { invitationClient, tokenOf } from "./inviting.ts";
import { keyClient, refusalOf } from "./key-client.ts";
import { newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { database } = server.services;

ignoreAddressLimit();

const home = await newOrganisation(server);
const { call } = invitationClient(server, home);
const { make, complete, patch } = keyClient(server);
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
  ])("a wider %s is refused: %o", async (param, preference) => {
    const response = await server.post("/keys", { name: "Child", ...preference }, { key: maker.key });
    expect(await refusalOf(response)).toMatchObject({ status: 403, param: param });
  });

  test("fields that are not sent are inherited", async () => {
    const { data } = await make({}, maker.key);
    expect(data).toMatchObject({ allowed_models: ["sandbox/chat"], expires_at: "2030-01-01T00:00:00.000Z" });
  });

  test("a key cannot change itself, and a limited key only the keys it made", async () => {
    const self = await patch(maker.data.hash, { limit: null }, maker.key);
    expect(self.status).toBe(403);
    const elsewhere = await make({});
    expect((await patch(elsewhere.data.hash, { name: "x" }, maker.key)).status).toBe(404);
    const child = await make({}, maker.key);
    expect((await patch(child.data.hash, { permissions: ["routing:read"] }, maker.key)).status).toBe(403);
    expect((await patch(child.data.hash, { name: "Renamed" }, maker.key)).status).toBe(200);
  });

  test("a child of a limited key stops working with it", async () => {
    const child = await make({}, maker.key);
    expect((await complete(child.key)).status).toBe(200);
    expect((await patch(maker.data.hash, { disabled: true })).status).toBe(200);
    expect((await complete(child.key)).status).toBe(401);
    expect((await patch(maker.data.hash, { disabled: false })).status).toBe(200);
    expect((await complete(child.key)).status).toBe(200);
  });
});

describe("a key grants only what it has", () => {
  test("a key with only members:write can invite nobody, and gets no link", async () => {
    const { key } = await keyWith(["members:write"]);
    for (const role of ["owner", "admin", "member", "viewer"]) {
      const response = await call("POST", "/invitations", { email: fresh(), role }, key);
      await refusal(response, 403, "role");
    }
  });

  test("a key with the permissions of a member invites members and viewers, and nobody above them", async () => {
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
  ])(
    "a key with %s of its own hands out no role, as a role could not have the same bound",
    async (_, bounds) => {
      const { key } = await keyWith([...permissionsOf("owner")], bounds);
      expect((await call("POST", "/invitations", { email: fresh(), role: "viewer" }, key)).status).toBe(403);
      expect((await call("POST", "/service-accounts", { name: "Robot", role: "viewer" }, key)).status).toBe(
        403,
      );
    },
  );

  test("a key with fewer permissions than another can neither enable nor widen it, but can disable it", async () => {
    const strong = await keyWith([...permissionsOf("owner")], { disabled: true });
    const { key } = await keyWith(["keys:write", "inference:use"]);
    const path = `/keys/${strong.data.hash}`;
    for (const body of [{ disabled: false }, { limit: 5 }, { expires_at: "2100-01-01T00:00:00Z" }])
      await refusal(await call("PATCH", path, body, key), 403, "permissions");
    expect((await call("PATCH", path, { name: "Stopped", disabled: true }, key)).status).toBe(200);
    expect((await call("DELETE", path, undefined, key)).status).toBe(200);
  });
});

const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 1 };
const statusOf = async (key: string) => (await server.post("/completions", asked, { key })).status;

describe("what a key without a limit has made becomes invalid with it", () => {
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

  test("revoking the key deletes all of it, and each key has an audit entry that names its maker", async () => {
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

  test("while the key is disabled or expired all of it is invalid, and valid again afterwards", async () => {
    const all = await family();
    const path = `/keys/${all.maker.data.hash}`;
    for (const [stop, go] of [
      [() => ({ disabled: true }), { disabled: false }],
      [() => ({ expires_at: new Date(Date.now() + 2_000).toISOString() }), { expires_at: null }],
    ] as const) {
      expect((await call("PATCH", path, stop())).status).toBe(200);
      await expect.poll(() => statusOf(all.maker.key), { timeout: 10_000 }).toBe(401);
      await unusable(all);
      expect((await call("PATCH", path, go)).status).toBe(200);
      for (const key of all.keys) expect(await statusOf(key)).toBe(200);
    }
  });

  test("deleting a service account deletes the keys that its keys made", async () => {
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
