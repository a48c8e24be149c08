import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { decimalFromPico, picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { until } from "#test/until.ts";
import { Credit } from "./credit.ts";
import { beat, closeLeases, readBalance, sweepLeases, takeLease } from "./credit-leases.ts";
import { settleRows } from "./settle-rows.ts";

const { database, another } = await openTestDatabase();
const eur = picoFromDecimal;
const ttlMs = 60_000;

const openCredit = (on = database, instanceId = uuidv7()) => new Credit(on, instanceId, silentLog);

test("credit for 100 requests admits 100 of 1,000 at once over three processes", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "1" });
  const credits = [openCredit(), openCredit(another()), openCredit(another())];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 1000 }, (_, at) => credits[at % 3]?.hold(orgId, eur("0.01"))),
  );
  const admitted = outcomes.filter(({ status }) => status === "fulfilled").length;
  // None keeps from the others what is too little for itself.
  expect(admitted).toBe(100);
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
  const take = (minimum: string, target: string) =>
    takeLease(database, {
      instanceId: uuidv7(),
      orgId,
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

test("who spends fast is lent ahead what it spends in a lease's time, and never more than a twentieth of what is left", async () => {
  const leasedOf = async (creditEur: string, atLeast: string) => {
    const { orgId } = await createOrganisation(database, { creditEur });
    const credit = openCredit();
    // Less than it was lent at first: nobody would ask for more yet.
    for (let at = 0; at < 30; at++) (await credit.hold(orgId, eur("0.01"))).settle(eur("0.01"));
    const ahead = async () => (await readLedger(database, orgId)).leased - eur("0.3");
    await vi.waitFor(async () => expect(await ahead()).toBeGreaterThan(eur(atLeast)), 10_000);
    const found = await ahead();
    await credit.close();
    return found;
  };
  const [poor, rich] = await Promise.all([leasedOf("40", "1.5"), leasedOf("1000", "10")]);
  // Nothing of it is booked: of 40 EUR a twentieth is 2.
  expect(poor).toBeLessThanOrEqual(eur("2"));
  expect(rich).toBeLessThanOrEqual(eur("50"));
});

test("what was lent for a rush goes back once that is over, for another process to spend", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "1000" });
  const credit = new Credit(database, uuidv7(), silentLog, { leaseTtlMs: 200 });
  for (let at = 0; at < 120; at++) (await credit.hold(orgId, eur("1"))).settle(eur("1"));
  const spent = eur("120");
  const ahead = async () => (await readLedger(database, orgId)).leased - spent;
  await until(async () => expect(await ahead()).toBeGreaterThan(eur("2")));
  // Renewing is when it is noticed, and a minute's quiet what tells that it is over.
  const now = clock.monotonicMs();
  vi.spyOn(clock, "monotonicMs").mockImplementation(() => now + 600_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await until(async () => expect(await ahead()).toBe(eur("1")));
  await credit.close();
});

test("a hold that can do with less leaves most of what is lent to the next ones, and never has less than it needs", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "100" });
  const credit = openCredit();
  await credit.warm(orgId);
  // 1 EUR is lent at first: a quarter of what is there may be had beyond the need.
  const amounts: string[] = [];
  for (const [most, least] of [
    ["0.5", "0.01"],
    ["0.1", "0.01"],
    ["0.9", "0.5"],
  ] as const)
    amounts.push(decimalFromPico((await credit.hold(orgId, eur(most), { least: eur(least) })).amount, 4));
  expect(amounts).toEqual(["0.2500", "0.1000", "0.5000"]);
  // What was wanted is lent ahead for the next: eight times the largest, but of 100 EUR a twentieth at most.
  await vi.waitFor(async () => {
    const next = await credit.hold(orgId, eur("0.9"), { least: eur("0.01") });
    next.settle(0n);
    expect(next.amount).toBe(eur("0.9"));
  }, 10_000);
  expect((await readLedger(database, orgId)).leased).toBeLessThanOrEqual(eur("0.85") + eur("0.9") + eur("5"));
  await credit.close();
});

test("what a hold gives back at once others can hold, and it settles against what it kept", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "0.10" });
  const credit = openCredit();
  const hold = await credit.hold(orgId, eur("0.10"));
  hold.reduce(eur("0.04"));
  hold.reduce(eur("0.07"));
  const other = await credit.hold(orgId, eur("0.06"));
  await expect(credit.hold(orgId, 1n)).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  hold.settle(eur("0.01"));
  other.settle(0n);
  hold.reduce(0n);
  (await credit.hold(orgId, eur("0.09"))).settle(0n);
  await expect(credit.hold(orgId, eur("0.09") + 1n)).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  await credit.close();
});

