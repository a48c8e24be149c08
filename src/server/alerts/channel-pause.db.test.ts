import { afterEach, expect, test } from "vitest";
import { clock, dateAt, dayMs } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import {
  addChannel,
  addRule,
  channelOf,
  startAlerting,
  startReceiver,
  tryChannel,
} from "#test/alerts/alerting.ts";
import { catalogueOf } from "#test/catalogues.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { pauseMsAfter } from "./channel-pause.ts";

const { database } = await openTestDatabase();
const { prisma } = database;
const { recorder, messages, types } = await startReceiver();
const { deps, queued, send } = startAlerting(database, () => catalogueOf([]));
afterEach(async () => {
  recorder.seen.length = 0;
  recorder.reply = () => ({ status: 200 });
  queued.length = 0;
  await prisma.alert_incident.deleteMany({});
  await prisma.alert_rule.deleteMany({});
});

/** A channel for which this many notifications wait. */
async function waiting(count: number, created_at = dateAt(clock.nowMs())) {
  const ours = await createOrganisation(database);
  const channel_id = await addChannel(deps, ours, { address: recorder.origin });
  const rule_id = await addRule(deps, ours, { kind: "low_credit", channel_ids: [channel_id] });
  // Ids of the same millisecond have no order of their own.
  const ids = Array.from({ length: count }, () => uuidv7()).toSorted();
  const incidentIds: string[] = [];
  for (const id of ids) {
    const [incident_id, subject] = [uuidv7(), id];
    incidentIds.push(incident_id);
    await prisma.alert_incident.create({
      data: {
        ...{ id: incident_id, org_id: ours.orgId, rule_id, rule_name: "Credit", kind: "low_credit" },
        ...{ scope: "organisation", subject, open_subject: subject },
        ...{ title: "Title", detail: "Detail", opened_at: created_at, notified_at: created_at },
        notifications: { create: { id, channel_id, event: "opened", created_at } },
      },
    });
    queued.push(id);
  }
  const channel = () => prisma.alert_channel.findUniqueOrThrow({ where: { id: channel_id } });
  const endPause = () =>
    prisma.alert_channel.update({ where: { id: channel_id }, data: { paused_until: dateAt(0) } });
  /** Resolves these incidents, whose messages are sent later. */
  const resolve = async (resolved: readonly string[]) => {
    const [resolvedIds, at] = [resolved.map(() => uuidv7()).toSorted(), dateAt(clock.nowMs())];
    for (const [index, incident_id] of resolved.entries()) {
      const id = resolvedIds[index] ?? "";
      await prisma.alert_incident.update({
        where: { id: incident_id },
        data: { open_subject: null, resolved_at: at, resolution: "ended" },
      });
      const data = { id, incident_id, channel_id, event: "resolved", created_at: at };
      await prisma.alert_notification.create({ data });
      queued.push(id);
    }
  };
  const shown = () => channelOf(deps, ours, channel_id);
  const test = () => tryChannel(deps, ours, channel_id);
  return { channel_id, incidentIds, channel, endPause, resolve, shown, test };
}

test("a channel gets the limit of an hour and one message about it, at every attempt the same", async () => {
  const max = limits.alerts.perChannelAndHourMax;
  const { channel_id } = await waiting(max + 5);
  const [latest] = queued.slice(max);
  await send();
  expect(types()).toEqual([...Array.from({ length: max }, () => "alert.opened"), "alert.limited"]);
  const rows = await prisma.alert_notification.findMany({ where: { channel_id }, orderBy: { id: "asc" } });
  expect(rows.map(({ sent_at }) => sent_at !== null).lastIndexOf(true)).toBe(max - 1);
  expect(rows[max]?.id).toBe(latest);
  for (const row of rows.slice(max)) {
    expect(row).toMatchObject({ attempts: 0, last_error: expect.stringContaining("60 alerts") });
    expect(row.failed_at).not.toBeNull();
  }
});

test("every alert that was sent is resolved, over the limit too, and no other one", async () => {
  const max = limits.alerts.perChannelAndHourMax;
  const { channel_id, incidentIds, resolve } = await waiting(max + 5);
  await send();
  recorder.seen.length = 0;
  await resolve(incidentIds.toReversed());
  await send();
  expect(types()).toEqual(Array.from({ length: max }, () => "alert.resolved"));
  expect(messages().map(({ data }) => data.incident)).toEqual(
    incidentIds
      .slice(0, max)
      .toReversed()
      .map((id) => expect.objectContaining({ id })),
  );
  const unsent = await prisma.alert_notification.findMany({
    where: { channel_id, event: "resolved", sent_at: null },
  });
  expect(unsent).toHaveLength(5);
  for (const row of unsent)
    expect(row).toMatchObject({ attempts: 0, last_error: expect.stringContaining("not told") });
});

test("messages that incidents are over take no place of an alert", async () => {
  const { resolve, incidentIds, channel_id } = await waiting(limits.alerts.perChannelAndHourMax - 1);
  await send();
  await resolve(incidentIds);
  await send();
  const incident = await prisma.alert_incident.findFirstOrThrow({
    where: { notifications: { some: { channel_id } } },
  });
  const [id, incident_id] = [uuidv7(), uuidv7()];
  await prisma.alert_incident.create({ data: { ...incident, id: incident_id } });
  const data = { id, incident_id, channel_id, event: "opened", created_at: dateAt(clock.nowMs()) };
  await prisma.alert_notification.create({ data });
  queued.push(id);
  await send();
  expect(types().at(-1)).toBe("alert.opened");
});

test("a paused channel says why, since when and when it is tried again, and a test that is accepted ends the pause", async () => {
  const { shown, test: tryOut, channel } = await waiting(6);
  expect((await shown()).paused).toBeNull();
  recorder.reply = () => ({ status: 503 });
  await send();
  const { paused, updated_at } = await shown();
  expect(paused).toMatchObject({ reason: "Answered 503" });
  expect(Date.parse(paused?.next_attempt_at ?? "")).toBeGreaterThan(Date.parse(paused?.since ?? "never"));
  expect(await tryOut()).toMatchObject({ success: false });
  expect((await shown()).paused).toEqual(paused);
  recorder.reply = () => ({ status: 200 });
  expect(await tryOut()).toMatchObject({ success: true });
  expect(await shown()).toMatchObject({ paused: null, updated_at });
  expect(await channel()).toMatchObject({ failures: 0, paused_since: null, paused_reason: null });
  await send();
  expect(queued).toEqual([]);
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
