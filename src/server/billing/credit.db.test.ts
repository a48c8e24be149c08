import { expect, test } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { Credit } from "./credit.ts";
import { closeLeases, readBalance, renewLeases, takeLease } from "./credit-leases.ts";
import { settleRows } from "./settle-rows.ts";

const { database, another } = await openTestDatabase();
const eur = picoFromDecimal;

const openCredit = (on = database, instanceId = uuidv7()) => new Credit(on, instanceId, silentLog);

test("credit for 100 requests admits at most 100 of 1,000 at once over three processes", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "1" });
  const credits = [openCredit(), openCredit(another()), openCredit(another())];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 1000 }, (_, at) => credits[at % 3]?.hold(orgId, eur("0.01"))),
  );
  const admitted = outcomes.filter(({ status }) => status === "fulfilled").length;
  expect(admitted).toBeLessThanOrEqual(100);
  // What three processes may keep from each other is less than one request each.
  expect(admitted).toBeGreaterThanOrEqual(97);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  }
  expect((await readBalance(database, orgId)).free).toBeGreaterThanOrEqual(0n);
  await Promise.all(credits.map((credit) => credit.close()));
  expect((await readBalance(database, orgId)).free).toBe(eur("1"));
});

test("one process admits exactly as many requests as the credit pays for", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "1" });
  const credit = openCredit();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 1000 }, () => credit.hold(orgId, eur("0.01"))),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(100);
  await credit.close();
});

test("what a hold did not spend can be held again, and a hold settles once", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "0.10" });
  const credit = openCredit();
  const hold = await credit.hold(orgId, eur("0.10"));
  await expect(credit.hold(orgId, 1n)).rejects.toThrow(AppError);
  hold.settle(eur("0.04"));
  hold.settle(0n);
  const rest = await credit.hold(orgId, eur("0.06"));
  await expect(credit.hold(orgId, 1n)).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  rest.settle(0n);
  await credit.close();
});

test("many processes that spend and book never bring the balance below zero", async () => {
  const organisation = await createOrganisation(database, { creditEur: "0.5" });
  const { orgId } = organisation;
  const processes = [database, another(), another()].map((on) => {
    const instanceId = uuidv7();
    return { on, instanceId, credit: openCredit(on, instanceId) };
  });
  const spend = async ({ on, instanceId, credit }: (typeof processes)[number]) => {
    const hold = await credit.hold(orgId, eur("0.02"));
    hold.settle(eur("0.015"));
    await settleRows(on, [{ instanceId, row: generationRow(organisation, "0.015") }]);
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 90 }, (_, at) => spend(processes[at % 3] ?? (processes[0] as never))),
  );
  const served = outcomes.filter(({ status }) => status === "fulfilled").length;
  for (const { credit } of processes) await credit.close();
  const state = await readLedger(database, orgId);
  expect(state.generationCount).toBe(served);
  expect(state.used).toBe(eur("0.015") * BigInt(served));
  expect(state.credits).toBeGreaterThanOrEqual(0n);
  expect(state).toMatchObject({ leased: 0n, openLeases: 0n });
});

test("a lease is never larger than what is free, and nothing is lent when less than the need is free", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "1" });
  const take = (need: string, want: string) =>
    takeLease(database, { instanceId: uuidv7(), orgId, need: eur(need), want: eur(want) });
  expect(await take("0.01", "100")).toBe(eur("0.05"));
  expect(await take("0.9", "0.9")).toBe(eur("0.9"));
  expect(await take("0.06", "1")).toBe(0n);
  expect(await take("0.05", "1")).toBe(eur("0.05"));
  expect(await take("0.000000000001", "1")).toBe(0n);
  expect(await readBalance(database, orgId)).toMatchObject({ free: 0n });
});

test("an unknown organisation has no credit", async () => {
  const credit = openCredit();
  await expect(credit.hold(uuidv7(), 1n)).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  await credit.close();
});

test("a request that may cost nothing is admitted without credit", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "0" });
  const credit = openCredit();
  await expect(credit.hold(orgId, 0n)).resolves.toBeDefined();
  await credit.close();
});

test("renewing moves the end of this process's leases only", async () => {
  const { orgId } = await createOrganisation(database);
  const [own, other] = [uuidv7(), uuidv7()];
  for (const instanceId of [own, other]) {
    await takeLease(database, { instanceId, orgId, need: 1n, want: eur("1") });
  }
  const past = new Date("2026-01-01T00:00:00Z");
  await database.prisma.credit_lease.updateMany({ where: { org_id: orgId }, data: { expires_at: past } });
  await renewLeases(database, own);
  const leases = await database.prisma.credit_lease.findMany({ where: { org_id: orgId } });
  const endOf = (id: string) => leases.find(({ instance_id }) => instance_id === id)?.expires_at;
  expect(endOf(other)).toEqual(past);
  expect(endOf(own)?.getTime()).toBeGreaterThan(past.getTime());
});

test("closing returns the rest of every lease once, however often it is asked", async () => {
  const [first, second] = [await createOrganisation(database), await createOrganisation(database)];
  const instanceId = uuidv7();
  for (const { orgId } of [first, second]) {
    await takeLease(database, { instanceId, orgId, need: eur("0.3"), want: 0n });
  }
  await settleRows(database, [{ instanceId, row: generationRow(first, "0.1") }]);
  await Promise.all([closeLeases(database, instanceId), closeLeases(another(), instanceId)]);
  expect(await readBalance(database, first.orgId)).toEqual({
    granted: eur("10"),
    used: eur("0.1"),
    free: eur("9.9"),
  });
  expect(await readBalance(database, second.orgId)).toMatchObject({ free: eur("10") });
});
