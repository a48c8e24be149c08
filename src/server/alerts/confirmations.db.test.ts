import { afterEach, expect, test } from "vitest";
import { AlertChannelUpdate } from "#contract/alert-channel.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Mail } from "#server/platform/mailer.ts";
import {
  addChannel,
  addRule,
  channelOf,
  startAlerting,
  tryChannel,
  writerOf,
} from "#test/alerts/alerting.ts";
import { catalogueOf } from "#test/catalogues.ts";
import { createOrganisation, openTestDatabase, type TestOrganisation } from "#test/factories.ts";
import { askAgain, updateChannel } from "./channels.ts";
import { confirmAddress } from "./confirmations.ts";

const { database } = await openTestDatabase();
const { prisma } = database;
const asked: { readonly email: string; readonly organisation: string; readonly token: string }[] = [];
const mails: Mail[] = [];
const { deps, queued, evaluate, send } = startAlerting(database, () => catalogueOf([]), {
  mailer: { send: async (mail) => void mails.push(mail) },
  notifications: { confirmAlerts: async (_, one) => void asked.push(one), post: () => {} },
});
const max = limits.alerts.confirmationsPerAddressMax;
afterEach(async () => {
  for (const list of [asked, mails, queued]) list.length = 0;
  await prisma.alert_incident.deleteMany({});
  await prisma.alert_rule.deleteMany({});
  await prisma.alert_confirmation_mail.deleteMany({});
});

const email = (ours: TestOrganisation, address = "ada@partner.example") =>
  addChannel(deps, ours, { type: "email", address });
const again = (ours: TestOrganisation, id: string) => askAgain(deps, writerOf(ours), id);
const lastToken = () => asked.at(-1)?.token ?? "";

/** A channel to a stranger whose address waits for an alert. */
async function waiting() {
  const ours = await createOrganisation(database);
  const id = await email(ours);
  await addRule(deps, ours, { kind: "low_credit", channel_ids: [id] });
  const setUsed = (used_pico_eur: string) =>
    prisma.credit_balance.update({ where: { account_id: ours.orgId }, data: { used_pico_eur } });
  await setUsed("10000000000000");
  await evaluate();
  await send();
  return { ours, id, setUsed };
}

test("an address of no member gets one mail with a link, and alerts only after it was used", async () => {
  const { ours, id } = await waiting();
  expect(asked).toMatchObject([{ email: "ada@partner.example" }]);
  expect(await tryChannel(deps, ours, id)).toMatchObject({ success: false });
  await send();
  expect(mails).toEqual([]);
  expect(await channelOf(deps, ours, id)).toMatchObject({ confirmation: "pending" });
  const stored = JSON.stringify(await prisma.alert_channel.findUnique({ where: { id } }));
  expect(stored).not.toContain(lastToken());

  expect(await confirmAddress(deps, lastToken())).toMatchObject({ address: "ada@partner.example" });
  expect(await channelOf(deps, ours, id)).toMatchObject({
    confirmation: "confirmed",
    confirmation_expires_at: null,
  });
  await send();
  expect(mails).toMatchObject([{ to: "ada@partner.example", subject: expect.stringContaining("Alert: ") }]);
  expect(await tryChannel(deps, ours, id)).toMatchObject({ success: true });
  const actions = await prisma.audit_entry.findMany({
    where: { org_id: ours.orgId, subject_id: id },
    select: { action: true, actor_type: true },
    orderBy: { position: "asc" },
  });
  expect(actions.map(({ action }) => action)).toEqual(["alert_channel.create", "alert_channel.confirm"]);
});

test("what was over before the confirmation is not sent", async () => {
  const { setUsed } = await waiting();
  await setUsed("0");
  await evaluate();
  await confirmAddress(deps, lastToken());
  await send();
  await send();
  expect([mails, queued]).toEqual([[], []]);
});

test("an address that is never confirmed gets nothing, and what waits is given up after a day", async () => {
  const { id } = await waiting();
  await prisma.alert_notification.updateMany({
    data: { created_at: dateAt(clock.nowMs() - limits.alerts.giveUpAfterMs) },
  });
  await send();
  expect([mails, queued]).toEqual([[], []]);
  const [row] = await prisma.alert_notification.findMany({ where: { channel_id: id } });
  expect(row).toMatchObject({ attempts: 0, last_error: expect.stringContaining("not confirmed") });
});

