import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, test } from "vitest";
import { AlertChannel, AlertChannelTest } from "#contract/alert-channel.ts";
import { AlertIncident } from "#contract/alert-incident.ts";
import { AlertKindDescription } from "#contract/alert-kind.ts";
import { AlertRule } from "#contract/alert-rule.ts";
import { alertKindNames } from "#contract/alert-texts.ts";
import { data, dataList } from "#contract/common.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { startReceiver } from "#test/alerts/alerting.ts";
import { until } from "#test/until.ts";
import { join, newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const mails: { readonly to: string[]; readonly text: string }[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  async onData(stream, session, done) {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    mails.push({
      to: session.envelope.rcptTo.map(({ address }) => address),
      text: Buffer.concat(chunks).toString(),
    });
    done();
  },
});
await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", () => resolve()));
afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())));

const { recorder, messages } = await startReceiver();
const server = await startTestServer({
  settings: {
    ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
    SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    MAIL_FROM: "Portolan <portolan@example.eu>",
    PUBLIC_URL: "http://llm.example.eu",
  },
});
const { database, queue, sealer } = server.services;
const ours = await newOrganisation(server);

const send = (method: string, path: string, body?: object, key = ours.key) =>
  server.send(method, path, { key, ...(body && { body: JSON.stringify(body) }) });
const createChannel = async (body: object) =>
  (await answer(data(AlertChannel), await send("POST", "/alert-channels", { name: uuidv7(), ...body }), 201))
    .data;
const createRule = async (body: object) =>
  (await answer(data(AlertRule), await send("POST", "/alert-rules", { name: uuidv7(), ...body }), 201)).data;
const incidents = async (query = "") =>
  (await answer(dataList(AlertIncident), await send("GET", `/alert-incidents${query}`))).data;
/** Confirms an address with the link in its latest mail, as its owner does. Returns the status. */
async function confirm(address: string): Promise<number> {
  const token = await until(() => {
    const mail = mails.findLast(({ to, text }) => to.includes(address) && text.includes("/confirm-alerts#"));
    const link = mail && /confirm-alerts#([\w-]+)/.exec(mail.text.replaceAll("=\r\n", ""));
    expect(link).toBeTruthy();
    return link?.[1] ?? "";
  });
  const body = JSON.stringify({ token });
  return (await server.send("POST", "/alert-channels/confirm", { body })).status;
}
const tryOut = async (id: string) =>
  (await answer(data(AlertChannelTest), await send("POST", `/alert-channels/${id}/test`))).data;
const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const hook = () => `${recorder.origin}/secret-path`;

test("every kind is listed with the schema of its settings", async () => {
  const kinds = await answer(dataList(AlertKindDescription), await send("GET", "/alert-kinds"));
  expect(kinds.data.map(({ kind }) => kind)).toEqual([...alertKindNames]);
  for (const { settings_schema } of kinds.data) expect(settings_schema).toMatchObject({ type: "object" });
});

