import { expect, test } from "vitest";
import { isoTime } from "#server/platform/clock.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { balanceEur, dayOf, firstSteps, latestGenerations } from "./index.ts";

const { database } = await openTestDatabase();
const noon = Date.UTC(2026, 10, 20, 12, 30);
const hourMs = 3_600_000;

type Organisation = Awaited<ReturnType<typeof createOrganisation>>;

async function serve(organisation: Organisation, hoursAgo: number, costEur: string, failed = false) {
  const row = generationRow(organisation, costEur, {
    started_at: isoTime(noon - hoursAgo * hourMs),
    ...(failed && { status: "failed" as const, error_code: "PROVIDER_ERROR" as const, http_status: 502 }),
  });
  await database.prisma.generation.create({
    data: { ...row, attempts: [], decision: {}, parameters: {}, cost_details: {} },
  });
  return row;
}

test("the day counts from midnight UTC, exactly, and of one organisation only", async () => {
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  await serve(ours, 0, "0.000000000001");
  await serve(ours, 1, "0.1", true);
  await serve(ours, 1, "0.2");
  await serve(ours, 13, "5");
  await serve(theirs, 0, "7");
  const { day, totals, hours } = await dayOf(database, ours.orgId, noon);
  expect(day).toBe("2026-11-20");
  expect(totals).toEqual({
    requests: 3,
    errors: 1,
    tokens_in: 30,
    tokens_out: 60,
    cost_eur: "0.300000000001",
    error_rate: 1 / 3,
  });
  expect(hours).toHaveLength(24);
  expect(hours[11]).toEqual({
    hour: "2026-11-20T11:00:00.000Z",
    requests: 2,
    errors: 1,
    tokens_in: 20,
    tokens_out: 40,
    cost_eur: "0.300000000000",
  });
});

test("a day without requests is all zeros", async () => {
  const { orgId } = await createOrganisation(database);
  const { totals } = await dayOf(database, orgId, noon);
  expect(totals).toMatchObject({ requests: 0, cost_eur: "0.000000000000", error_rate: 0 });
});

test("the newest generations come first and no more than asked for", async () => {
  const organisation = await createOrganisation(database);
  const old = await serve(organisation, 3, "1");
  const young = await serve(organisation, 1, "2");
  await serve(organisation, 5, "3");
  const latest = await latestGenerations(database, organisation.orgId, 2);
  expect(latest.map(({ id }) => id)).toEqual([young.id, old.id]);
  expect(latest[0]).toMatchObject({ model: "sandbox/chat", cost_eur: "2.000000000000", tokens_in: 10 });
});

test("the first step is done once a request was answered, not when one failed", async () => {
  const organisation = await createOrganisation(database);
  await serve(organisation, 0, "0", true);
  expect(await firstSteps(database, organisation.orgId)).toEqual({ api_key: true, first_request: false });
  await serve(organisation, 0, "0.1");
  expect(await firstSteps(database, organisation.orgId)).toEqual({ api_key: true, first_request: true });
});

test("the balance is what was granted less what was used", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "10" });
  await database.prisma.credit_balance.update({
    where: { org_id: orgId },
    data: { used_pico_eur: "2500000400000" },
  });
  expect(await balanceEur(database, orgId)).toBe("7.500000");
});
