import { afterAll, expect, test, vi } from "vitest";
import { openQueue } from "#server/jobs/queue.ts";
import { silentLog } from "#server/platform/log.ts";
import {
  addChannel,
  addRule,
  startAlerting,
  startAlertWorker,
  startReceiver,
} from "#test/alerts/alerting.ts";
import { catalogueOf } from "#test/catalogues.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { until } from "#test/until.ts";

const { connection, database } = await openTestDatabase();
const { prisma } = database;
const queue = await openQueue(connection, database, silentLog);
afterAll(() => queue.close());
const { recorder, messages, types } = await startReceiver();
const { deps, evaluate } = startAlerting(database, () => catalogueOf([]), { queue });

const startWorker = () => startAlertWorker({ connection });

/** As if the time had passed after which the queue considers a silent worker dead, and before it tries again. */
const passTime = () => prisma.$executeRaw`
  update jobs.job set heartbeat_on = now() - interval '1 hour', start_after = now() where name = 'send-alert'
    and state in ('active', 'retry')`;

const states = async () =>
  (await prisma.alert_notification.findMany({ orderBy: { created_at: "asc" } })).map(
    ({ event, sent_at }) => `${event} ${sent_at ? "sent" : "pending"}`,
  );

test("after kill -9 between sending and recording, the next process sends the same id and body, and records it once", {
  timeout: 120_000,
}, async () => {
  const ours = await createOrganisation(database, { creditEur: "1" });
  const channel = await addChannel(deps, ours, { address: recorder.origin });
  await addRule(deps, ours, { kind: "low_credit", channel_ids: [channel] });
  let worker = await startWorker();
  // The receiver has the message; its process dies before it has the answer.
  recorder.reply = async () => {
    await worker.kill();
    return { status: 200 };
  };
  await evaluate();
  await until(() => expect(types()).toEqual(["alert.opened"]));
  await until(() => expect(worker.process.signalCode).toBe("SIGKILL"));
  expect(await states()).toEqual(["opened pending"]);

  recorder.reply = () => ({ status: 200 });
  worker = await startWorker();
  const sent = async () => {
    await passTime();
    expect(await states()).toEqual(["opened sent"]);
  };
  await vi.waitFor(sent, { timeout: 90_000, interval: 250 });
  expect(types()).toEqual(["alert.opened", "alert.opened"]);
  const [first, second] = recorder.seen;
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.body).toEqual(first?.body);

  // It was recorded once: neither another evaluation nor another process sends it again.
  await evaluate();
  await prisma.credit_balance.update({
    where: { account_id: ours.orgId },
    data: { granted_pico_eur: "100000000000000" },
  });
  await evaluate();
  await until(async () => expect(await states()).toEqual(["opened sent", "resolved sent"]));
  expect(types()).toEqual(["alert.opened", "alert.opened", "alert.resolved"]);
  expect(new Set(messages().map(({ id }) => id)).size).toBe(2);
});
