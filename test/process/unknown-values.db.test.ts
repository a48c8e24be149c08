import { describe, expect, test } from "vitest";
import { createLog } from "#server/platform/log.ts";
import { least } from "./destination-client.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const logged: string[] = [];
const server = await startTestServer({ log: createLog("error", (line) => logged.push(line)) });
const { prisma } = server.services.database;
type Organisation = Awaited<ReturnType<typeof newOrganisation>>;

const add = async (path: string, body: object, { key }: Organisation) => {
  const response = await server.post(path, body, { key });
  const answer = (await response.json()) as { data: { id: string; user_id: string } };
  expect([response.status, answer]).toEqual([expect.toBeOneOf([200, 201]), answer]);
  return answer.data;
};
const where = (id: string) => ({ where: { id } });

interface Case {
  readonly table: string;
  readonly list: string;
  /** Stores a row through the API, and then a value of a newer version in it. Returns its id. */
  readonly store: (us: Organisation) => Promise<string>;
}

const budget = { name: "B", measure: "eur", limit: 5, period: "day" };
const rule = { name: "R", kind: "low_credit", settings: {} };
const channel = { name: "C", type: "webhook", address: "https://hooks.example.eu/a" };

const cases: Record<string, Case> = {
  "the measure of a budget": {
    table: "budget",
    list: "/budgets",
    async store(us) {
      const { id } = await add("/budgets", budget, us);
      await prisma.budget.update({ ...where(id), data: { measure: "carbon" } });
      return id;
    },
  },
  "the period of a budget that is disabled": {
    table: "budget",
    list: "/budgets",
    async store(us) {
      const { id } = await add("/budgets", { ...budget, enabled: false }, us);
      await prisma.budget.update({ ...where(id), data: { period: "quarter" } });
      return id;
    },
  },
  "the kind of an alert rule": {
    table: "alert_rule",
    list: "/alert-rules",
    async store(us) {
      const { id } = await add("/alert-rules", rule, us);
      await prisma.alert_rule.update({ ...where(id), data: { kind: "carbon" } });
      return id;
    },
  },
  "the settings of an alert rule": {
    table: "alert_rule",
    list: "/alert-rules",
    async store(us) {
      const { id } = await add("/alert-rules", rule, us);
      await prisma.alert_rule.update({ ...where(id), data: { settings: { below_eur: "x" } } });
      return id;
    },
  },
  "the type of an alert channel": {
    table: "alert_channel",
    list: "/alert-channels",
    async store(us) {
      const { id } = await add("/alert-channels", channel, us);
      await prisma.alert_channel.update({ ...where(id), data: { type: "pager" } });
      return id;
    },
  },
  "the section of an entry of the catalogue": {
    table: "catalogue_entry",
    list: "/catalogue-entries",
    async store({ orgId }) {
      const row = { org_id: orgId, scope: "organisation", section: "region", name: "own/chat", body: {} };
      return (await prisma.catalogue_entry.create({ data: row })).id;
    },
  },
  "the scope of an entry of the catalogue": {
    table: "catalogue_entry",
    list: "/catalogue-entries",
    async store({ orgId }) {
      const row = { org_id: orgId, scope: "region", section: "model", name: "own/chat", body: {} };
      return (await prisma.catalogue_entry.create({ data: row })).id;
    },
  },
  "the scope of a routing rule": {
    table: "routing_rule",
    list: "/routing-rules",
    async store(us) {
      const { id } = await add("/routing-rules", { name: "New rule", scope: "org" }, us);
      await prisma.routing_rule.update({ ...where(id), data: { provider: { planet: "earth" } } });
      return id;
    },
  },
  "the check of a provider credential": {
    table: "provider_credential",
    list: "/byok",
    async store(us) {
      const { id } = await add("/byok", { provider: "mistral", name: "K", key: "key-of-mistral" }, us);
      await prisma.provider_credential.update({ ...where(id), data: { last_check: { ok: true } } });
      return id;
    },
  },
  "the role of an invitation": {
    table: "invitation",
    list: "/invitations",
    async store(us) {
      const { id } = await add("/invitations", { email: "new@test.example" }, us);
      await prisma.invitation.update({ ...where(id), data: { role: "auditor" } });
      return id;
    },
  },
};

