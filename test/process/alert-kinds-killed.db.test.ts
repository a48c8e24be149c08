import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { afterAll, expect, test } from "vitest";
import type { AlertEvent } from "#contract/alert-incident.ts";
import { type AlertChannelType, alertChannelTypeNames, alertKindNames } from "#contract/alert-texts.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import { openQueue } from "#server/jobs/queue.ts";
import { dateAt } from "#server/platform/clock.ts";
import { silentLog } from "#server/platform/log.ts";
import { addChannel, addRule, startAlerting, startAlertWorker } from "#test/alerts/alerting.ts";
import { kindCases, type Stage, served } from "#test/alerts/kind-cases.ts";
import type { Child } from "#test/child.ts";
import { startRecorder } from "#test/destinations/recorder.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { until } from "#test/until.ts";

const { connection, database } = await openTestDatabase();
const { prisma } = database;
const queue = await openQueue(connection, database, silentLog);
afterAll(() => queue.close());

interface Delivery {
  /** What was sent to whom: kind of alert, type of channel, event. */
  readonly what: string;
  /** The id of the message; of Slack, which has none, the body. */
  readonly id: string;
}
const deliveries: Delivery[] = [];
let worker: Child | null = null;

/** Receives a message. The first time its process is killed before it gets the answer. */
async function receive(kind: string, type: AlertChannelType, event: AlertEvent, id: string): Promise<void> {
  const isFirst = deliveries.every((one) => one.id !== id);
  deliveries.push({ what: `${kind} ${type} ${event}`, id });
  if (isFirst) await worker?.kill();
}

const recorder = await startRecorder();
recorder.reply = async ({ url, headers, body }) => {
  const [, type, kind = ""] = url.split("/");
  const text = body.toString();
  const event = /Resolved:|alert\.resolved/.test(text) ? "resolved" : "opened";
  if (type === "webhook") await receive(kind, "webhook", event, String(headers["webhook-id"]));
  else await receive(kind, "slack", event, text);
  return { status: 200 };
};
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  async onData(stream, session, done) {
    // Undefined if the process was killed while it sent the mail.
    const text = await buffer(stream).then(String, () => undefined);
    if (text === undefined) return;
    const [kind = ""] = session.envelope.rcptTo[0]?.address.split("@") ?? [];
    const event = /^Resolved: /m.test(text) ? "resolved" : "opened";
    await receive(kind, "email", event, /^Message-ID: (.*)$/im.exec(text)?.[1] ?? "");
    done();
  },
});
// Connections of killed processes break.
smtp.on("error", () => {});
await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", () => resolve()));
afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())));
const smtpUrl = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;

const stages = new Map<string | null, Stage>();
const catalogue = (orgId: string | null): Catalogue => stages.get(orgId)?.catalogue ?? served();
const { deps, evaluate } = startAlerting(database, served, {
  ...{ queue, catalogue, mailer: { send: async () => {} } },
});

const pending = () => prisma.alert_notification.count({ where: { sent_at: null } });

/** As if the time had passed after which jobs of a dead process, and those that wait, are done. */
const passTime = () => prisma.$executeRaw`
  update jobs.job set state = 'retry', start_after = now()
  where name = 'send-alert' and state in ('active', 'retry', 'created')`;

/** Starts one process after the other until everything is sent. Returns how many were killed. */
async function sendWithKills(): Promise<number> {
  let killed = 0;
  while ((await pending()) > 0) {
    await passTime();
    const current = await startAlertWorker({ connection, smtpUrl });
    worker = current;
    await until(async () => {
      const isDead = current.process.signalCode !== null;
      expect(isDead || (await pending()) === 0).toBe(true);
      return isDead;
    });
    killed += 1;
    await current.kill();
  }
  return killed;
}

/** Every kind over every type of channel, with an event. */
const combinations = (event: AlertEvent): string[] =>
  alertKindNames.flatMap((kind) => alertChannelTypeNames.map((type) => `${kind} ${type} ${event}`));
const received = () => [...new Set(deliveries.map(({ what }) => what))].toSorted();

test("every kind of alert is sent over every type of channel as one incident that opens and ends, although its process is killed at each message", {
  timeout: 600_000,
}, async () => {
  // The first organisation runs the installation.
  const operator = await createOrganisation(database);
  const runs = [];
  for (const kind of alertKindNames) {
    const { settings, scope } = kindCases[kind];
    const organisation = scope ? operator : await createOrganisation(database);
    const stage: Stage = { database, catalogue: served() };
    stages.set(scope ? null : organisation.orgId, stage);
    const addresses = {
      email: `${kind}@example.eu`,
      webhook: `${recorder.origin}/webhook/${kind}`,
      slack: `${recorder.origin}/slack/${kind}`,
    };
    const channel_ids = [];
    for (const type of alertChannelTypeNames)
      channel_ids.push(await addChannel(deps, organisation, { type, address: addresses[type] }));
    await addRule(deps, organisation, { kind, settings, channel_ids, ...(scope && { scope }) });
    runs.push({ kind, organisation, stage });
  }
  await prisma.alert_channel.updateMany({ data: { confirmed_at: dateAt(0) } });
  await evaluate();
  expect(await prisma.alert_incident.count()).toBe(0);

  for (const { kind, organisation, stage } of runs) await kindCases[kind].cause(stage, organisation);
  await evaluate();
  await evaluate();
  expect(await sendWithKills()).toBeGreaterThan(1);
  expect(received()).toEqual(combinations("opened").toSorted());

  for (const { kind, organisation, stage } of runs) await kindCases[kind].end(stage, organisation);
  await evaluate();
  await evaluate();
  expect(await sendWithKills()).toBeGreaterThan(1);
  expect(received()).toEqual([...combinations("opened"), ...combinations("resolved")].toSorted());

  // Each message had several attempts with one id, and nothing was sent twice as something else.
  const ids = Map.groupBy(deliveries, ({ what }) => what);
  for (const [what, attempts] of ids) {
    expect(attempts.length, what).toBeGreaterThan(1);
    expect(new Set(attempts.map(({ id }) => id)).size, what).toBe(1);
  }
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(ids.size);
  const states = await prisma.alert_notification.findMany({ select: { event: true, attempts: true } });
  expect(states).toHaveLength(2 * combinations("opened").length);
  expect(await prisma.alert_incident.count()).toBe(alertKindNames.length);
});
