import { expect, test, vi } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { decimalFromPico, picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { bookGenerations } from "./book-generations.ts";
import { Credit } from "./credit.ts";
import { readBalance } from "./credit-leases.ts";

const { database, another } = await openTestDatabase();
const eur = picoFromDecimal;

const openCredit = (on = database, instanceId = uuidv7()) => new Credit(on, instanceId, silentLog);

test("credit for 100 requests admits 100 of 1,000 simultaneous requests over three processes", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "1" });
  const credits = [openCredit(), openCredit(another()), openCredit(another())];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 1000 }, (_, at) => credits[at % 3]?.hold(orgId, eur("0.01"))),
  );
  const admitted = outcomes.filter(({ status }) => status === "fulfilled").length;
  // No process withholds credit from the others that is too little for itself.
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

test("the unspent part of a hold can be held again, and a hold is released once", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "0.10" });
  const credit = openCredit();
  const hold = await credit.hold(orgId, eur("0.10"));
  await expect(credit.hold(orgId, 1n)).rejects.toThrow(AppError);
  hold.release(eur("0.04"));
  hold.release(0n);
  const rest = await credit.hold(orgId, eur("0.06"));
  await expect(credit.hold(orgId, 1n)).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  rest.release(0n);
  await credit.close();
});

test("many processes that spend and book never make the balance negative", async () => {
  const organisation = await createOrganisation(database, { creditEur: "0.5" });
  const { orgId } = organisation;
  const processes = [database, another(), another()].map((on) => {
    const instanceId = uuidv7();
    return { on, instanceId, credit: openCredit(on, instanceId) };
  });
  const spend = async ({ on, instanceId, credit }: (typeof processes)[number]) => {
    const hold = await credit.hold(orgId, eur("0.02"));
    hold.release(eur("0.015"));
    await bookGenerations(on, [{ instanceId, row: generationRow(organisation, "0.015") }]);
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

test("a hold with a lower minimum leaves most of the lease to later ones, and never has less than the minimum", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "100" });
  const credit = openCredit();
  await credit.warm(orgId);
  // 1 EUR is leased at first: at most a quarter of the rest beyond the need.
  const amounts: string[] = [];
  for (const [most, least] of [
    ["0.5", "0.01"],
    ["0.1", "0.01"],
    ["0.9", "0.5"],
  ] as const)
    amounts.push(decimalFromPico((await credit.hold(orgId, eur(most), { least: eur(least) })).amount, 4));
  expect(amounts).toEqual(["0.2500", "0.1000", "0.5000"]);
  // Credit is leased ahead: eight times the largest hold, but at most a twentieth of 100 EUR.
  await vi.waitFor(async () => {
    const next = await credit.hold(orgId, eur("0.9"), { least: eur("0.01") });
    next.release(0n);
    expect(next.amount).toBe(eur("0.9"));
  }, 10_000);
  expect((await readLedger(database, orgId)).leased).toBeLessThanOrEqual(eur("0.85") + eur("0.9") + eur("5"));
  await credit.close();
});

test("what a hold gives back can be held by others, and its release counts from the remainder", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "0.10" });
  const credit = openCredit();
  const hold = await credit.hold(orgId, eur("0.10"));
  hold.reduce(eur("0.04"));
  hold.reduce(eur("0.07"));
  const other = await credit.hold(orgId, eur("0.06"));
  await expect(credit.hold(orgId, 1n)).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  hold.release(eur("0.01"));
  other.release(0n);
  hold.reduce(0n);
  (await credit.hold(orgId, eur("0.09"))).release(0n);
  await expect(credit.hold(orgId, eur("0.09") + 1n)).rejects.toMatchObject({ code: "INSUFFICIENT_QUOTA" });
  await credit.close();
});

test("a hold is refused if even its minimum is not left", async () => {
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

test("a request that costs nothing is admitted without credit", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "0" });
  const credit = openCredit();
  await expect(credit.hold(orgId, 0n)).resolves.toBeDefined();
  await credit.close();
});

test("an unavailable database is not reported as a lack of credit", async () => {
  const unavailable = {
    ...database,
    prisma: { $queryRaw: () => Promise.reject(new Error("connection refused")) },
  };
  const credit = openCredit(unavailable as never);
  await expect(credit.hold(uuidv7(), 1n)).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    headers: { "retry-after": "5" },
  });
});

test("a refusal names the remaining credit, whichever process has leased it", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "10" });
  const credit = openCredit();
  const refusal = async () => {
    const reason = await credit.hold(orgId, eur("20.65")).catch((error: unknown) => error);
    return reason instanceof AppError ? reason.metadata : reason;
  };
  const everything = {
    needed_eur: "20.6500000000",
    available_eur: "10.0000000000",
    missing_eur: "10.6500000000",
  };
  expect(await refusal()).toMatchObject(everything);
  const hold = await credit.hold(orgId, eur("4"));
  expect(await refusal()).toMatchObject({ available_eur: "6.0000000000", missing_eur: "14.6500000000" });
  hold.release(0n);
  expect(await refusal()).toMatchObject(everything);
  await credit.close();
});