test("a link works once, only until it expires, and not after a newer one", async () => {
  const ours = await createOrganisation(database);
  const id = await email(ours);
  const first = lastToken();
  await again(ours, id);
  await expect(confirmAddress(deps, first)).rejects.toMatchObject({ code: "NOT_FOUND" });
  const past = { confirmation_expires_at: dateAt(clock.nowMs() - 1) };
  await prisma.alert_channel.update({ where: { id }, data: past });
  await expect(confirmAddress(deps, lastToken())).rejects.toMatchObject({ code: "NOT_FOUND" });
  await again(ours, id);
  await confirmAddress(deps, lastToken());
  await expect(confirmAddress(deps, lastToken())).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(again(ours, id)).rejects.toMatchObject({ code: "CONFLICT" });
});

test("a verified address of a member needs no confirmation, as long as they are one", async () => {
  const ours = await createOrganisation(database);
  const user = await prisma.user.create({ data: { name: "Ada", email: "ada@ours.example" } });
  const member = { org_id: ours.orgId, user_id: user.id };
  await prisma.member.create({ data: { ...member, role: "admin" } });
  const unverified = await email(ours, "ada@ours.example");
  expect(await channelOf(deps, ours, unverified)).toMatchObject({ confirmation: "pending" });
  await prisma.user.update({ where: { id: user.id }, data: { email_verified: true } });
  asked.length = 0;
  const id = await email(ours, "Ada@Ours.example");
  expect(asked).toEqual([]);
  expect(await channelOf(deps, ours, id)).toMatchObject({ confirmation: "member" });
  expect(await tryChannel(deps, ours, id)).toMatchObject({ success: true });
  const stranger = await createOrganisation(database);
  expect(await channelOf(deps, stranger, await email(stranger, "ada@ours.example"))).toMatchObject({
    confirmation: "pending",
  });
  await prisma.member.deleteMany({ where: member });
  expect(await tryChannel(deps, ours, id)).toMatchObject({ success: false });
});

test("another address has to be confirmed again, the same one does not", async () => {
  const ours = await createOrganisation(database);
  const id = await email(ours);
  await confirmAddress(deps, lastToken());
  const change = (address: string) =>
    updateChannel(deps, writerOf(ours), AlertChannelUpdate.parse({ id, address }));
  expect(await change("Ada@Partner.example")).toMatchObject({ confirmation: "confirmed" });
  expect(await change("grace@partner.example")).toMatchObject({ confirmation: "pending" });
  expect(asked.map(({ email: to }) => to)).toEqual(["ada@partner.example", "grace@partner.example"]);
});

test("an address gets a few mails a day from all organisations together, and an organisation sends a few", async () => {
  const [ours, others] = [await createOrganisation(database), await createOrganisation(database)];
  const first = await email(ours);
  await email(others);
  for (let count = asked.length; count < max; count += 1) await again(ours, first);
  await expect(again(ours, first)).rejects.toMatchObject({ code: "RATE_LIMIT_EXCEEDED" });
  const unasked = await email(others);
  expect(await channelOf(deps, others, unasked)).toMatchObject({
    confirmation: "pending",
    confirmation_expires_at: null,
  });
  expect(asked).toHaveLength(max);
  const many = await createOrganisation(database);
  asked.length = 0;
  for (let at = 0; at < limits.alerts.channelsPerOrganisationMax; at += 1)
    await email(many, `person-${at}@partner.example`);
  await prisma.alert_channel.deleteMany({ where: { org_id: many.orgId } });
  await email(many, "another@partner.example");
  expect(asked).toHaveLength(limits.alerts.confirmationsPerOrganisationMax);
  await prisma.alert_confirmation_mail.updateMany({
    data: { sent_at: dateAt(clock.nowMs() - limits.alerts.confirmationDayMs) },
  });
  expect(await again(ours, first)).toMatchObject({ confirmation: "pending" });
});
