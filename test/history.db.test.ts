import { expect, test } from "vitest";
import { auditMoney } from "#server/billing/index.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { makeHistory } from "./history.ts";

const { database } = await openTestDatabase();

test("a made-up history has all that was asked for, and its books balance", async () => {
  const { orgId, userId } = await createOrganisation(database);
  await makeHistory(database, { orgId, userId, generations: 500, rules: 40, keys: 10 });
  const { prisma } = database;
  expect(await prisma.generation.count({ where: { org_id: orgId } })).toBe(500);
  expect(await prisma.routing_rule.count({ where: { org_id: orgId } })).toBe(40);
  const findings = await auditMoney(database);
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
