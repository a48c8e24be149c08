import { afterEach, expect, test, vi } from "vitest";
import { deletionAction } from "#server/audit/deleted-requests.ts";
import { addMonths } from "#server/db/index.ts";
import { clock, dayMs, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { auditMoney } from "./audit-money.ts";
import { bookGenerations } from "./book-generations.ts";
import { deleteOldRequests } from "./old-requests.ts";

const { database } = await openTestDatabase();
const { prisma } = database;

const at = (month: number, day = 15) =>
  vi.spyOn(clock, "nowMs").mockReturnValue(Date.UTC(2031, month - 1, day, 12));
afterEach(() => vi.restoreAllMocks());

type Organisation = Awaited<ReturnType<typeof createOrganisation>>;

/** Books requests that begin now; every second one is booked as interrupted. */
async function book(organisation: Organisation, costs: readonly string[]) {
  const rows = costs.map((cost, index) =>
    generationRow(organisation, cost, {
      started_at: isoTime(clock.nowMs()),
      status: index % 2 === 1 ? "interrupted" : "completed",
    }),
  );
  await bookGenerations(
    database,
    rows.map((row) => ({ instanceId: uuidv7(), row })),
  );
  return rows;
}

const broken = async () => (await auditMoney(database)).filter((finding) => finding.broken > 0);

const totalsOf = async ({ orgId }: Organisation) => {
  const rows = await prisma.ledger_transfer.findMany({
    where: { org_id: orgId, kind: "usage_total" },
    orderBy: { reason: "asc" },
  });
  return rows.map(({ reason, amount_pico_eur: amount, created_at }) => [
    reason?.slice(9, 16),
    decimalFromPico(BigInt(amount.toFixed(0)), 2),
    created_at.toISOString().slice(0, 10),
  ]);
};

const balanceOf = async ({ orgId }: Organisation) => {
  const { granted_pico_eur, used_pico_eur } = await prisma.credit_balance.findUniqueOrThrow({
    where: { account_id: orgId },
  });
  return [granted_pico_eur.toFixed(), used_pico_eur.toFixed()];
};
const daysOf = ({ orgId }: Organisation) =>
  prisma.usage_day.findMany({ where: { org_id: orgId }, orderBy: { day: "asc" } });

test("old months are dropped whole, and balances, reports and every other transfer remain", async () => {
  at(1);
  await database.batch(addMonths);
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  await book(ours, ["0.50", "0.25", "0"]);
  await book(theirs, ["0.10"]);
  at(2);
  await book(ours, ["0.30"]);
  at(3);
  await database.batch(addMonths);
  const recent = await book(ours, ["0.07"]);
  const before = [await balanceOf(ours), await daysOf(ours), await balanceOf(theirs)];
  expect(await broken()).toEqual([]);

  at(5, 1);
  const dropped = await deleteOldRequests(database, 31 * dayMs);
  expect(dropped.filter((name) => name.includes("2031"))).toEqual(
    ["01", "02"].flatMap((month) => [`generation_2031_${month}`, `ledger_transfer_2031_${month}`]),
  );
  expect(await prisma.generation.findMany({ where: { org_id: ours.orgId }, select: { id: true } })).toEqual(
    recent.map(({ id }) => ({ id })),
  );
  expect(await totalsOf(ours)).toEqual([
    ["2031-01", "0.75", "2031-01-31"],
    ["2031-02", "0.30", "2031-02-28"],
  ]);
  expect(await totalsOf(theirs)).toEqual([["2031-01", "0.10", "2031-01-31"]]);
  expect([await balanceOf(ours), await daysOf(ours), await balanceOf(theirs)]).toEqual(before);
  const grants = await prisma.ledger_transfer.count({ where: { kind: "grant", org_id: ours.orgId } });
  expect(grants).toBe(1);
  expect(await broken()).toEqual([]);
  expect(await deleteOldRequests(database, 31 * dayMs)).toEqual([]);
  expect((await totalsOf(ours)).length).toBe(2);
});

test("a request that is booked after its month was dropped is added to the total of the month", async () => {
  at(1);
  await database.batch(addMonths);
  const organisation = await createOrganisation(database);
  await book(organisation, ["1.00"]);
  const late = generationRow(organisation, "0.50", { started_at: isoTime(clock.nowMs()) });
  at(6);
  await deleteOldRequests(database, 31 * dayMs);
  await bookGenerations(database, [{ instanceId: uuidv7(), row: late }]);
  expect(await prisma.generation.count({ where: { id: late.id } })).toBe(1);
  expect(await broken()).toEqual([]);
  await deleteOldRequests(database, 31 * dayMs);
  expect(await prisma.generation.count({ where: { org_id: organisation.orgId } })).toBe(0);
  expect(await totalsOf(organisation)).toEqual([["2031-01", "1.50", "2031-01-31"]]);
  expect(await broken()).toEqual([]);
});

test("requests of a partition that has newer ones too are deleted in parts", async () => {
  at(1);
  const organisation = await createOrganisation(database);
  // Without a partition of its own, this month is among the others.
  vi.spyOn(clock, "nowMs").mockReturnValue(Date.UTC(2029, 2, 10));
  await book(organisation, ["0.01", "0.02", "0.04"]);
  at(6);
  await deleteOldRequests(database, 31 * dayMs);
  expect(await totalsOf(organisation)).toEqual([["2029-03", "0.07", "2029-03-31"]]);
  expect(await prisma.generation.count({ where: { org_id: organisation.orgId } })).toBe(0);
  expect(await broken()).toEqual([]);
});

test("requests that a legal hold concerns stay until its release, and those of their months beside them go", async () => {
  at(1);
  await database.batch(addMonths);
  const [held, partly, theirs] = [
    await createOrganisation(database),
    await createOrganisation(database),
    await createOrganisation(database),
  ];
  const [first, , third] = await book(held, ["0.50", "0.25", "0"]);
  const [named] = await book(partly, ["0.10"]);
  await book(partly, ["0.20"]);
  await book(theirs, ["0.30"]);
  await prisma.generation.updateMany({ where: { id: named?.id ?? "" }, data: { user_reference: "ada" } });
  const hold = { name: "Case", created_by: held.userId, created_at: new Date(clock.nowMs()) };
  await prisma.legal_hold.createMany({
    data: [
      { ...hold, id: uuidv7(), org_id: held.orgId },
      { ...hold, id: uuidv7(), org_id: partly.orgId, subject_type: "end_user", subject: "ada" },
    ],
  });
  const documents = async ({ orgId }: Organisation) =>
    (await database.statement("select from decision_basis where org_id = $1::uuid", [orgId])).length;
  for (const { orgId } of [held, theirs])
    await database.statement(
      `insert into decision_basis (org_id, hash, body, seen_on) values ($1::uuid, '\\x00', '{}', '2031-01-15')`,
      [orgId],
    );
  const left = async ({ orgId }: Organisation) => {
    const rows = await prisma.generation.findMany({ where: { org_id: orgId }, select: { id: true } });
    return rows.map(({ id }) => id).sort();
  };
  at(5, 1);
  expect((await deleteOldRequests(database, 31 * dayMs)).filter((name) => name.includes("2031_01"))).toEqual(
    [],
  );
  expect((await left(held)).length).toBe(3);
  expect(await left(held)).toEqual(expect.arrayContaining([first?.id, third?.id]));
  expect(await left(partly)).toEqual([named?.id]);
  expect(await left(theirs)).toEqual([]);
  expect([await documents(held), await documents(theirs)]).toEqual([1, 0]);
  // What is not deleted is not announced, so that it may not be missing in the transparency log.
  const announced = ({ orgId }: Organisation) =>
    prisma.audit_entry.count({ where: { org_id: orgId, action: deletionAction } });
  expect([await announced(held), await announced(partly)]).toEqual([0, 1]);
  expect(await totalsOf(held)).toEqual([]);
  expect(await totalsOf(partly)).toEqual([["2031-01", "0.20", "2031-01-31"]]);
  expect(await broken()).toEqual([]);

  await prisma.legal_hold.updateMany({ data: { released_at: new Date(clock.nowMs()) } });
  const dropped = await deleteOldRequests(database, 31 * dayMs);
  expect(dropped).toContain("generation_2031_01");
  expect([...(await left(held)), ...(await left(partly))]).toEqual([]);
  expect(await totalsOf(held)).toEqual([["2031-01", "0.75", "2031-01-31"]]);
  expect(await totalsOf(partly)).toEqual([["2031-01", "0.30", "2031-01-31"]]);
  expect(await broken()).toEqual([]);
});

test.each(["decision_basis", "decision_input", "endpoint_facts"] as const)(
  "documents in %s go with the last month in which they were used",
  async (table) => {
    const { orgId } = await createOrganisation(database);
    const store = (name: string, seenOn: string) =>
      database.statement(
        `insert into ${table} (org_id, hash, body, seen_on)
         values ($1::uuid, sha256(convert_to($2, 'UTF8')), to_json($2::text), $3::date)`,
        [orgId, name, seenOn],
      );
    await store("old", "2031-02-28");
    await store("needed", "2031-03-01");
    at(5, 1);
    await deleteOldRequests(database, 31 * dayMs);
    const left = await database.statement(`select body::text as name from ${table} where org_id = $1::uuid`, [
      orgId,
    ]);
    expect(left).toEqual([{ name: '"needed"' }]);
  },
);