const reload = async () => {
  await prisma.$executeRaw`update config_version set version = version + 1`;
  await server.services.refreshSnapshot();
};

describe.each(Object.entries(cases))("with an unknown value in %s", (_, { table, list, store }) => {
  test("the list shows it with its problem, the log has it once, and it can be deleted", async () => {
    const us = await newOrganisation(server);
    const id = await store(us);
    await reload();
    for (let reads = 0; reads < 2; reads++) {
      const answer = await server.send("GET", list, { key: us.key });
      const { data } = (await answer.json()) as { data: { id: string; problem: string | null }[] };
      const shown = data.find((one) => one.id === id);
      expect([answer.status, shown?.problem]).toEqual([200, expect.stringMatching(/\w/)]);
    }
    await reload();
    expect(logged.filter((line) => line.includes(`${table} ${id}: `))).toHaveLength(1);
    const removed = await server.send("DELETE", `${list}/${id}`, { key: us.key });
    expect([removed.status, await removed.text()]).toEqual([200, expect.any(String)]);
  });
});

test("a role that a newer version stored is shown with its problem in the lists of members", async () => {
  const us = await newOrganisation(server);
  const { user_id } = await add("/service-accounts", { name: "Machine", role: "viewer" }, us);
  await prisma.member.update({
    where: { org_id_user_id: { org_id: us.orgId, user_id } },
    data: { role: "auditor" },
  });
  for (const list of ["/members", "/service-accounts"]) {
    const answer = await server.send("GET", list, { key: us.key });
    const problem = expect.stringContaining("(stored: auditor)");
    const { data } = (await answer.json()) as { data: object[] };
    expect(data).toContainEqual(expect.objectContaining({ user_id, role: "viewer", problem }));
  }
});

test("a period of a limit that a newer version stored never ends, so that the limit stays", async () => {
  const us = await newOrganisation(server);
  const limited = { limit: 5, limit_reset: "daily" };
  const workspace = await add("/workspaces", { name: "W", ...limited }, us);
  const made = (await (await server.post("/keys", { name: "K", ...limited }, { key: us.key })).json()) as {
    data: { hash: string };
  };
  const data = { limit_reset: "yearly" };
  await prisma.workspace.update({ where: { id: workspace.id }, data });
  await prisma.api_key.update({ where: { public_id: made.data.hash }, data });
  await reload();
  for (const list of ["/workspaces", "/keys"]) {
    const answer = await server.send("GET", list, { key: us.key });
    const text = await answer.text();
    expect([list, answer.status, text]).toEqual([list, 200, expect.stringContaining('"limit_reset":null')]);
  }
});

test("incidents and deliveries with unknown values are shown with their problem", async () => {
  const us = await newOrganisation(server);
  const { id: ruleId } = await add("/alert-rules", rule, us);
  const times = { opened_at: new Date(), resolved_at: new Date() };
  const words = { rule_name: "R", scope: "organisation", subject: "s", title: "T", detail: "D" };
  const ids = { id: crypto.randomUUID(), org_id: us.orgId, rule_id: ruleId };
  const incident = { ...ids, ...times, ...words, kind: "carbon", resolution: "merged" };
  await prisma.alert_incident.create({ data: incident });
  const incidents = await server.send("GET", "/alert-incidents", { key: us.key });
  expect(await incidents.json()).toMatchObject({
    data: [{ id: ids.id, problem: expect.stringContaining("(stored: carbon)") }],
  });
  const { id } = await add("/broadcast-destinations", least, us);
  const delivery = { id: crypto.randomUUID(), destination_id: id, generation_id: crypto.randomUUID() };
  const state = { status: "parked", content: "sealed", due_at: new Date() };
  await prisma.destination_delivery.create({ data: { ...delivery, ...state } });
  const deliveries = await server.send("GET", `/broadcast-destinations/${id}/deliveries`, { key: us.key });
  expect(await deliveries.json()).toMatchObject({
    data: [{ id: delivery.id, problem: expect.stringContaining("(stored: parked)") }],
  });
});
