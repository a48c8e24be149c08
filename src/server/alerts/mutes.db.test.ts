import { afterEach, describe, expect, test } from "vitest";
import { clock, dateAt, dayMs } from "#server/platform/clock.ts";
import {
  addChannel,
  addRule,
  incidentsOf,
  muteIncident,
  removeRule,
  startAlerting,
  startReceiver,
} from "#test/alerts/alerting.ts";
import { catalogueOf } from "#test/catalogues.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";

const { database } = await openTestDatabase();
const { prisma } = database;
const { recorder, messages } = await startReceiver();
const { deps, evaluate, send } = startAlerting(database, () => catalogueOf([]));
const tomorrow = () => dateAt(clock.nowMs() + dayMs).toISOString();
const titles = () => messages().map(({ type, data: { title } }) => `${type} ${title}`);
afterEach(async () => {
  recorder.seen.length = 0;
  await prisma.alert_incident.deleteMany({});
  await prisma.alert_rule.deleteMany({});
});

/** An organisation with two budgets that are used up, each an incident of one rule. */
async function twoIncidents() {
  const ours = await createOrganisation(database);
  const accounts = await Promise.all(["A", "B"].map((name) => usedUpBudget(ours.orgId, name)));
  const channel = await addChannel(deps, ours, { address: recorder.origin });
  const rule = await addRule(deps, ours, {
    ...{ kind: "budget", settings: { thresholds: [80] }, channel_ids: [channel] },
  });
  await evaluate();
  await send();
  const setUsed = (account_id: string, used_pico_eur: string) =>
    prisma.credit_balance.update({ where: { account_id }, data: { used_pico_eur } });
  const [first, second] = (await incidentsOf(deps, ours)).toSorted((a, b) => a.title.localeCompare(b.title));
  if (!first || !second) throw new Error("There are no two incidents");
  recorder.seen.length = 0;
  return { ours, rule, accounts, setUsed, first, second };
}

/** A budget of 100 requests without a period, all of them used. Returns its account. */
async function usedUpBudget(org_id: string, name: string): Promise<string> {
  const { id: budget_id } = await prisma.budget.create({
    data: {
      org_id,
      name,
      measure: "requests",
      amount: "100",
      period: "total",
      dimensions: [],
      enabled: true,
    },
  });
  const { account_id } = await prisma.credit_balance.create({
    data: { account_id: budget_id, granted_pico_eur: "100", used_pico_eur: "100" },
  });
  await prisma.budget_counter.create({ data: { account_id, budget_id, values: [], period_start: null } });
  return account_id;
}

describe("an incident that is muted", () => {
  test("sends nothing when it opens again, while others of the rule do", async () => {
    const { ours, accounts, setUsed, first } = await twoIncidents();
    await muteIncident(deps, ours, first.id, tomorrow());
    for (const used of ["0", "100"]) {
      for (const account of accounts) await setUsed(account, used);
      await evaluate();
      await send();
    }
    // What was sent before is resolved.
    expect(titles().filter((title) => title.includes("“A”"))).toMatchObject([
      expect.stringMatching(/^alert.resolved/),
    ]);
    expect(titles().filter((title) => title.includes("“B”"))).toMatchObject([
      expect.stringMatching(/^alert.resolved/),
      expect.stringMatching(/^alert.opened/),
    ]);
    const open = (await incidentsOf(deps, ours)).filter(({ state }) => state === "open");
    expect(open.map(({ muted, muted_until }) => [muted, muted_until !== null]).toSorted()).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test.each([
    ["when the time is over", (at: Date) => prisma.alert_mute.updateMany({ data: { muted_until: at } })],
    ["when the mute is ended", null],
  ] as const)("sends what is still open %s, once", async (_, pass) => {
    const { ours, accounts, setUsed, first } = await twoIncidents();
    await muteIncident(deps, ours, first.id, tomorrow());
    for (const used of ["0", "100"]) {
      await setUsed(accounts[0] as string, used);
      await evaluate();
    }
    await send();
    recorder.seen.length = 0;
    if (pass) await pass(dateAt(clock.nowMs() - 1));
    else expect(await muteIncident(deps, ours, first.id, null)).toMatchObject({ muted_until: null });
    for (let count = 0; count < 3; count += 1) {
      await evaluate();
      await send();
    }
    expect(titles()).toEqual([expect.stringMatching(/^alert.opened .*A/)]);
    expect(await prisma.alert_mute.count()).toBe(0);
  });

  test("is audited with what was muted and until when", async () => {
    const { ours, rule, first } = await twoIncidents();
    const until = tomorrow();
    await muteIncident(deps, ours, first.id, until);
    const entry = await prisma.audit_entry.findFirst({
      where: { org_id: ours.orgId, action: "alert_incident.update" },
    });
    const recorded = { rule_id: rule, subject: first.subject };
    expect(entry).toMatchObject({
      before: { ...recorded, muted_until: null },
      after: { ...recorded, muted_until: until },
    });
  });

  test("belongs to the caller's organisation, and its rule must exist", async () => {
    const { ours, rule, first } = await twoIncidents();
    const others = await createOrganisation(database);
    await expect(muteIncident(deps, others, first.id, tomorrow())).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await muteIncident(deps, ours, first.id, tomorrow());
    await removeRule(deps, ours, rule);
    await expect(muteIncident(deps, ours, first.id, tomorrow())).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await prisma.alert_mute.count()).toBe(0);
  });
});
