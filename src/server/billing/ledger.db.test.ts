import { expect, test } from "vitest";
import { authorize } from "#server/access/authorize.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { adjustCredit, grantCredit, listTransfers } from "./index.ts";

const { database } = await openTestDatabase();
type Organisation = Awaited<ReturnType<typeof createOrganisation>>;

const readerOf = ({ caller }: Organisation) =>
  authorize({ ...caller, permissions: new Set(["activity:read"]) }, "activity:read", "organisation");

test("each transfer of the organisation is listed once over the pages, newest first, with its sign and reason", async () => {
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  // All in one transaction, so with the same time: a page must not lose or repeat any.
  await database.transaction(async (tx) => {
    for (let at = 0; at < 7; at++)
      await grantCredit(tx, ours.caller, ours.orgId, picoFromDecimal("5"), `Grant ${at}`);
    await grantCredit(tx, theirs.caller, theirs.orgId, picoFromDecimal("9"), "Theirs");
  });
  await database.transaction((tx) =>
    adjustCredit(tx, ours.caller, {
      orgId: ours.orgId,
      reason: "Typed twice",
      amount: picoFromDecimal("-2.5"),
    }),
  );
  const seen = [];
  let page = await listTransfers(database, readerOf(ours), { limit: 3 });
  expect(page.data[0]).toMatchObject({
    kind: "adjustment",
    reason: "Typed twice",
    amount_eur: "-2.500000000000",
  });
  seen.push(...page.data);
  for (let pages = 1; page.next && pages < 10; pages++) {
    page = await listTransfers(database, readerOf(ours), { limit: 3, after: page.next });
    seen.push(...page.data);
  }
  const stored = await database.prisma.ledger_transfer.findMany({ where: { org_id: ours.orgId } });
  expect(seen.map(({ id }) => id).toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
  expect(seen.map(({ reason }) => reason)).not.toContain("Theirs");
  const corrections = await listTransfers(database, readerOf(ours), { kind: "adjustment", limit: 3 });
  expect(corrections.data.map(({ reason }) => reason)).toEqual(["Typed twice"]);
});
