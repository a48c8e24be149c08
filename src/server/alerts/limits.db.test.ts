import { afterEach, describe, expect, test } from "vitest";
import { clock, dateAt, dayMs } from "#server/platform/clock.ts";
import { addRule, startAlerting } from "#test/alerts/alerting.ts";
import { limited, makeBudget, refuse, type Stage, served } from "#test/alerts/kind-cases.ts";
import { createOrganisation, openTestDatabase, type TestOrganisation } from "#test/factories.ts";

const { database } = await openTestDatabase();
const { prisma } = database;
const stage: Stage = { database, catalogue: served() };
const { deps, evaluate } = startAlerting(database, () => stage.catalogue);
afterEach(async () => {
  await prisma.alert_incident.deleteMany({});
  await prisma.alert_rule.deleteMany({});
});

describe("budget thresholds", () => {
  const titlesAfter = async (ours: TestOrganisation, settings: object) => {
    await addRule(deps, ours, { kind: "budget", settings: { thresholds: [80], ...settings } });
    await evaluate();
    return (await prisma.alert_incident.findMany({ orderBy: { title: "asc" } })).map(({ title }) => title);
  };
  const every = ["Budget “Team” reached 80 %", "Limit of key “Test key”", "Limit of workspace “Research”"];
  test.each([
    [{}, every],
    [{ of: "budgets" }, every.slice(0, 1)],
    [{ of: "keys" }, every.slice(1, 2)],
    [{ of: "workspaces" }, every.slice(2)],
  ])("%j watches the limits of %j", async (settings, titles) => {
    const ours = await createOrganisation(database);
    await makeBudget(stage, ours, 80);
    await limited(stage, ours, "key");
    await limited(stage, ours, "workspace", { reset: "never" });
    const found = await titlesAfter(ours, settings);
    expect(found).toEqual(titles.map((title) => expect.stringContaining(title)));
  });

  test("a rule for one budget watches no other limit", async () => {
    const ours = await createOrganisation(database);
    await makeBudget(stage, ours, 80);
    await limited(stage, ours, "key");
    const { id: budget_id } = await prisma.budget.findFirstOrThrow({ where: { org_id: ours.orgId } });
    expect(await titlesAfter(ours, { budget_id })).toHaveLength(1);
  });

  test.each(["minute", "none"])(
    "budgets with the period %s have no threshold, because they start again",
    async (period) => {
      const ours = await createOrganisation(database);
      await makeBudget(stage, ours, 100);
      await prisma.budget.updateMany({ where: { org_id: ours.orgId }, data: { period } });
      expect(await titlesAfter(ours, {})).toEqual([]);
    },
  );

  test("the limit of a key counts in its present period only, and not of a key that is off", async () => {
    const ours = await createOrganisation(database);
    const { account_id } = await limited(stage, ours, "key");
    const where = { where: { account_id } };
    await prisma.credit_balance.update({
      ...where,
      data: { period_start: dateAt(clock.nowMs() - 3 * dayMs) },
    });
    expect(await titlesAfter(ours, {})).toEqual([]);
    await prisma.credit_balance.update({ ...where, data: { period: null, period_start: null } });
    await evaluate();
    expect(await prisma.alert_incident.count()).toBe(0);
    await prisma.api_key.update({ where: { id: account_id }, data: { limit_reset: null } });
    await evaluate();
    expect(await prisma.alert_incident.findMany()).toMatchObject([
      { subject: `key:${account_id}:80`, detail: expect.stringMatching(/EUR .+ of EUR .+ used$/) },
    ]);
    await prisma.api_key.update({ where: { id: account_id }, data: { disabled: true } });
    await evaluate();
    expect(await prisma.alert_incident.count({ where: { open_subject: { not: null } } })).toBe(0);
  });
});

test.each([
  ["any", ["budget", "key", "workspace", "organisation", "key_rate", "organisation_rate"]],
  ["budgets", ["budget"]],
  ["keys", ["key", "key_rate"]],
  ["workspaces", ["workspace"]],
  ["organisation", ["organisation", "organisation_rate"]],
])("a rule about refused requests of %s watches %j", async (of, owners) => {
  const ours = await createOrganisation(database);
  await makeBudget(stage, ours, 0);
  for (const owner of ["budget", "key", "workspace", "organisation", "key_rate", "organisation_rate"])
    await refuse(stage, ours, owner);
  await addRule(deps, ours, { kind: "limit_refusals", settings: { min_requests: 2, of } });
  await evaluate();
  const found = await prisma.alert_incident.findMany({ select: { subject: true } });
  expect(found.map(({ subject }) => subject.split(":")[0]).toSorted()).toEqual(owners.toSorted());
});
