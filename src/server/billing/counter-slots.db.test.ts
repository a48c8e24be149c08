import { expect, onTestFinished, test } from "vitest";
import type { Database } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { openTestDatabase } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { Credit } from "./credit.ts";
import type { Counter } from "./hold.ts";

const { database, another } = await openTestDatabase();

/** A counter of one parallel request. */
const counterOf = (accountId: string): Counter => ({
  async open({ prisma }: Database) {
    await prisma.credit_balance.upsert({
      where: { account_id: accountId },
      create: { account_id: accountId, granted_pico_eur: "1" },
      update: {},
    });
    return "open";
  },
  tooMany: () => new AppError("RATE_LIMIT_EXCEEDED", "Too many"),
  refuse: () => new AppError("RATE_LIMIT_EXCEEDED", "None is left"),
});

const takeFrom = (credit: Credit, accountId: string) =>
  credit.hold(accountId, 1n, { owner: "budget", limit: 1n, counter: counterOf(accountId) });

function open(on = database): Credit {
  const credit = new Credit(on, uuidv7(), silentLog, {
    heartbeatMs: 50,
    deadAfterMs: 2_500,
    recallEveryMs: 10,
  });
  onTestFinished(() => credit.close());
  return credit;
}

test("a parallel request of a dead process is free again once the process counts as dead", async () => {
  const accountId = uuidv7();
  await counterOf(accountId).open(database);
  // What a killed process leaves: a lease and a last heartbeat.
  const instance_id = uuidv7();
  await database.prisma.credit_balance.update({
    where: { account_id: accountId },
    data: { leased_pico_eur: "1" },
  });
  await database.prisma.credit_lease.create({
    data: { instance_id, account_id: accountId, remaining_pico_eur: "1", expires_at: "2100-01-01T00:00:00Z" },
  });
  await database.prisma.instance_heartbeat.create({ data: { instance_id } });
  const credit = open();
  await expect(takeFrom(credit, accountId)).rejects.toMatchObject({ message: "None is left" });
  (await until(() => takeFrom(credit, accountId))).release(0n);
});

test("a parallel request that ended in one process is free in another at once", async () => {
  const accountId = uuidv7();
  const [one, other] = [open(), open(another())];
  for (let at = 0; at < 5; at++) {
    const hold = await takeFrom(one, accountId);
    await expect(takeFrom(other, accountId)).rejects.toMatchObject({ message: "None is left" });
    hold.release(0n);
    (await takeFrom(other, accountId)).release(0n);
  }
});
