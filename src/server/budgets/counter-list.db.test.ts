import { expect, test } from "vitest";
import { authorize } from "#server/access/authorize.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { toWire } from "./budget-rows.ts";
import { listCounters } from "./counter-list.ts";
import { spanAt } from "./period.ts";

const { database } = await openTestDatabase();

test("the highest use comes first, whatever processes have leased ahead", async () => {
  const { orgId, caller } = await createOrganisation(database);
  const system = { ...caller, permissions: new Set(["workspaces:read"] as const) };
  const reader = authorize(system, "workspaces:read", "organisation");
  const row = await database.prisma.budget.create({
    data: {
      ...{ org_id: orgId, name: "Two", measure: "requests", amount: 2, period: "day" },
      dimensions: [{ dimension: "end_user", value: null }],
    },
  });
  const { startMs } = spanAt("day", clock.nowMs());
  // Of equal sums the oldest account would come first, so the highest use is the newest.
  const uses = [
    ...Array.from({ length: 20 }, (_, at) => [`leased ${at}`, 1, 1] as const),
    ["highest", 2, 0] as const,
  ];
  for (const [value, used, leased] of uses) {
    const account_id = uuidv7();
    await database.prisma.budget_counter.create({
      data: { account_id, budget_id: row.id, values: [String(value)], period_start: dateAt(startMs ?? 0) },
    });
    await database.prisma.credit_balance.create({
      data: { account_id, granted_pico_eur: 2, used_pico_eur: used, leased_pico_eur: leased },
    });
  }
  const { data } = await listCounters(database, reader, { id: row.id, limit: 2 });
  expect(data[0]).toMatchObject({ values: ["highest"], used: 2, remaining: 0 });
  const [budget] = await toWire(database.prisma, [row]);
  expect(budget).toMatchObject({ use: { values: ["highest"], used: 2 } });
});
