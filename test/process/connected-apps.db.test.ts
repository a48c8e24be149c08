import { expect, onTestFinished, test, vi } from "vitest";
import type { ConnectedApp } from "#contract/connected-app.ts";
import type { ApiKey } from "#contract/key.ts";
import { codeFor, exchange, keyFor } from "./connecting.ts";
import { join, newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { prisma } = services.database;

const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 4 };
const statusOf = async (key: string) => (await post("/completions", asked, { key })).status;

async function appsOf(key: string, query = ""): Promise<{ data: ConnectedApp[]; total_count: number }> {
  return (await (await send("GET", `/connected-apps${query}`, { key })).json()) as never;
}
const keysOf = async (key: string, host: string): Promise<ApiKey[]> => {
  const response = await send("GET", `/keys?include_disabled=true&app_host=${encodeURIComponent(host)}`, {
    key,
  });
  return ((await response.json()) as { data: ApiKey[] }).data;
};
const remove = (key: string, host: string) =>
  send("DELETE", `/connected-apps/${encodeURIComponent(host)}`, { key });

test("the keys of an app are listed together: number, owners, costs and last use", async () => {
  const own = await newOrganisation(server);
  const member = await join(server, own, "member");
  const host = "app.example.eu:8443";
  const issued = [await keyFor(server, host, { key: own.key }), await keyFor(server, host, member)];
  await keyFor(server, "xn--pp-6kc.example.eu", { key: own.key });
  for (const key of issued) expect(await statusOf(key)).toBe(200);
  await services.billing.drain();

  const { data, total_count } = await appsOf(own.key);
  expect(total_count).toBe(2);
  // The most recently approved one comes first.
  expect(data.map((app) => [app.host, app.keys, app.people])).toEqual([
    ["xn--pp-6kc.example.eu", 1, 1],
    [host, 2, 2],
  ]);
  const keys = await keysOf(own.key, host);
  expect(keys).toHaveLength(2);
  expect(data[1]?.usage).toBeCloseTo(
    keys.reduce((sum, { usage }) => sum + usage, 0),
    12,
  );
  expect(data[1]?.usage).toBeGreaterThan(0);
  expect(data[0]?.last_used).toBeNull();
  expect((await appsOf(own.key, "?limit=1&offset=1")).data.map((app) => app.host)).toEqual([host]);
});

test("a member sees and removes what they approved themselves, and nothing of others", async () => {
  const own = await newOrganisation(server);
  const member = await join(server, own, "member");
  const host = "shared.example.eu";
  const [theirs, mine] = [
    await keyFor(server, host, { key: own.key }),
    await keyFor(server, host, { key: member.key }),
  ];
  await keyFor(server, "other.example.eu", { key: own.key });
  expect((await appsOf(member.key)).data.map((app) => [app.host, app.keys])).toEqual([[host, 1]]);
  expect((await remove(member.key, "other.example.eu")).status).toBe(404);
  expect((await remove(member.key, host)).status).toBe(200);
  expect([await statusOf(mine), await statusOf(theirs)]).toEqual([401, 200]);
});

test("removing an app revokes all of its keys and codes, as one audit event", async () => {
  const own = await newOrganisation(server);
  const member = await join(server, own, "member");
  const host = "leaving.example.eu";
  const gone = [
    await keyFor(server, host, { key: own.key }),
    await keyFor(server, host, { key: member.key }),
  ];
  const staying = await keyFor(server, `${host}:444`, { key: own.key });
  const codes = [await codeFor(server, host, { key: member.key }), await codeFor(server, `${host}:444`)];
  const hashes = (await keysOf(own.key, host)).map(({ hash }) => hash);

  expect((await remove(own.key, host)).status).toBe(200);
  for (const key of gone) expect(await statusOf(key)).toBe(401);
  expect(await statusOf(staying)).toBe(200);
  expect((await exchange(server, codes[0] ?? "")).status).toBe(403);
  expect((await exchange(server, codes[1] ?? "")).status).toBe(200);
  expect((await remove(own.key, host)).status).toBe(404);

  const entries = await prisma.audit_entry.findMany({
    where: { org_id: own.orgId, subject_type: "connected_app" },
  });
  expect(entries.map(({ action, subject_id, actor_id }) => [action, subject_id, actor_id])).toEqual([
    ["connected_app.remove", host, own.keyId],
  ]);
  const before = entries[0]?.before as { keys: { public_id: string }[] };
  expect(before.keys.map(({ public_id }) => public_id).toSorted()).toEqual(hashes.toSorted());
});

test("a code exchanged while its app is removed leaves no key", async () => {
  // Failed exchanges are slowed down by address, and here many fail.
  vi.spyOn(services.exchangeFailures, "waitMs").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const own = await newOrganisation(server);
  const host = "racing.example.eu";
  for (let round = 0; round < 8; round++) {
    await keyFor(server, host, { key: own.key });
    const codes = await Promise.all([0, 1, 2].map(() => codeFor(server, host, { key: own.key })));
    const [removed, ...exchanged] = await Promise.all([
      remove(own.key, host),
      ...codes.map((code) => exchange(server, code)),
    ]);
    expect(removed.status).toBe(200);
    const statuses = exchanged.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 403)).toEqual([]);
    expect(await keysOf(own.key, host)).toEqual([]);
  }
});
