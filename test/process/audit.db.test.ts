import { expect, test } from "vitest";
import type { AuditLogEntry } from "#contract/audit.ts";
import type { CreatedKey } from "#contract/key.ts";
import { authorize } from "#server/access/authorize.ts";
import { record } from "#server/audit/record.ts";
import { verifyAudit, verifyOwnAudit } from "#server/audit/verify.ts";
import { createOrganisation } from "#test/factories.ts";
import { startTestServer } from "./server.ts";

const { send, post, services } = await startTestServer();
const { database } = services;

async function list(query = "", key?: string): Promise<{ data: AuditLogEntry[]; total_count: number }> {
  const response = await send("GET", `/audit-log${query}`, key ? { key } : {});
  expect(response.status).toBe(200);
  return (await response.json()) as { data: AuditLogEntry[]; total_count: number };
}

test("a change is listed with actor, action, time and address, without the secret", async () => {
  const headers = { "x-request-id": "request-of-a-test" };
  const made = (await (await post("/keys", { name: "Audited", limit: 2 }, { headers })).json()) as CreatedKey;
  const { data } = await list(`?subject_id=${made.data.id}`);
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    action: "api_key.create",
    actor_type: "key",
    subject_type: "api_key",
    request_id: "request-of-a-test",
    ip_address: expect.stringMatching(/127\.0\.0\.1|::1/),
    before: null,
    after: { name: "Audited", limit_eur: "2.000000" },
  });
  expect(JSON.stringify(data)).not.toContain(made.key);
  const patched = await send("PATCH", `/keys/${made.data.hash}`, { body: '{"name":"Renamed"}' });
  expect(patched.status).toBe(200);
  const [change] = (await list(`?subject_id=${made.data.id}&action=api_key.update`)).data;
  expect(change).toMatchObject({ before: { name: "Audited" }, after: { name: "Renamed" } });
});

test("it is paged newest first and filtered by time", async () => {
  const all = await list();
  const positions = all.data.map(({ position }) => position);
  expect(positions).toEqual(positions.toSorted((a, b) => b - a));
  expect((await list("?limit=1&offset=1")).data[0]?.position).toBe(positions[1]);
  expect(await list("?to=2001-01-01T00:00:00Z")).toEqual({ data: [], total_count: 0 });
  expect((await list("?from=2001-01-01T00:00:00Z")).total_count).toBe(all.total_count);
});

test("only callers with the permission can read it, and only their own organisation's", async () => {
  const plain = (await (await post("/keys", { name: "x" })).json()) as CreatedKey;
  expect((await send("GET", "/audit-log", { key: plain.key })).status).toBe(403);
  const other = await createOrganisation(database);
  await services.refreshSnapshot();
  const { data } = await list("", other.key);
  expect(new Set(data.map(({ action }) => action))).toEqual(new Set(["credit.grant", "api_key.create"]));
});

test("rows written at the same moment are in one chain", async () => {
  const { caller, orgId } = await createOrganisation(database);
  const write = (at: number) =>
    database.transaction((tx) =>
      record(tx, caller, {
        action: "test.write",
        subject: { type: "test", id: String(at) },
        after: { b: 1.5, a: { d: [null, "é"], c: true } },
      }),
    );
  await Promise.all(Array.from({ length: 20 }, (_, at) => write(at)));
  const rows = await database.prisma.audit_entry.findMany({
    where: { org_id: orgId },
    orderBy: { position: "asc" },
  });
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, at) => at + 1));
  for (const [at, row] of rows.entries()) expect(row.previous_hash).toBe(rows[at - 1]?.hash ?? "");
  expect((await verifyAudit(database)).broken).toEqual([]);
});

test.each([
  ["a changed row", "update audit_entry set action = 'nothing' where org_id = $1::uuid and position = 2", 2],
  [
    "a changed detail",
    `update audit_entry set after = '{"x":1}' where org_id = $1::uuid and position = 1`,
    1,
  ],
  ["a deleted row", "delete from audit_entry where org_id = $1::uuid and position = 1", 1],
  ["a cut-off end", "delete from audit_entry where org_id = $1::uuid and position = 2", 2],
  ["a moved row", "update audit_entry set occurred_at = now() where org_id = $1::uuid and position = 2", 2],
])("%s is found by the verification", async (_, statement, position) => {
  const { orgId } = await createOrganisation(database);
  await database.batch((client) => client.query(statement, [orgId]));
  const { broken } = await verifyAudit(database);
  expect(broken.filter((row) => row.orgId === orgId)).toEqual([
    { orgId, position, problem: expect.any(String) },
  ]);
});

test("an organisation's own verification reports only its own chain", async () => {
  const { orgId, caller } = await createOrganisation(database);
  const other = await createOrganisation(database);
  const permissions = new Set(["audit:read" as const]);
  const reader = authorize({ ...caller, permissions }, "audit:read", "organisation");
  const tamper = (id: string) =>
    database.batch((client) =>
      client.query("update audit_entry set action = 'nothing' where org_id = $1::uuid and position = 2", [
        id,
      ]),
    );
  await tamper(other.orgId);
  const before = await verifyOwnAudit(database, reader);
  expect(before).toMatchObject({ broken: null, first_checked: 1 });
  expect(before.rows_holding).toBe(before.rows);
  await tamper(orgId);
  expect(await verifyOwnAudit(database, reader)).toMatchObject({
    rows_holding: 1,
    broken: { position: 2, problem: "it was changed after it was written" },
  });
});
