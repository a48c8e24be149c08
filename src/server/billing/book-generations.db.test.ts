import { expect, test } from "vitest";
import type { Database } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { type LedgerState, readLedger } from "#test/ledger.ts";
import { databaseKind } from "#test/test-database.ts";
import { until } from "#test/until.ts";
import { type BookingWriter, bookGenerations } from "./book-generations.ts";
import { takeLease } from "./credit-leases.ts";
import type { GenerationRow } from "./generation-row.ts";

const { database, another } = await openTestDatabase();

const waitingForLocks = async (): Promise<number> =>
  database.prisma.$queryRaw<{ pid: number }[]>`
    select distinct pid from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`.then(({ length }) => length);

/** The invariants of every organisation at every moment. */
function expectSound(state: LedgerState) {
  expect(state.granted - state.used).toBe(state.credits);
  expect(state.used).toBe(state.generations);
  expect(state.leased).toBe(state.openLeases);
}

test("rows that are sent ten times are booked once", async () => {
  const organisation = await createOrganisation(database);
  const instanceId = uuidv7();
  const finished = Array.from({ length: 20 }, () => ({
    instanceId,
    row: generationRow(organisation, "0.0123"),
  }));
  await bookGenerations(database, finished);
  const first = await readLedger(database, organisation.orgId);
  expect(first).toMatchObject({ generationCount: 20, used: picoFromDecimal("0.246") });
  for (let again = 0; again < 9; again++) await bookGenerations(database, finished);
  expect(await readLedger(database, organisation.orgId)).toEqual(first);
  expectSound(first);
});

test("rows that are sent over two connections at once are booked once", async () => {
  const organisation = await createOrganisation(database);
  const second = another();
  const instanceId = uuidv7();
  const finished = Array.from({ length: 50 }, () => ({
    instanceId,
    row: generationRow(organisation, "0.01"),
  }));
  // Overlapping batches in different order, as two replays of one spool would send them.
  const batches = [finished.slice(0, 30), finished.slice(20), finished.toReversed(), finished];
  await Promise.all(
    batches.flatMap((batch) => [bookGenerations(database, batch), bookGenerations(second, batch)]),
  );
  const state = await readLedger(database, organisation.orgId);
  expect(state).toMatchObject({ generationCount: 50, used: picoFromDecimal("0.5") });
  expectSound(state);
});

/** Runs `work` while another transaction, which is rolled back afterwards, has inserted the row. */
async function whileInserting(row: GenerationRow, work: () => Promise<void>): Promise<void> {
  const rolledBack = new Error("The other transaction is rolled back");
  const other = another().batch(async (client) => {
    await client.query("insert into generation select * from json_populate_record(null::generation, $1)", [
      JSON.stringify(row),
    ]);
    await work();
    throw rolledBack;
  });
  await expect(other).rejects.toBe(rolledBack);
}

// The embedded database runs one transaction at a time.
test.runIf(databaseKind() === "postgres")("the same rows in another order do not deadlock", async () => {
  const organisation = await createOrganisation(database);
  let transactions = 0;
  const counted: Database = {
    ...database,
    batch: (work) =>
      database.batch((client) => {
        transactions++;
        return work(client);
      }),
  };
  const finished = Array.from({ length: 9 }, () => ({
    instanceId: uuidv7(),
    row: generationRow(organisation, "0.01"),
  }));
  const middle = finished[4]?.row ?? generationRow(organisation);
  let booked: Promise<unknown> | undefined;
  await whileInserting(middle, async () => {
    booked = Promise.all([finished, finished.toReversed()].map((batch) => bookGenerations(counted, batch)));
    await until(async () => expect(await waitingForLocks()).toBe(2));
  });
  await booked;
  expect(transactions, "one for each batch: none was rolled back and repeated").toBe(2);
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 9 });
});

test("each generation has one transfer from credits to usage, of exactly its cost", async () => {
  const organisation = await createOrganisation(database);
  const rows = ["0.5", "0.25", "0.000000000001"].map((cost) => generationRow(organisation, cost));
  await bookGenerations(
    database,
    rows.map((row) => ({ instanceId: uuidv7(), row })),
  );
  for (const row of rows) {
    const transfer = await database.prisma.ledger_transfer.findUniqueOrThrow({ where: { id: row.id } });
    expect(transfer).toMatchObject({ from_account: "credits", to_account: "usage", kind: "usage" });
    expect(transfer.amount_pico_eur.toFixed()).toBe(row.cost_pico_eur);
  }
  expectSound(await readLedger(database, organisation.orgId));
});

test("a failed generation without cost is recorded and writes no ledger entry", async () => {
  const organisation = await createOrganisation(database);
  const row = generationRow(organisation, "0", { status: "failed", http_status: 502 });
  await bookGenerations(database, [{ instanceId: uuidv7(), row }]);
  expect(await database.prisma.generation.count({ where: { id: row.id } })).toBe(1);
  expect(await database.prisma.ledger_transfer.count({ where: { id: row.id } })).toBe(0);
  expectSound(await readLedger(database, organisation.orgId));
});

