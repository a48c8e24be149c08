import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest";
import { openDatabase } from "#server/db/index.ts";
import { type JobHandler, type JobName, type JobPayload, jobTable } from "#server/jobs/queue/job-table.ts";
import { openQueue } from "#server/jobs/queue.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { openTestDatabase } from "#test/factories.ts";
import { createTestDatabase } from "#test/test-database.ts";
import { until } from "#test/until.ts";

const { connection, database } = await openTestDatabase();
const queue = await openQueue(connection, database, silentLog);
afterAll(() => queue.close());

const handler = vi.fn<JobHandler<"expired-sessions">>();
const untouched = async () => {};
await queue.work({
  "expired-sessions": handler,
  "old-refusals": untouched,
  "usage-sums": untouched,
  "request-months": untouched,
  "broadcast-traces": untouched,
  "keep-deliveries": untouched,
  "evaluate-alerts": untouched,
  "cosign-checkpoints": untouched,
  "publish-checkpoints": untouched,
  "stamp-checkpoints": untouched,
  "export-audit": untouched,
  "send-alert": untouched,
  "exchange-rate": untouched,
  "change-sealing-key": untouched,
  mail: untouched,
  "password-reset": untouched,
  "expired-responses": untouched,
  "background-response": untouched,
  "forget-organisation": untouched,
  "erase-data-subject": untouched,
  "build-evidence-package": untouched,
  "expired-packages": untouched,
});
afterEach(() => {
  handler.mockReset();
});

const name = "expired-sessions" as const;
const jobs = async () =>
  Number((await database.prisma.$queryRaw<{ n: bigint }[]>`select count(*) as n from jobs.job`)[0]?.n);
const handled = (times: number) =>
  vi.waitFor(
    () => {
      queue.wake(name);
      expect(handler).toHaveBeenCalledTimes(times);
    },
    { timeout: 10_000 },
  );

test("a job queued by a transaction that fails never exists", async () => {
  const before = await jobs();
  const viaPrisma = database.transaction(async (tx) => {
    await queue.enqueue(tx, name, {});
    throw new Error("undone");
  });
  await expect(viaPrisma).rejects.toThrow("undone");
  const viaBatch = database.batch(async (client) => {
    await queue.enqueue(client, name, {});
    throw new Error("undone");
  });
  await expect(viaBatch).rejects.toThrow("undone");
  expect(await jobs()).toBe(before);
});

test("a job queued by a transaction that commits runs, with either API", async () => {
  await database.transaction((tx) => queue.enqueue(tx, name, {}));
  await handled(1);
  await database.batch((client) => queue.enqueue(client, name, {}));
  await handled(2);
});

test("the very first job of every kind is queued by a transaction, without waiting for another connection", async () => {
  const fresh = await createTestDatabase();
  onTestFinished(() => fresh.close());
  const over = openDatabase(fresh.connection, createMetrics(), silentLog);
  onTestFinished(() => over.close());
  const first = await openQueue(fresh.connection, over, silentLog);
  onTestFinished(() => first.close());
  const payloads: Partial<Record<JobName, object>> = {
    "broadcast-traces": { destination_id: uuidv7() },
    "background-response": { id: uuidv7() },
    "forget-organisation": { id: uuidv7() },
    "erase-data-subject": { id: uuidv7(), again: false },
    "build-evidence-package": { id: uuidv7() },
    "send-alert": { id: uuidv7() },
    mail: { id: uuidv7(), sealed: "sealed" },
    "password-reset": { id: uuidv7(), sealed: "sealed" },
  };
  const put = over.transaction(async (tx) => {
    for (const kind of Object.keys(jobTable) as JobName[])
      await first.enqueue(tx, kind, (payloads[kind] ?? {}) as JobPayload<JobName>);
  });
  await expect(put).resolves.toBeUndefined();
});

test("a job that fails is retried until it succeeds", async () => {
  handler.mockRejectedValueOnce(new Error("not yet"));
  await queue.enqueue(null, name, {});
  await handled(1);
  await until(async () => {
    const due = await database.prisma.$executeRaw`
      update jobs.job set start_after = now() where name = ${name} and state = 'retry'`;
    expect(due).toBe(1);
  });
  await handled(2);
});

test("a second process over the same database opens the queue and shares the work", async () => {
  const other = await openQueue(connection, database, silentLog);
  try {
    await other.enqueue(null, name, {});
    await handled(1);
  } finally {
    await other.close();
  }
});