describe("a channel", () => {
  test("shows neither path nor secret, in answers, in the audit log and in the database", async () => {
    const channel = await createChannel({ type: "webhook", address: hook(), signing_secret: secret });
    expect(channel).toMatchObject({ target: recorder.origin, is_signed: true });
    await send("PATCH", `/alert-channels/${channel.id}`, { name: uuidv7() });
    const stored = JSON.stringify(await database.prisma.alert_channel.findMany());
    const entries = await database.prisma.audit_entry.findMany({
      where: { org_id: ours.orgId },
      select: { action: true, before: true, after: true },
    });
    const log = JSON.stringify(entries);
    const listed = await (await send("GET", "/alert-channels")).text();
    expect(log).toContain("alert_channel.update");
    for (const text of [stored, log, listed]) {
      expect(text).not.toContain("secret-path");
      expect(text).not.toContain(secret);
    }
    const row = await database.prisma.alert_channel.findUniqueOrThrow({ where: { id: channel.id } });
    const place = { table: "alert_channel", column: "secrets", rowId: row.id, orgId: row.org_id };
    expect(JSON.parse(sealer.open(row.secrets, place))).toEqual({ address: hook(), signing_secret: secret });
  });

  test.each([
    [{ type: "email", address: "nobody" }, "address"],
    [{ type: "webhook", address: "ftp://example.eu" }, "address"],
    [{ type: "webhook", address: "http://10.0.0.1/hook" }, "address"],
    [{ type: "slack", address: "https://hooks.example.com/x", signing_secret: secret }, "signing_secret"],
    [{ type: "webhook", address: "https://hooks.example.com/x", signing_secret: "short" }, "signing_secret"],
    [{ type: "pager", address: "https://hooks.example.com/x" }, "type"],
  ])("%j is refused, naming %s", async (body, param) => {
    await refusal(await send("POST", "/alert-channels", { name: uuidv7(), ...body }), 400, param);
  });

  test("is tested over its own protocol, and the result says why a receiver refused", async () => {
    recorder.seen.length = 0;
    const webhook = await createChannel({ type: "webhook", address: hook(), signing_secret: secret });
    const slack = await createChannel({ type: "slack", address: hook() });
    const email = await createChannel({ type: "email", address: "grace@example.eu" });
    expect(email).toMatchObject({ confirmation: "pending" });
    expect(await tryOut(email.id)).toMatchObject({ success: false });
    expect(await confirm("grace@example.eu")).toBe(200);
    expect(await confirm("grace@example.eu")).toBe(404);
    for (const { id } of [webhook, slack, email]) expect(await tryOut(id)).toMatchObject({ success: true });
    const [signed, message] = recorder.seen;
    const headers = signed?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(signed?.body ?? "", headers)).toMatchObject({ type: "alert.test" });
    expect(JSON.parse(String(message?.body))).toEqual({
      text: expect.stringContaining("*Test: This is a test of an alert channel*"),
    });
    expect(mails.at(-1)).toMatchObject({ to: ["grace@example.eu"] });
    expect(mails.at(-1)?.text).toMatch(/Message-ID: <[\w-]+@portolan.alerts>/i);
    recorder.reply = () => ({ status: 403, body: "not for you" });
    const refused = await tryOut(webhook.id);
    recorder.reply = () => ({ status: 200 });
    expect(refused).toEqual({
      success: false,
      message: "The receiver did not accept the test. Answered 403",
    });
  });

  test("cannot be deleted while a rule uses it, and the refusal names the rule", async () => {
    const channel = await createChannel({ type: "webhook", address: hook() });
    const rule = await createRule({ kind: "low_credit", channel_ids: [channel.id] });
    const refused = await refusal(await send("DELETE", `/alert-channels/${channel.id}`), 409, null);
    expect(refused.message).toContain(rule.name);
    await send("PATCH", `/alert-rules/${rule.id}`, { channel_ids: [] });
    expect((await send("DELETE", `/alert-channels/${channel.id}`)).status).toBe(200);
  });
});

describe("a rule", () => {
  test.each([
    [{ kind: "low_credit", settings: { below_eur: -1 } }, "settings.below_eur"],
    [{ kind: "low_credit", settings: { above: 1 } }, "settings.above"],
    [{ kind: "budget", settings: { thresholds: [0] } }, "settings.thresholds.0"],
    [{ kind: "budget", scope: "installation" }, "scope"],
    [{ kind: "weather" }, "kind"],
  ])("%j is refused, naming %s", async (body, param) => {
    await refusal(await send("POST", "/alert-rules", { name: uuidv7(), ...body }), 400, param);
  });

  test.each([
    [{ kind: "budget", settings: { budget_id: uuidv7() } }, "settings.budget_id"],
    [{ kind: "low_credit", channel_ids: [uuidv7()] }, "channel_ids"],
  ])("about what the organisation does not have is not found: %j", async (body, param) => {
    await refusal(await send("POST", "/alert-rules", { name: uuidv7(), ...body }), 404, param);
  });

  test("merges settings, and checks them together with those that stay", async () => {
    const rule = await createRule({ kind: "error_rate", settings: { above_percent: 20 } });
    const changed = await send("PATCH", `/alert-rules/${rule.id}`, { settings: { group_by: "model" } });
    expect((await answer(data(AlertRule), changed)).data.settings).toEqual({
      ...rule.settings,
      group_by: "model",
    });
    const wrong = { settings: { window_minutes: 0 } };
    await refusal(await send("PATCH", `/alert-rules/${rule.id}`, wrong), 400, "settings.window_minutes");
  });

  test("for the installation is made and seen by its operator only", async () => {
    const body = { name: uuidv7(), kind: "stale_exchange_rate", scope: "installation" };
    await refusal(await send("POST", "/alert-rules", body), 403, "scope");
    const made = await send("POST", "/alert-rules", body, server.key);
    const { data: rule } = await answer(data(AlertRule), made, 201);
    const operator = await database.prisma.organisation.findFirstOrThrow({ orderBy: { created_at: "asc" } });
    const system = {
      kind: "system",
      orgId: operator.id,
      userId: uuidv7(),
      permissions: new Set<never>(),
    } as const;
    const admin = await join(server, { orgId: operator.id, caller: system }, "admin");
    expect((await send("GET", `/alert-rules/${rule.id}`, undefined, admin.key)).status).toBe(404);
    expect((await send("GET", `/alert-rules/${rule.id}`, undefined, server.key)).status).toBe(200);
  });

  test("is read by every member, and changed by owners and administrators", async () => {
    const body = () => ({ name: uuidv7(), kind: "low_credit" });
    for (const [role, status] of [
      ["admin", 201],
      ["member", 403],
      ["viewer", 403],
    ] as const) {
      const { key } = await join(server, ours, role);
      expect((await send("GET", "/alert-rules", undefined, key)).status).toBe(200);
      expect((await send("POST", "/alert-rules", body(), key)).status, role).toBe(status);
    }
  });
});