test("where the need itself is not there, a hold that would like more is refused like any other", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "0.10" });
  const credit = openCredit();
  await expect(credit.hold(orgId, eur("5"), { least: eur("0.11") })).rejects.toMatchObject({
    code: "INSUFFICIENT_QUOTA",
    metadata: { needed_eur: "0.1100000000" },
  });
  expect((await credit.hold(orgId, eur("5"), { least: eur("0.10") })).amount).toBe(eur("0.10"));
  await credit.close();
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
    await takeLease(database, { instanceId, orgId, ttlMs, minimum: 1n, target: eur("1") });
  }
  const past = new Date("2026-01-01T00:00:00Z");
  await database.prisma.credit_lease.updateMany({ where: { org_id: orgId }, data: { expires_at: past } });
  expect(await beat(database, own, ttlMs)).toMatchObject({ standing: new Set([orgId]) });
  const leases = await database.prisma.credit_lease.findMany({ where: { org_id: orgId } });
  const endOf = (id: string) => leases.find(({ instance_id }) => instance_id === id)?.expires_at;
  expect(endOf(other)).toEqual(past);
  expect(endOf(own)?.getTime()).toBeGreaterThan(past.getTime());
});

test("closing returns the rest of every lease once, however often it is asked", async () => {
  const [first, second] = [await createOrganisation(database), await createOrganisation(database)];
  const instanceId = uuidv7();
  for (const { orgId } of [first, second]) {
    await takeLease(database, { instanceId, orgId, ttlMs, minimum: eur("0.3"), target: 0n });
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

const expire = (orgId: string) =>
  database.prisma
    .$executeRaw`update credit_lease set expires_at = now() - interval '1 second' where org_id = ${orgId}::uuid`;

/** Borrowing ahead goes on after who set it off was answered: resolves once all of it is in the database. */
const leased = (orgId: string, amount: string) =>
  until(async () => expect((await readLedger(database, orgId)).leased).toBe(eur(amount)));

describe("a lease past its end", () => {
  test("of a process that died is taken back when another would be refused without it", async () => {
    const { orgId } = await createOrganisation(database, { creditEur: "1" });
    await takeLease(database, { instanceId: uuidv7(), orgId, ttlMs, minimum: eur("0.9"), target: 0n });
    const credit = openCredit();
    await expect(credit.hold(orgId, eur("0.5"))).rejects.toMatchObject({
      code: "INSUFFICIENT_QUOTA",
      metadata: { needed_eur: "0.5000000000", missing_eur: expect.any(String) },
    });
    await expire(orgId);
    await expect(credit.hold(orgId, eur("0.5"))).resolves.toBeDefined();
    await credit.close();
    expect((await readBalance(database, orgId)).free).toBe(eur("1"));
  });

  test("comes back by itself, of the dead only, and however many sweep at once", async () => {
    const { orgId } = await createOrganisation(database, { creditEur: "1" });
    const [dead, alive] = [uuidv7(), uuidv7()];
    for (const instanceId of [dead, alive])
      await takeLease(database, { instanceId, orgId, ttlMs, minimum: eur("0.3"), target: 0n });
    await database.prisma.credit_lease.updateMany({
      where: { instance_id: dead },
      data: { expires_at: new Date(0) },
    });
    await Promise.all(
      [database, another(), another()].map((on) => sweepLeases(on, { instanceId: uuidv7() })),
    );
    expect((await readBalance(database, orgId)).free).toBe(eur("0.7"));
    expect(await readLedger(database, orgId)).toMatchObject({ leased: eur("0.3"), openLeases: eur("0.3") });
    await closeLeases(database, alive);
  });

  test("still counts for its holder while nobody took it back", async () => {
    const { orgId } = await createOrganisation(database, { creditEur: "1" });
    const credit = openCredit();
    const hold = await credit.hold(orgId, eur("0.8"));
    await expire(orgId);
    const now = clock.monotonicMs();
    vi.spyOn(clock, "monotonicMs").mockReturnValue(now + 3_600_000);
    onTestFinished(() => void vi.restoreAllMocks());
    hold.settle(0n);
    await expect(credit.hold(orgId, eur("0.8"))).resolves.toBeDefined();
    expect((await readBalance(database, orgId)).free).toBeLessThanOrEqual(eur("0.2"));
    await credit.close();
  });

  test("that was taken back gives its holder nothing: what it spent late is booked, off no lease (F25)", async () => {
    const organisation = await createOrganisation(database, { creditEur: "1" });
    const { orgId } = organisation;
    const instanceId = uuidv7();
    const late = generationRow(organisation, "0.1");
    const drain = vi.fn(async () => credit.booked(await settleRows(database, [{ instanceId, row: late }])));
    const credit: Credit = new Credit(database, instanceId, silentLog, { drain });
    const [before, during] = [await credit.hold(orgId, eur("0.3")), await credit.hold(orgId, eur("0.2"))];
    // Each of them borrowed ahead as well: what came later than the expiry would renew the lease.
    await leased(orgId, "0.55");
    before.settle(eur("0.1"));
    await expire(orgId);
    await sweepLeases(database, { instanceId: uuidv7() });
    const other = openCredit();
    await other.hold(orgId, eur("0.7"));
    const now = clock.monotonicMs();
    vi.spyOn(clock, "monotonicMs").mockReturnValue(now + 3_600_000);
    onTestFinished(() => void vi.restoreAllMocks());
    // 1 less 0.7 of the other and 0.1 of the late booking: what the lost lease held is not there a second time.
    await expect(credit.hold(orgId, eur("0.25"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    expect(drain).toHaveBeenCalledOnce();
    during.settle(eur("0.15"));
    await expect(credit.hold(orgId, eur("0.06"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    await credit.close();
    await other.close();
    expect(await readLedger(database, orgId)).toMatchObject({ leased: 0n, openLeases: 0n, used: eur("0.1") });
  });

  test("that was taken back unnoticed is not added to the next one (F25)", async () => {
    const { orgId } = await createOrganisation(database, { creditEur: "1" });
    const credit = openCredit();
    const hold = await credit.hold(orgId, eur("0.3"));
    await leased(orgId, "0.35");
    await expire(orgId);
    await sweepLeases(database, { instanceId: uuidv7() });
    const other = openCredit();
    await other.hold(orgId, eur("0.7"));
    await leased(orgId, "0.75");
    hold.settle(0n);
    // Its clock has not told it yet: with 0.05 more it would think it had 0.4, where 0.25 are left.
    await expect(credit.hold(orgId, eur("0.4"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    await expect(credit.hold(orgId, eur("0.25"))).resolves.toBeDefined();
    await credit.close();
    await other.close();
    expect((await readBalance(database, orgId)).free).toBe(eur("1"));
  });
});

describe("a limit that was changed", () => {
  const of = (limit: string) => ({ owner: "key", limit: eur(limit) }) as const;
  const setLimit = (id: string, limit: string) =>
    database.prisma.api_key.update({ where: { id }, data: { limit_pico_eur: eur(limit).toString() } });

  test("holds at once: what was lent under another one is not spent", async () => {
    const { keyId } = await createOrganisation(database);
    const credit = openCredit();
    await setLimit(keyId, "2");
    const first = await credit.hold(keyId, eur("0.01"), of("2"));
    first.settle(0n);
    // More than the request needed was lent, and lies here.
    expect((await readBalance(database, keyId)).free).toBe(eur("1.9"));
    await setLimit(keyId, "0");
    await expect(credit.hold(keyId, 1n, of("0"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    await setLimit(keyId, "0.5");
    await expect(credit.hold(keyId, eur("0.6"), of("0.5"))).rejects.toMatchObject({
      code: "INSUFFICIENT_QUOTA",
    });
    (await credit.hold(keyId, eur("0.5"), of("0.5"))).settle(0n);
    await credit.close();
    expect((await readBalance(database, keyId)).free).toBe(eur("0.5"));
  });

  test("gets back what was under way and is left over, and lends it to the next by its own measure", async () => {
    const { keyId } = await createOrganisation(database);
    const credit = openCredit();
    await setLimit(keyId, "1");
    const underWay = await credit.hold(keyId, eur("0.8"), of("1"));
    await setLimit(keyId, "0.9");
    await expect(credit.hold(keyId, eur("0.2"), of("0.9"))).rejects.toMatchObject({
      code: "INSUFFICIENT_QUOTA",
    });
    (await credit.hold(keyId, eur("0.1"), of("0.9"))).settle(0n);
    underWay.settle(eur("0.3"));
    await until(async () => expect(await credit.hold(keyId, eur("0.6"), of("0.9"))).toBeDefined());
    await expect(credit.hold(keyId, 1n, of("0.9"))).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
    await credit.close();
  });
});

test("a database that cannot be asked refuses nobody for lack of credit", async () => {
  const away = { ...database, prisma: { $queryRaw: () => Promise.reject(new Error("connection refused")) } };
  const credit = openCredit(away as never);
  await expect(credit.hold(uuidv7(), 1n)).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    headers: { "retry-after": "5" },
  });
});

test("who is refused is told what they have, whoever it is lent to", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "10" });
  const credit = openCredit();
  const told = async () => {
    const refused = await credit.hold(orgId, eur("20.65")).catch((error: unknown) => error);
    return refused instanceof AppError ? refused.metadata : refused;
  };
  const whole = { needed_eur: "20.6500000000", available_eur: "10.0000000000", missing_eur: "10.6500000000" };
  expect(await told()).toMatchObject(whole);
  const hold = await credit.hold(orgId, eur("4"));
  expect(await told()).toMatchObject({ available_eur: "6.0000000000", missing_eur: "14.6500000000" });
  hold.settle(0n);
  expect(await told()).toMatchObject(whole);
  await credit.close();
});
