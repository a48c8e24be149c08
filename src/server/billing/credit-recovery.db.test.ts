import { describe, expect, onTestFinished, test } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { picoFromDecimal as eur } from "#server/platform/money.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { bookGenerations } from "./book-generations.ts";
import { Credit } from "./credit.ts";
import { beat, readBalance, takeLease } from "./credit-leases.ts";
import { grantCredit } from "./grant.ts";

const { database } = await openTestDatabase();

describe("an answer that cost more than its hold", () => {
  /** A process whose spending is booked on request. */
  async function spender(creditEur: string) {
    const organisation = await createOrganisation(database, { creditEur });
    const instanceId = uuidv7();
    const waiting: string[] = [];
    const drain = async () => {
      const rows = waiting.splice(0).map((cost) => ({ instanceId, row: generationRow(organisation, cost) }));
      if (rows.length > 0) credit.booked(await bookGenerations(database, rows));
    };
    const credit: Credit = new Credit(database, instanceId, silentLog, { drain });
    onTestFinished(() => credit.close());
    const spend = async (held: string, cost: string) => {
      (await credit.hold(organisation.orgId, eur(held))).release(eur(cost));
      waiting.push(cost);
    };
    return { ...organisation, credit, drain, spend };
  }

  test("leaves the rest of the balance to the next requests immediately", async () => {
    const { orgId, credit, spend, drain } = await spender("10");
    await spend("0.026", "4");
    await spend("0.026", "4");
    // 1.99 are left, whether the two are booked yet or not.
    await expect(credit.hold(orgId, eur("1.99"))).resolves.toMatchObject({ amount: eur("1.99") });
    await drain();
    await expect(credit.hold(orgId, eur("0.02"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  });

  test("is paid exactly by the credit that is granted after it", async () => {
    const { orgId, caller, credit, spend, drain } = await spender("10");
    await spend("0.026", "40");
    await drain();
    const grant = (amount: string) =>
      database.transaction((tx) => grantCredit(tx, caller, orgId, eur(amount), "For a test"));
    await expect(credit.hold(orgId, eur("0.026"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    await grant("20");
    await expect(credit.hold(orgId, eur("0.026"))).rejects.toMatchObject({
      code: "INSUFFICIENT_QUOTA",
      metadata: { available_eur: "0.0000000000" },
    });
    await grant("20");
    await expect(credit.hold(orgId, eur("10"))).resolves.toBeDefined();
    await expect(credit.hold(orgId, eur("0.01"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  });
});

describe("the credit of a dead process", () => {
  const died = async (creditEur: string, leased: string) => {
    const { orgId } = await createOrganisation(database, { creditEur });
    const instanceId = uuidv7();
    await beat(database, instanceId, 1_200_000);
    await takeLease(database, {
      instanceId,
      accountId: orgId,
      ttlMs: 1_200_000,
      minimum: eur(leased),
      target: 0n,
    });
    return { orgId, instanceId };
  };

  test("is returned once its heartbeat has stopped for longer than a running process needs", async () => {
    const { orgId } = await died("1", "0.9");
    const credit = new Credit(database, uuidv7(), silentLog, { heartbeatMs: 20, deadAfterMs: 300 });
    await expect(credit.hold(orgId, eur("0.5"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    await until(async () => expect((await credit.hold(orgId, eur("0.5"))).amount).toBe(eur("0.5")));
    await credit.close();
    expect((await readBalance(database, orgId)).free).toBe(eur("1"));
  });

  test("is not returned while it writes heartbeats, however slowly others look", async () => {
    const { orgId, instanceId } = await died("1", "0.9");
    const beating = setInterval(() => void beat(database, instanceId, 1_200_000), 20);
    const credit = new Credit(database, uuidv7(), silentLog, { heartbeatMs: 20, deadAfterMs: 400 });
    const startedMs = clock.monotonicMs();
    await until(() => expect(clock.monotonicMs() - startedMs).toBeGreaterThan(1_200));
    clearInterval(beating);
    await credit.close();
    expect((await readBalance(database, orgId)).free).toBe(eur("0.1"));
  });

  test("is returned when its lease expired without a renewal", async () => {
    const { orgId } = await createOrganisation(database, { creditEur: "1" });
    await takeLease(database, {
      instanceId: uuidv7(),
      accountId: orgId,
      ttlMs: 1,
      minimum: eur("0.3"),
      target: 0n,
    });
    const credit = new Credit(database, uuidv7(), silentLog, { leaseTtlMs: 40 });
    await until(async () => expect((await readBalance(database, orgId)).free).toBe(eur("1")));
    await credit.close();
  });
});
