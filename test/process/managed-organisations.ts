import { expect } from "vitest";
import { data } from "#contract/common.ts";
import { CreatedOrganisation, ManagedOrganisation } from "#contract/organisation.ts";
import { auditMoney } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { type Browser, browserOf } from "./browser.ts";
import { connectApp } from "./connecting.ts";
import { password } from "./inviting.ts";
import { answer } from "./rule-client.ts";
import type { TestServer } from "./server.ts";

export const Managed = data(ManagedOrganisation);
export const reason = "The invoice of October is not paid";
export const asked = { model: "test/quick", prompt: "x", max_tokens: 4, seed: 5 };

interface OrganisationFixture {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly browser: Browser;
  readonly email: string;
}

const permissions = [
  ...["inference:use", "activity:read", "keys:read", "keys:write", "routing:read", "routing:write"],
  ...["members:read", "members:write", "audit:read", "broadcast:write", "workspaces:write"],
];

/** What the operator of an installation does with organisations. */
export function organisationClient(server: TestServer) {
  const { send, post } = server;
  const create = (body: object) => post("/organisations", body);
  const suspend = async (id: string) =>
    (await answer(Managed, await post(`/organisations/${id}/suspend`, { reason }))).data;
  const resume = async (id: string) =>
    (await answer(Managed, await post(`/organisations/${id}/resume`, {}))).data;
  const remove = (id: string, name: string) =>
    send("DELETE", `/organisations/${id}?${new URLSearchParams({ name })}`);
  const operatorId = async () => ((await (await send("GET", "/me")).json()) as { org_id: string }).org_id;

  /** An organisation of the operator's whose owner accepted the invitation and has a key with all permissions. */
  async function createdOrganisation(name = `Library ${uuidv7()}`): Promise<OrganisationFixture> {
    const email = `${uuidv7()}@example.eu`;
    const made = await answer(
      CreatedOrganisation,
      await create({ name, owner_email: email, credit: 5 }),
      201,
    );
    const token = new URL(made.link ?? "").hash.slice(1);
    const accepted = await post("/invitations/accept", { token, name: "Grace", password }, { key: null });
    expect(accepted.status).toBe(200);
    const browser = await browserOf(server).signIn(email, password);
    const issued = await browser.mutate("keys.create", { name: "Everything", permissions });
    expect(issued.status).toBe(200);
    const { result } = (await issued.json()) as { result: { data: { key: string } } };
    return { id: made.data.id, name, key: result.data.key, browser, email };
  }
  return { create, suspend, resume, remove, operatorId, createdOrganisation };
}

/** Uses every part of the API that leaves rows of an organisation in the database. */
export async function leaveRows(server: TestServer, key: string): Promise<void> {
  const { post, services } = server;
  const headers = { "x-title": "Catalogue search" };
  const body = { ...asked, user: "reader-17", session_id: "desk-4" };
  expect((await post("/completions", body, { key, headers })).status).toBe(200);
  const stored = { model: "test/quick", input: "For the record", max_output_tokens: 4 };
  expect((await post("/responses", stored, { key })).status).toBe(200);
  const items = [{ role: "user", content: "For the record" }];
  expect((await post("/conversations", { items }, { key })).status).toBe(200);
  const messages = [{ role: "user", content: "For the record" }];
  const chat = { model: "test/quick", messages, max_tokens: 4, store: true };
  expect((await post("/chat/completions", chat, { key })).status).toBe(200);
  await post("/completions", { ...asked, model: "no/such" }, { key });
  await services.refusedRequests.flush();
  await post("/service-accounts", { name: "Robot" }, { key });
  await post("/workspaces", { name: "Desk" }, { key });
  await post("/catalogue-entries", { models: [{ id: "own/model" }] }, { key });
  await post("/routing-rules", { name: "Ours", scope: "org", provider: {} }, { key });
  await connectApp(server, { key, headers: { "idempotency-key": uuidv7() } });
  await services.billing.drain();
}

/** The tables that hold rows of an organisation. */
export async function tablesOf(database: Database, orgId: string): Promise<string[]> {
  const columns = await database.prisma.$queryRaw<{ name: string; column: string }[]>`
    select table_name as name, column_name as column from information_schema.columns
    where table_schema = 'public' and to_regclass(quote_ident(table_name)) not in (select inhrelid from pg_inherits)
      and (column_name = 'org_id'
      or column_name = 'account_id' and table_name in ('credit_balance', 'credit_lease')) order by 1`;
  const holding: string[] = [];
  for (const { name, column } of columns) {
    const rows = await database.statement<{ count: string }>(
      `select count(*) from "${name}" where "${column}" = $1::uuid`,
      [orgId],
    );
    if (rows[0]?.count !== "0") holding.push(name);
  }
  return holding;
}

/** The invariants of the ledger that do not hold. */
export const brokenInvariants = async (database: Database) =>
  (await auditMoney(database)).filter(({ broken }) => broken > 0);
