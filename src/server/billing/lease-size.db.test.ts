import { expect, onTestFinished, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { until } from "#test/until.ts";
import { Credit } from "./credit.ts";
import { readBalance, takeLease } from "./credit-leases.ts";

const { database } = await openTestDatabase();
const eur = picoFromDecimal;
const ttlMs = 60_000;

const openCredit = () => new Credit(database, uuidv7(), silentLog);

test("a lease never exceeds the free credit, and nothing is granted if less than the minimum is free", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "1" });
  const take = (minimum: string, target: string) =>
    takeLease(database, {
      instanceId: uuidv7(),
      accountId: orgId,
      ttlMs,
      minimum: eur(minimum),
      target: eur(target),
    }).then(({ amount }) => amount);
  expect(await take("0.01", "100")).toBe(eur("0.05"));
  expect(await take("0.9", "0.9")).toBe(eur("0.9"));
  expect(await take("0.06", "1")).toBe(0n);
  expect(await take("0.05", "1")).toBe(eur("0.05"));
  expect(await take("0.000000000001", "1")).toBe(0n);
  expect(await readBalance(database, orgId)).toMatchObject({ free: 0n });
});

test("a process leases ahead what it spends in a lease's lifetime, and never more than a twentieth of the rest", async () => {
  const leasedOf = async (creditEur: string, atLeast: string) => {
    const { orgId } = await createOrganisation(database, { creditEur });
    const credit = openCredit();
    // Less than was leased at first, so nothing more is requested yet.
    for (let at = 0; at < 30; at++) (await credit.hold(orgId, eur("0.01"))).release(eur("0.01"));
    const ahead = async () => (await readLedger(database, orgId)).leased - eur("0.3");
    await vi.waitFor(async () => expect(await ahead()).toBeGreaterThan(eur(atLeast)), 10_000);
    const found = await ahead();
    await credit.close();
    return found;
  };
  const [poor, rich] = await Promise.all([leasedOf("40", "1.5"), leasedOf("1000", "10")]);
  // Nothing of it is booked: a twentieth of 40 EUR is 2.
  expect(poor).toBeLessThanOrEqual(eur("2"));
  expect(rich).toBeLessThanOrEqual(eur("50"));
});

test("credit leased for a burst is returned after it, for other processes", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "1000" });
  const credit = new Credit(database, uuidv7(), silentLog, { leaseTtlMs: 200 });
  for (let at = 0; at < 120; at++) (await credit.hold(orgId, eur("1"))).release(eur("1"));
  const spent = eur("120");
  const ahead = async () => (await readLedger(database, orgId)).leased - spent;
  await until(async () => expect(await ahead()).toBeGreaterThan(eur("2")));
  // It is noticed at a renewal, after a minute without requests.
  const now = clock.monotonicMs();
  vi.spyOn(clock, "monotonicMs").mockImplementation(() => now + 600_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await until(async () => expect(await ahead()).toBe(eur("1")));
  await credit.close();
});