test("spending is subtracted from its lease, never more than the lease has left", async () => {
  const organisation = await createOrganisation(database, { creditEur: "1" });
  const { orgId } = organisation;
  const instanceId = uuidv7();
  const { amount } = await takeLease(database, {
    instanceId,
    accountId: orgId,
    ttlMs: 60_000,
    minimum: picoFromDecimal("0.5"),
    target: 0n,
  });
  expect(amount).toBe(picoFromDecimal("0.5"));
  await bookGenerations(database, [
    { instanceId, row: generationRow(organisation, "0.2") },
    { instanceId: uuidv7(), row: generationRow(organisation, "0.1") },
  ]);
  const state = await readLedger(database, orgId);
  expect(state).toMatchObject({ leased: picoFromDecimal("0.3"), used: picoFromDecimal("0.3") });
  expectSound(state);
  await bookGenerations(database, [{ instanceId, row: generationRow(organisation, "0.4") }]);
  expectSound(await readLedger(database, orgId));
  expect(await readLedger(database, orgId)).toMatchObject({ leased: 0n, used: picoFromDecimal("0.7") });
});

test("generations of several organisations in one batch are booked to their own organisations", async () => {
  const organisations = await Promise.all(["1", "2", "3"].map(() => createOrganisation(database)));
  const finished = organisations.flatMap((organisation, at) =>
    Array.from({ length: at + 1 }, () => ({
      instanceId: uuidv7(),
      row: generationRow(organisation, "0.01"),
    })),
  );
  await bookGenerations(database, finished);
  for (const [at, { orgId }] of organisations.entries()) {
    const state = await readLedger(database, orgId);
    expect(state.used).toBe(picoFromDecimal("0.01") * BigInt(at + 1));
    expectSound(state);
  }
});

test("if the database refuses a row, nothing of the batch is booked", async () => {
  const organisation = await createOrganisation(database);
  const good = generationRow(organisation);
  const bad = generationRow(organisation, "0.1", { started_at: "not a time" });
  const finished = [good, bad].map((row) => ({ instanceId: uuidv7(), row }));
  await expect(bookGenerations(database, finished)).rejects.toThrow();
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 0, used: 0n });
});

test("reports contain each generation once, by day, key, workspace, model and provider", async () => {
  const organisation = await createOrganisation(database);
  const rows = [
    generationRow(organisation, "0.1", { started_at: "2026-11-20T23:59:59.999Z" }),
    generationRow(organisation, "0.2", { started_at: "2026-11-21T00:00:00.000Z" }),
    generationRow(organisation, "0.4", {
      started_at: "2026-11-21T10:00:00.000Z",
      error_code: "PROVIDER_ERROR",
    }),
    generationRow(organisation, "0", {
      started_at: "2026-11-21T11:00:00.000Z",
      model: null,
      provider: null,
      status: "failed",
      error_code: "SERVICE_UNAVAILABLE",
    }),
  ];
  for (let time = 0; time < 3; time++)
    await bookGenerations(
      database,
      rows.map((row) => ({ instanceId: uuidv7(), row })),
    );
  const days = await database.prisma.usage_day.findMany({
    where: { org_id: organisation.orgId },
    orderBy: [{ day: "asc" }, { provider: "asc" }],
  });
  expect(
    days.map(({ day, provider, requests, errors, cost_pico_eur }) => [
      day.toISOString().slice(0, 10),
      provider,
      requests,
      errors,
      BigInt(cost_pico_eur.toFixed(0)),
    ]),
  ).toEqual([
    ["2026-11-20", "sandbox-de", 1n, 0n, picoFromDecimal("0.1")],
    ["2026-11-21", "", 1n, 1n, 0n],
    ["2026-11-21", "sandbox-de", 2n, 1n, picoFromDecimal("0.6")],
  ]);
});

test("other areas write in the transaction of the generations, once per generation", async () => {
  const organisation = await createOrganisation(database);
  const row = generationRow(organisation, "0.1");
  const finished = [{ instanceId: uuidv7(), row }];
  const ids: string[] = [];
  const record: BookingWriter = async (_client, booked) => void ids.push(...booked.map(({ id }) => id));
  const fail: BookingWriter = async () => Promise.reject(new Error("not written"));
  await expect(bookGenerations(database, finished, { writers: [fail] })).rejects.toThrow("not written");
  expect(await readLedger(database, organisation.orgId)).toMatchObject({ generationCount: 0, used: 0n });
  for (let time = 0; time < 2; time++) await bookGenerations(database, finished, { writers: [record] });
  expect(ids).toEqual([row.id]);
});
