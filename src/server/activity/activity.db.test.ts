import { afterEach, expect, test, vi } from "vitest";
import { authorize } from "#server/access/authorize.ts";
import { clock, isoDay, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { createOrganisation, generationRow, insertGenerations, openTestDatabase } from "#test/factories.ts";
import { balanceEur, firstSteps, overviewOf, usageSeries } from "./index.ts";

const { database } = await openTestDatabase();
const noon = Date.UTC(2026, 10, 20, 12, 30);
const hourMs = 3_600_000;

type Organisation = Awaited<ReturnType<typeof createOrganisation>>;
type Overrides = NonNullable<Parameters<typeof generationRow>[2]>;

const readerOf = ({ caller }: Organisation) =>
  authorize({ ...caller, permissions: new Set(["activity:read"]) }, "activity:read", "organisation");
const failure = { status: "failed", error_code: "PROVIDER_ERROR", http_status: 502 } as const;

async function serve(
  organisation: Organisation,
  hoursAgo: number,
  costEur: string,
  overrides: Overrides = {},
) {
  const row = generationRow(organisation, costEur, {
    started_at: isoTime(noon - hoursAgo * hourMs),
    ...overrides,
  });
  await insertGenerations(database, [row]);
  return row;
}

function at(nowMs: number) {
  vi.spyOn(clock, "nowMs").mockReturnValue(nowMs);
}
afterEach(() => vi.restoreAllMocks());

test("a time range is summed exactly, for one organisation only, with counts for each status", async () => {
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  at(noon);
  await serve(ours, 0.1, "0.000000000001");
  await serve(ours, 1, "0.1", failure);
  await serve(ours, 1, "0.2", { status: "cancelled", error_code: null });
  await serve(ours, 1, "0", { status: "interrupted", error_code: null });
  await serve(ours, 25, "5");
  await serve(theirs, 0.1, "7");
  const { totals, buckets, step_ms, credit } = await overviewOf(database, readerOf(ours), { range: "24h" });
  expect(totals).toMatchObject({
    requests: 4,
    failed: 1,
    cancelled: 1,
    interrupted: 1,
    tokens_in: 40,
    tokens_out: 80,
    cost_eur: "0.300000000001",
    cost_usd: "0.300000000001",
    error_rate: 1 / 4,
  });
  expect(step_ms).toBe(hourMs);
  expect(buckets).toHaveLength(25);
  expect(buckets.find(({ start }) => start === "2026-11-20T11:00:00.000Z")).toMatchObject({
    requests: 3,
    failed: 1,
    cost_eur: "0.300000000000",
  });
  expect(credit).toEqual({ balance_eur: "10.000000" });
  const wider = await overviewOf(database, readerOf(ours), { range: "7d" });
  expect(wider.totals.cost_eur).toBe("5.300000000001");
});

test("percentiles cover completed requests; the time to first token covers streams only", async () => {
  const organisation = await createOrganisation(database);
  at(noon);
  for (let index = 1; index <= 100; index++) {
    await serve(organisation, 1, "0", { duration_ms: index * 10, latency_ms: index, streamed: index <= 50 });
  }
  await serve(organisation, 1, "0", { ...failure, duration_ms: 99_999 });
  const { totals } = await overviewOf(database, readerOf(organisation), { range: "24h" });
  expect(totals.duration_ms).toEqual({ p50: 500, p95: 950, p99: 990 });
  expect(totals.first_content_ms).toEqual({ p50: 25, p95: 48, p99: 50 });
});

test("models, providers and keys with the highest cost come first, with their failures", async () => {
  const organisation = await createOrganisation(database);
  at(noon);
  await serve(organisation, 1, "1", { model: "a/cheap" });
  await serve(organisation, 1, "3", { model: "a/dear", provider: "sandbox-fr" });
  const failed = await serve(organisation, 2, "0", { ...failure, model: null, provider: null });
  const { top, recent_errors, latest } = await overviewOf(database, readerOf(organisation), { range: "24h" });
  expect(top.models.map(({ id }) => id)).toEqual(["a/dear", "a/cheap", "sandbox/chat"]);
  expect(top.providers.map(({ id }) => id)).toEqual(["sandbox-fr", "sandbox-de"]);
  expect(top.keys).toEqual([
    { id: organisation.keyId, name: "Test key", requests: 3, failed: 1, cost_eur: "4.000000000000" },
  ]);
  expect(recent_errors.map(({ id }) => id)).toEqual([failed.id]);
  expect(latest).toHaveLength(3);
});

test("a range without requests has zeros and no percentiles", async () => {
  const organisation = await createOrganisation(database);
  at(noon);
  const { totals, top, buckets } = await overviewOf(database, readerOf(organisation), { range: "1h" });
  expect(totals).toMatchObject({ requests: 0, cost_eur: "0.000000000000", error_rate: 0, duration_ms: null });
  expect(top).toEqual({ models: [], providers: [], keys: [] });
  expect(buckets.every(({ requests }) => requests === 0)).toBe(true);
});

test("refused requests are counted by day (UTC), from the day on which the range begins", async () => {
  const [organisation, other] = [await createOrganisation(database), await createOrganisation(database)];
  at(noon);
  const refuse = (org_id: string, daysAgo: number, count: number) => {
    const time = `${isoDay(noon - daysAgo * 24 * hourMs)}T00:00:00.000Z`;
    return database.prisma.refused_request.create({
      data: {
        ...{ id: uuidv7(), org_id, day: time, api_key_id: organisation.keyId, operation: "chat", model: "" },
        ...{ error_code: "SERVICE_UNAVAILABLE", param: "", http_status: 503, message: "", metadata: {} },
        ...{ request_ids: [], count, first_at: time, last_at: time },
      },
    });
  };
  await refuse(organisation.orgId, 0, 3);
  await refuse(organisation.orgId, 1, 20);
  await refuse(organisation.orgId, 2, 100);
  await refuse(other.orgId, 0, 1_000);
  const { refused } = await overviewOf(database, readerOf(organisation), { range: "24h" });
  expect(refused.count).toBe(23);
  expect((await overviewOf(database, readerOf(organisation), { range: "7d" })).refused.count).toBe(123);
});

test("the first step is done after a successful request, not after a failed one", async () => {
  const organisation = await createOrganisation(database);
  const { caller } = organisation;
  await serve(organisation, 0, "0", failure);
  expect(await firstSteps(database, caller)).toEqual({
    api_key: true,
    first_request: false,
    eu_only: false,
    provider: false,
    destination: false,
  });
  await serve(organisation, 0, "0.1");
  expect(await firstSteps(database, caller)).toMatchObject({ first_request: true });
});

test("only a rule that applies to every request of the organisation counts as keeping it in the EU", async () => {
  const { orgId, userId, caller } = await createOrganisation(database);
  const add = (name: string, scope: string, more: object = {}) =>
    database.prisma.routing_rule.create({
      data: {
        name,
        name_key: name,
        scope,
        user_id: userId,
        owner_id: scope === "org" ? orgId : userId,
        org_id: orgId,
        models: [],
        provider: { data_residency: "eu" },
        enabled: true,
        auto_apply: true,
        ...more,
      },
    });
  await add("own", "user");
  await add("off", "org", { enabled: false });
  await add("one model", "org", { models: ["sandbox/chat"] });
  expect(await firstSteps(database, caller)).toMatchObject({ eu_only: false });
  await add("all", "org");
  expect(await firstSteps(database, caller)).toMatchObject({ eu_only: true });
});

test("the balance is the granted credit less the used credit", async () => {
  const { orgId } = await createOrganisation(database, { creditEur: "10" });
  await database.prisma.credit_balance.update({
    where: { account_id: orgId },
    data: { used_pico_eur: "2500000400000" },
  });
  expect(await balanceEur(database, orgId)).toBe("7.500000");
});

test("the six largest values of a group are separate, the others are one sum, and nothing is lost", async () => {
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  const day = (organisation: Organisation, date: string, model: string, pico: number) =>
    database.prisma.usage_day.create({
      data: {
        org_id: organisation.orgId,
        day: `${date}T00:00:00.000Z`,
        api_key_id: organisation.orgId,
        workspace_id: "00000000-0000-0000-0000-000000000000",
        model,
        provider: "",
        is_byok: false,
        requests: 2,
        errors: 0,
        prompt_tokens: 3,
        completion_tokens: 4,
        cached_tokens: 0,
        reasoning_tokens: 0,
        search_units: 0,
        cost_pico_eur: pico,
        cost_pico_usd: pico,
        upstream_pico_usd: pico,
      },
    });
  for (let at = 1; at <= 8; at++) await day(ours, "2026-11-02", `model-${at}`, at);
  await day(ours, "2026-11-03", "model-1", 1);
  await day(ours, "2026-11-04", "model-8", 99);
  await day(theirs, "2026-11-02", "model-8", 1000);
  const span = { from: "2026-11-02", to: "2026-11-03" };
  const rows = await usageSeries(database, readerOf(ours), { ...span, group: "model" });
  const apart = rows.filter(({ rest }) => !rest);
  expect(apart.map(({ name }) => name)).toEqual([8, 7, 6, 5, 4, 3].map((at) => `model-${at}`));
  const others = rows.filter(({ rest }) => rest);
  expect(others).toMatchObject([
    { day: "2026-11-02", requests: 4, tokens: 14, cost_eur: "0.000000000003" },
    { day: "2026-11-03", requests: 2, tokens: 7, cost_eur: "0.000000000001" },
  ]);
  const unserved = await usageSeries(database, readerOf(ours), { ...span, group: "provider" });
  expect(unserved.map(({ name, rest }) => [name, rest])).toEqual([
    [null, false],
    [null, false],
  ]);
});
