import { afterEach, describe, expect, test } from "vitest";
import { clock, dateAt, dayMs } from "#server/platform/clock.ts";
import {
  addChannel,
  addRule,
  incidentsOf,
  removeRule,
  startAlerting,
  startReceiver,
} from "#test/alerts/alerting.ts";
import { catalogueOf } from "#test/catalogues.ts";
import { createOrganisation, openTestDatabase, type TestOrganisation } from "#test/factories.ts";

const { database } = await openTestDatabase();
const { prisma } = database;
const { recorder, messages, types } = await startReceiver();
const { deps, queued, evaluate, send } = startAlerting(database, () => catalogueOf([]));
afterEach(async () => {
  recorder.seen.length = 0;
  recorder.reply = () => ({ status: 200 });
  await prisma.alert_incident.deleteMany({});
  await prisma.alert_rule.deleteMany({});
});

type Rule = Awaited<ReturnType<typeof withoutCredit>>;
const listOf = (organisation: TestOrganisation) => incidentsOf(deps, organisation);
/** An organisation whose credit is used up, with a rule about it. */
async function withoutCredit(rule: object = {}) {
  const ours = await createOrganisation(database);
  const setUsed = (used_pico_eur: string) =>
    prisma.credit_balance.update({ where: { account_id: ours.orgId }, data: { used_pico_eur } });
  await setUsed("10000000000000");
  const channel = await addChannel(deps, ours, { address: recorder.origin });
  const id = await addRule(deps, ours, { kind: "low_credit", channel_ids: [channel], ...rule });
  const change = (data: object) => prisma.alert_rule.update({ where: { id }, data });
  return { ours, id, channel, setUsed, change };
}