test("a condition is sent over every channel by the jobs of the process, and its history is listed", async () => {
  recorder.seen.length = 0;
  const channels = [
    await createChannel({ type: "webhook", address: hook(), signing_secret: secret }),
    await createChannel({ type: "email", address: "ada@example.eu" }),
  ];
  const channel_ids = channels.map(({ id }) => id);
  expect(await confirm("ada@example.eu")).toBe(200);
  const rule = await createRule({ kind: "low_credit", settings: { below_eur: 50 }, channel_ids });
  await queue.enqueue(null, "evaluate-alerts", {}, { key: "now" });
  queue.wake("evaluate-alerts");
  const [incident] = await until(async () => {
    const found = await incidents(`?rule_id=${rule.id}`);
    expect(found[0]?.notifications.map(({ status }) => status)).toEqual(["sent", "sent"]);
    return found;
  });
  expect(incident).toMatchObject({ state: "open", muted: false, rule_name: rule.name });
  const [message] = messages();
  expect(message).toMatchObject({
    id: incident?.notifications.find(({ channel_id }) => channel_id === channels[0]?.id)?.id,
    type: "alert.opened",
    data: { url: "http://llm.example.eu/alerts/incidents", incident: { id: incident?.id, rule_id: rule.id } },
  });
  const mail = mails.findLast(({ to }) => to.includes("ada@example.eu"));
  expect(mail?.text).toContain("Subject: [Portolan] Alert: Credit of Test organisation is EUR 50.00 or less");
  expect(await incidents(`?state=resolved&rule_id=${rule.id}`)).toEqual([]);
  const listed = await answer(data(AlertRule), await send("GET", `/alert-rules/${rule.id}`));
  expect(listed.data.open_incidents).toBe(1);
});

test("what waits for a paused channel is sent at once after a test that its receiver accepts", async () => {
  const channel = await createChannel({ type: "webhook", address: hook() });
  recorder.reply = () => ({ status: 503 });
  for (let count = 0; count < 3; count += 1)
    await createRule({ kind: "low_credit", settings: { below_eur: 50 }, channel_ids: [channel.id] });
  await queue.enqueue(null, "evaluate-alerts", {}, { key: "now" });
  queue.wake("evaluate-alerts");
  const read = async () =>
    (await answer(data(AlertChannel), await send("GET", `/alert-channels/${channel.id}`))).data;
  await until(async () => expect((await read()).paused).toMatchObject({ reason: "Answered 503" }));
  const waiting = () =>
    database.prisma.alert_notification.count({ where: { channel_id: channel.id, sent_at: null } });
  expect(await waiting()).toBe(3);
  // Far away, so that only a hastened job sends anything.
  await until(async () => {
    const postponed = await database.prisma.$executeRaw`
      update jobs.job set start_after = now() + interval '1 hour'
      where name = 'send-alert' and state in ('created', 'retry')`;
    expect(postponed).toBe(3);
  });
  recorder.reply = () => ({ status: 200 });
  expect(await tryOut(channel.id)).toMatchObject({ success: true });
  await until(async () => expect(await waiting()).toBe(0));
  expect((await read()).paused).toBeNull();
});
