import { afterEach, expect, test } from "vitest";
import { clock, dateAt, dayMs } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { addChannel, addRule, startAlerting, startReceiver } from "#test/alerts/alerting.ts";
import { catalogueOf } from "#test/catalogues.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { pauseMsAfter } from "./channel-pause.ts";

const { database } = await openTestDatabase();
const { prisma } = database;
const { recorder, types } = await startReceiver();
const { deps, queued, send } = startAlerting(database, () => catalogueOf([]));
afterEach(async () => {
  recorder.seen.length = 0;
  recorder.reply = () => ({ status: 200 });
  queued.length = 0;
  await prisma.alert_rule.deleteMany({});
});

/** A channel for which this many notifications wait. */
async function waiting(count: number, created_at = dateAt(clock.nowMs())) {
  const ours = await createOrganisation(database);
  const channel_id = await addChannel(deps, ours, { address: recorder.origin });
  const rule_id = await addRule(deps, ours, { kind: "low_credit", channel_ids: [channel_id] });
  // Ids of the same millisecond have no order of their own.
  const ids = Array.from({ length: count }, () => uuidv7()).toSorted();
  for (const id of ids) {
    const [incident_id, subject] = [uuidv7(), id];
    await prisma.alert_incident.create({
      data: {
        ...{ id: incident_id, org_id: ours.orgId, rule_id, subject, open_subject: subject },
        ...{ title: "Title", detail: "Detail", opened_at: created_at, notified_at: created_at },
        notifications: { create: { id, channel_id, event: "opened", created_at } },
      },
    });
    queued.push(id);
  }
  const channel = () => prisma.alert_channel.findUniqueOrThrow({ where: { id: channel_id } });
  const endPause = () =>
    prisma.alert_channel.update({ where: { id: channel_id }, data: { paused_until: dateAt(0) } });
  return { channel_id, channel, endPause };
}

test("a channel gets the limit of an hour and one message about it, at every attempt the same", async () => {
  const max = limits.alerts.perChannelAndHourMax;
  const { channel_id } = await waiting(max + 5);
  const [latest] = queued.slice(max);
  await send();
  expect(types()).toEqual([...Array.from({ length: max }, () => "alert.opened"), "alert.limited"]);
  const rows = await prisma.alert_notification.findMany({ where: { channel_id }, orderBy: { id: "asc" } });
  expect(rows.map(({ sent_at }) => sent_at !== null).lastIndexOf(true)).toBe(max);
  expect(rows[max]?.id).toBe(latest);
  for (const row of rows.slice(max + 1)) {
    expect(row).toMatchObject({ attempts: 0, last_error: expect.stringContaining("60 notifications") });
    expect(row.failed_at).not.toBeNull();
  }
});

test("a limit of one channel does not count for another", async () => {
  await waiting(limits.alerts.perChannelAndHourMax + 1);
  await waiting(1);
  await send();
  expect(types().slice(-2)).toEqual(["alert.limited", "alert.opened"]);
});

test("a channel that fails is paused, then tried once, and sends everything when it works again", async () => {
  const { channel, endPause } = await waiting(6);
  recorder.reply = () => ({ status: 503 });
  await send();
  expect(recorder.seen).toHaveLength(limits.alerts.pausedAfterFailures);
  expect((await channel()).paused_until?.getTime()).toBeGreaterThan(clock.nowMs());
  await send();
  expect(recorder.seen).toHaveLength(limits.alerts.pausedAfterFailures);
  await endPause();
  await send();
  expect(recorder.seen).toHaveLength(limits.alerts.pausedAfterFailures + 1);
  recorder.reply = () => ({ status: 200 });
  await endPause();
  await send();
  await send();
  expect(queued).toEqual([]);
  expect(await channel()).toMatchObject({ failures: 0, paused_until: null });
});

test("what waits for a paused channel is given up after a day", async () => {
  const { channel_id } = await waiting(1, dateAt(clock.nowMs() - dayMs));
  const paused_until = dateAt(clock.nowMs() + dayMs);
  await prisma.alert_channel.update({ where: { id: channel_id }, data: { failures: 9, paused_until } });
  await send();
  expect([recorder.seen, queued]).toEqual([[], []]);
  const [row] = await prisma.alert_notification.findMany({ where: { channel_id } });
  expect(row?.failed_at).not.toBeNull();
});

test("pauses grow and have a maximum", () => {
  expect([0, 2, 3, 4, 5, 1_000].map(pauseMsAfter)).toEqual([0, 0, 30_000, 60_000, 120_000, 900_000]);
});