describe("a rule", () => {
  test("that is muted sends nothing new, and what is still open when it is not muted any more", async () => {
    const { change } = await withoutCredit({ muted_until: "2100-01-01T00:00:00Z" });
    await evaluate();
    expect(await prisma.alert_incident.count()).toBe(1);
    expect(queued).toEqual([]);
    await change({ muted_until: dateAt(clock.nowMs() - 1) });
    await evaluate();
    await evaluate();
    await send();
    expect(types()).toEqual(["alert.opened"]);
  });

  test("that is muted neither opens nor resolves what began and ended meanwhile", async () => {
    const { setUsed } = await withoutCredit({ muted_until: "2100-01-01T00:00:00Z" });
    await evaluate();
    await setUsed("0");
    await evaluate();
    await send();
    expect(messages()).toEqual([]);
    expect(await prisma.alert_incident.count({ where: { resolved_at: { not: null } } })).toBe(1);
  });

  test("that is muted resolves what it had sent before", async () => {
    const { setUsed, change } = await withoutCredit();
    await evaluate();
    await change({ muted_until: dateAt(clock.nowMs() + dayMs) });
    await setUsed("0");
    await evaluate();
    await send();
    expect(types()).toEqual(["alert.opened", "alert.resolved"]);
  });

  test("that is disabled resolves what is open", async () => {
    const { change } = await withoutCredit();
    await evaluate();
    await change({ enabled: false });
    await evaluate();
    await evaluate();
    await send();
    expect(types()).toEqual(["alert.opened", "alert.resolved"]);
  });

  test.each([
    ["is disabled", "rule_disabled", ({ change }: Rule) => change({ enabled: false })],
    ["is deleted", "rule_deleted", ({ id, ours }: Rule) => removeRule(deps, ours, id)],
    ["finds that it is over", "ended", ({ setUsed }: Rule) => setUsed("0")],
  ] as const)("that %s tells each notified channel once, with the reason %s", async (_, resolution, end) => {
    const rule = await withoutCredit();
    await evaluate();
    await send();
    await end(rule);
    for (let count = 0; count < 3; count += 1) {
      await evaluate();
      await send();
    }
    expect(types()).toEqual(["alert.opened", "alert.resolved"]);
    expect(messages()[1]?.data.incident).toMatchObject({ rule_id: rule.id, resolution });
    const [incident] = await listOf(rule.ours);
    expect(incident).toMatchObject({
      ...{ state: "resolved", resolution, rule_id: rule.id, rule_deleted: resolution === "rule_deleted" },
      notifications: [{ status: "sent" }, { status: "sent" }],
    });
  });

  test("that is deleted sends what was waiting first, and says nothing of what it was muted for", async () => {
    const rule = await withoutCredit();
    const silent = await withoutCredit({ muted_until: "2100-01-01T00:00:00Z" });
    await evaluate();
    await removeRule(deps, rule.ours, rule.id);
    await removeRule(deps, silent.ours, silent.id);
    queued.reverse();
    await send();
    await send();
    expect(types()).toEqual(["alert.opened", "alert.resolved"]);
    expect(await listOf(silent.ours)).toMatchObject([{ muted: true, notifications: [] }]);
  });

  test("that is deleted while it is evaluated leaves nothing open", async () => {
    for (let count = 0; count < 5; count += 1) {
      const rule = await withoutCredit();
      await Promise.all([evaluate(), removeRule(deps, rule.ours, rule.id), evaluate()]);
    }
    expect(await prisma.alert_incident.count({ where: { open_subject: { not: null } } })).toBe(0);
  });

  test("that is renamed sends the same body at every attempt", async () => {
    const { change } = await withoutCredit();
    await evaluate();
    recorder.reply = () => ({ status: 503 });
    await send();
    await change({ name: "Another name" });
    recorder.reply = () => ({ status: 200 });
    await send();
    const [first, second] = recorder.seen;
    expect(second?.body).toEqual(first?.body);
  });

  test("opens once although two processes evaluate it at the same time", async () => {
    await withoutCredit();
    await Promise.all([evaluate(), evaluate(), evaluate()]);
    await send();
    expect(types()).toEqual(["alert.opened"]);
  });

  test("opens again after it was resolved, as another incident with another id", async () => {
    const { setUsed } = await withoutCredit();
    for (const used of ["10000000000000", "0", "10000000000000"]) {
      await setUsed(used);
      await evaluate();
      await send();
    }
    expect(types()).toEqual(["alert.opened", "alert.resolved", "alert.opened"]);
    expect(new Set(messages().map(({ id }) => id)).size).toBe(3);
  });

  test("whose settings cannot be evaluated does not stop the others", async () => {
    const broken = await withoutCredit();
    await broken.change({ kind: "removed" });
    const sound = await withoutCredit();
    await evaluate();
    const found = await prisma.alert_incident.findMany({ select: { rule_id: true } });
    expect(found).toEqual([{ rule_id: sound.id }]);
  });

  test("sends the end only after the beginning was accepted, and every attempt has the same id and body", async () => {
    const { setUsed } = await withoutCredit();
    await evaluate();
    recorder.reply = () => ({ status: 503 });
    expect(await send()).toEqual(["NotAccepted: Answered 503"]);
    await setUsed("0");
    await evaluate();
    recorder.reply = () => ({ status: 200 });
    // The end is tried first, and waits.
    queued.reverse();
    expect(await send()).toEqual([]);
    expect(types()).toEqual(["alert.opened", "alert.opened"]);
    expect(await send()).toEqual([]);
    expect(types()).toEqual(["alert.opened", "alert.opened", "alert.resolved"]);
    const [first, second, third] = recorder.seen;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.body).toEqual(first?.body);
    expect(third?.headers["webhook-id"]).not.toBe(first?.headers["webhook-id"]);
    expect(await prisma.alert_notification.findMany({ orderBy: { created_at: "asc" } })).toMatchObject([
      { event: "opened", attempts: 2, last_error: null },
      { event: "resolved", attempts: 1, last_error: null },
    ]);
  });

  test("gives up a notification after a day, and one that its receiver never wants at once", async () => {
    const { id } = await withoutCredit();
    for (const [status, age_days] of [
      [410, 0],
      [503, 1],
    ] as const) {
      await prisma.alert_incident.deleteMany({ where: { rule_id: id } });
      await evaluate();
      const created_at = dateAt(clock.nowMs() - age_days * dayMs);
      await prisma.alert_notification.updateMany({ data: { created_at } });
      recorder.reply = () => ({ status });
      expect(await send()).toEqual([]);
      expect(queued).toEqual([]);
      const [row] = await prisma.alert_notification.findMany();
      expect(row).toMatchObject({ sent_at: null, attempts: 1, last_error: `Answered ${status}` });
      expect(row?.failed_at).not.toBeNull();
    }
  });
});

test("an organisation with many rules does not have all of them evaluated before those of others", async () => {
  const order: (string | null)[] = [];
  const watched = startAlerting(database, () => catalogueOf([]), {
    catalogue: (orgId) => {
      order.push(orgId);
      return catalogueOf([]);
    },
  });
  const many = await createOrganisation(database);
  const few = await createOrganisation(database);
  for (let count = 0; count < 5; count += 1) await addRule(deps, many, { kind: "deprecated_model" });
  await addRule(deps, few, { kind: "deprecated_model" });
  await watched.evaluate();
  expect(order).toHaveLength(6);
  expect(order.indexOf(few.orgId)).toBe(1);
});
