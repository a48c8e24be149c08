import { afterEach, describe, expect, test } from "vitest";
import { type AlertKind, alertKindNames } from "#contract/alert-texts.ts";
import type { GenerationRow } from "#server/billing/index.ts";
import type { Catalogue, Endpoint } from "#server/catalog/index.ts";
import { clock, dateAt, dayMs, isoDay } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { exchangeRate } from "#server/platform/money.ts";
import { addChannel, addRule, startAlerting, startReceiver } from "#test/alerts/alerting.ts";
import { catalogueOf, endpoint, model, price, provider } from "#test/catalogues.ts";
import {
  createOrganisation,
  generationRow,
  insertGenerations,
  openTestDatabase,
  type TestOrganisation,
} from "#test/factories.ts";

const { database } = await openTestDatabase();
const { prisma } = database;
/** The first organisation runs the installation. */
const operator = await createOrganisation(database);
const { recorder, messages, types } = await startReceiver();
afterEach(async () => {
  recorder.seen.length = 0;
  await prisma.alert_incident.deleteMany({});
  await prisma.alert_rule.deleteMany({});
});

const served = (own: Partial<Endpoint> = {}): Catalogue => {
  const made = catalogueOf([endpoint(provider("acme"), model("acme/chat"), { price: price("1"), ...own })]);
  return { ...made, exchangeRate: exchangeRate("1.1", isoDay(clock.nowMs()), "ECB") };
};
let current = served();
const { deps, evaluate, send } = startAlerting(database, () => current);

async function store(organisation: TestOrganisation, count: number, own: Partial<GenerationRow>) {
  const rows = Array.from({ length: count }, () => generationRow(organisation, "0.001", own));
  await insertGenerations(database, rows);
}
const attempt = (outcome: string) => ({
  ...{ endpoint: "acme:acme/chat", provider: "acme", outcome, status: null, duration_ms: 1 },
});
const use = ({ orgId, keyId }: TestOrganisation) => prisma.$executeRaw`
  insert into usage_day select ${orgId}::uuid, ${isoDay(clock.nowMs())}::date, ${keyId}::uuid, ${keyId}::uuid,
    'acme/chat', 'acme', false, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0`;

async function makeBudget({ orgId: org_id }: TestOrganisation, used: number): Promise<string> {
  const { id } = await prisma.budget.create({
    data: { org_id, name: "Team", measure: "requests", amount: 100, period: "total", dimensions: [] },
  });
  const account_id = uuidv7();
  await prisma.budget_counter.create({ data: { account_id, budget_id: id, values: [] } });
  await prisma.credit_balance.create({
    data: { account_id, granted_pico_eur: 100, used_pico_eur: used },
  });
  return account_id;
}

/** Requests that a limit refused just now. */
async function refuse(ours: TestOrganisation, limit_of: string, count = 2) {
  const budget = await prisma.budget.findFirst({ where: { org_id: ours.orgId } });
  const ids: Record<string, string | null | undefined> = {
    ...{ budget: budget?.id, key: ours.keyId, key_rate: ours.keyId, workspace: await workspaceOf(ours) },
    ...{ organisation: ours.orgId, organisation_rate: ours.orgId },
  };
  const limit_id = ids[limit_of] ?? uuidv7();
  const minute = dateAt(Math.floor(clock.nowMs() / 60_000) * 60_000);
  await prisma.limit_refusal.create({ data: { org_id: ours.orgId, minute, limit_of, limit_id, count } });
}

const workspaceOf = async ({ orgId: org_id }: TestOrganisation): Promise<string> =>
  (await prisma.workspace.findFirst({ where: { org_id } }))?.id ??
  (await prisma.workspace.create({ data: { org_id, name: "Research" } })).id;

/** A key or a workspace with a limit of 100, of which some is used in a period. */
async function limited(ours: TestOrganisation, of: "key" | "workspace", { used = 80, reset = "daily" } = {}) {
  const limit = { limit_pico_eur: 100, limit_reset: reset === "never" ? null : reset };
  const account_id = of === "key" ? ours.keyId : await workspaceOf(ours);
  if (of === "key") await prisma.api_key.update({ where: { id: account_id }, data: limit });
  else await prisma.workspace.update({ where: { id: account_id }, data: limit });
  const now = new Date(clock.nowMs());
  const period = { daily: "day", monthly: "month" }[reset] ?? null;
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const period_start = period && dateAt(Date.UTC(year, month, period === "day" ? day : 1));
  await prisma.credit_balance.create({
    data: { account_id, granted_pico_eur: 100, used_pico_eur: used, period, period_start },
  });
  return { account_id };
}

interface Case {
  readonly settings: object;
  readonly scope?: "installation";
  readonly cause: (organisation: TestOrganisation) => Promise<unknown>;
  readonly end: (organisation: TestOrganisation) => Promise<unknown>;
}

/** How each kind begins and ends. */
const cases: Record<AlertKind, Case> = {
  budget: {
    settings: { thresholds: [80] },
    cause: (ours) => makeBudget(ours, 80),
    end: ({ orgId: org_id }) => prisma.budget.updateMany({ where: { org_id }, data: { amount: 1_000 } }),
  },
  limit_refusals: {
    settings: { min_requests: 2 },
    async cause(ours) {
      await makeBudget(ours, 80);
      await refuse(ours, "budget");
    },
    end: ({ orgId: org_id }) => prisma.limit_refusal.deleteMany({ where: { org_id } }),
  },
  low_credit: {
    settings: { below_eur: 5 },
    cause: ({ orgId: account_id }) =>
      prisma.credit_balance.update({ where: { account_id }, data: { used_pico_eur: "6000000000000" } }),
    end: ({ orgId: account_id }) =>
      prisma.credit_balance.update({ where: { account_id }, data: { used_pico_eur: 0 } }),
  },
  error_rate: {
    settings: { above_percent: 50, min_requests: 2 },
    cause: (ours) => store(ours, 2, { status: "failed" }),
    end: (ours) => store(ours, 10, {}),
  },
  p95_latency: {
    settings: { above_ms: 1_000, min_requests: 2 },
    cause: (ours) => store(ours, 2, { duration_ms: 5_000 }),
    end: (ours) => store(ours, 100, {}),
  },
  endpoint_down: {
    settings: { min_requests: 2 },
    cause: (ours) => store(ours, 2, { attempts: [attempt("timeout")] }),
    end: (ours) => store(ours, 2, { attempts: [attempt("ok")] }),
  },
  destination_failing: {
    settings: { after_minutes: 10 },
    cause: ({ orgId: org_id }) =>
      prisma.destination.create({
        data: {
          ...{ name: "Traces", name_key: "traces", type: "webhook", owner_id: org_id, org_id, config: {} },
          ...{ secrets: "", privacy_mode: false, sampling_rate: 1, enabled: true, api_key_filter: [] },
          failing_since: dateAt(clock.nowMs() - 11 * 60_000),
        },
      }),
    end: ({ orgId: org_id }) =>
      prisma.destination.updateMany({ where: { org_id }, data: { failing_since: null } }),
  },
  expired_fact: {
    settings: {},
    async cause(ours) {
      await use(ours);
      current = served({ price: { ...price("1"), expiresAt: isoDay(clock.nowMs() + 3 * dayMs) } });
    },
    async end() {
      current = served();
    },
  },
  deprecated_model: {
    settings: {},
    async cause(ours) {
      await use(ours);
      current = served({ status: "deprecated" });
    },
    async end() {
      current = served();
    },
  },
  stale_exchange_rate: {
    settings: {},
    scope: "installation",
    async cause() {
      current = {
        ...served(),
        exchangeRate: exchangeRate("1.1", isoDay(clock.nowMs() - 9 * dayMs), "ECB"),
      };
    },
    async end() {
      current = served();
    },
  },
};

test.each(["error_rate", "p95_latency", "endpoint_down"] as const)(
  "%s of the installation is not opened by endpoints that an organisation added",
  async (kind) => {
    const organisation = await createOrganisation(database);
    await addRule(deps, operator, { kind, settings: cases[kind].settings, scope: "installation" });
    const own = { endpoint: "gpu:gpu/chat", provider: "gpu", model: "gpu/chat" };
    const attempts = [{ ...attempt("timeout"), endpoint: own.endpoint, provider: own.provider }];
    await store(organisation, 20, { ...own, attempts, status: "failed" });
    await store(organisation, 20, { ...own, duration_ms: 60_000 });
    await evaluate();
    expect(await prisma.alert_incident.count()).toBe(0);
  },
);

describe("the alert about a deprecated model", () => {
  const retirement = {
    ...{ deprecatedOn: "2026-11-01", expiresOn: "2027-02-01", successor: "acme/next", headers: {} },
  };
  const announced = "The model is deprecated from 2026-11-01 on. It may be removed on 2027-02-01.";
  test.each([
    [
      "names the keys of the organisation that used it, and of no other",
      undefined,
      " with the API keys: invoices",
    ],
    ["names no organisation's keys to the operator", "installation" as const, ""],
  ])("%s", async (_, scope, used) => {
    const ours = await createOrganisation(database);
    const stranger = await createOrganisation(database);
    await prisma.api_key.update({ where: { id: ours.keyId }, data: { name: "invoices" } });
    await prisma.api_key.update({ where: { id: stranger.keyId }, data: { name: "secret of others" } });
    await use(ours);
    await use(stranger);
    current = served({ model: { ...model("acme/chat"), retirement } });
    const rule = { kind: "deprecated_model", settings: {}, ...(scope && { scope }) } as const;
    await addRule(deps, scope ? operator : ours, rule);
    await evaluate();
    current = served();
    expect(await prisma.alert_incident.findMany({ select: { detail: true } })).toEqual([
      { detail: `${announced} It was used in the last 30 days${used}. Its successor is acme/next.` },
    ]);
  });
});

describe("budget thresholds", () => {
  const titlesAfter = async (ours: TestOrganisation, settings: object) => {
    await addRule(deps, ours, { kind: "budget", settings: { thresholds: [80], ...settings } });
    await evaluate();
    return (await prisma.alert_incident.findMany({ orderBy: { title: "asc" } })).map(({ title }) => title);
  };
  const every = ["Budget “Team” reached 80 %", "Limit of key “Test key”", "Limit of workspace “Research”"];
  test.each([
    [{}, every],
    [{ of: "budgets" }, every.slice(0, 1)],
    [{ of: "keys" }, every.slice(1, 2)],
    [{ of: "workspaces" }, every.slice(2)],
  ])("%j watches the limits of %j", async (settings, titles) => {
    const ours = await createOrganisation(database);
    await makeBudget(ours, 80);
    await limited(ours, "key");
    await limited(ours, "workspace", { reset: "never" });
    const found = await titlesAfter(ours, settings);
    expect(found).toEqual(titles.map((title) => expect.stringContaining(title)));
  });

  test("a rule for one budget watches no other limit", async () => {
    const ours = await createOrganisation(database);
    await makeBudget(ours, 80);
    await limited(ours, "key");
    const { id: budget_id } = await prisma.budget.findFirstOrThrow({ where: { org_id: ours.orgId } });
    expect(await titlesAfter(ours, { budget_id })).toHaveLength(1);
  });

  test.each(["minute", "none"])(
    "budgets with the period %s have no threshold, because they start again",
    async (period) => {
      const ours = await createOrganisation(database);
      await makeBudget(ours, 100);
      await prisma.budget.updateMany({ where: { org_id: ours.orgId }, data: { period } });
      expect(await titlesAfter(ours, {})).toEqual([]);
    },
  );

  test("the limit of a key counts in its present period only, and not of a key that is off", async () => {
    const ours = await createOrganisation(database);
    const { account_id } = await limited(ours, "key");
    const where = { where: { account_id } };
    await prisma.credit_balance.update({
      ...where,
      data: { period_start: dateAt(clock.nowMs() - 3 * dayMs) },
    });
    expect(await titlesAfter(ours, {})).toEqual([]);
    await prisma.credit_balance.update({ ...where, data: { period: null, period_start: null } });
    await evaluate();
    expect(await prisma.alert_incident.count()).toBe(0);
    await prisma.api_key.update({ where: { id: account_id }, data: { limit_reset: null } });
    await evaluate();
    expect(await prisma.alert_incident.findMany()).toMatchObject([
      { subject: `key:${account_id}:80`, detail: expect.stringMatching(/EUR .+ of EUR .+ used$/) },
    ]);
    await prisma.api_key.update({ where: { id: account_id }, data: { disabled: true } });
    await evaluate();
    expect(await prisma.alert_incident.count({ where: { open_subject: { not: null } } })).toBe(0);
  });
});

test.each([
  ["any", ["budget", "key", "workspace", "organisation", "key_rate", "organisation_rate"]],
  ["budgets", ["budget"]],
  ["keys", ["key", "key_rate"]],
  ["workspaces", ["workspace"]],
  ["organisation", ["organisation", "organisation_rate"]],
])("a rule about refused requests of %s watches %j", async (of, owners) => {
  const ours = await createOrganisation(database);
  await makeBudget(ours, 0);
  for (const owner of ["budget", "key", "workspace", "organisation", "key_rate", "organisation_rate"])
    await refuse(ours, owner);
  await addRule(deps, ours, { kind: "limit_refusals", settings: { min_requests: 2, of } });
  await evaluate();
  const found = await prisma.alert_incident.findMany({ select: { subject: true } });
  expect(found.map(({ subject }) => subject.split(":")[0]).toSorted()).toEqual(owners.toSorted());
});

describe.each(alertKindNames)("the kind %s", (kind) => {
  test("opens once and resolves once, whatever the number of evaluations", async () => {
    const { settings, scope, cause, end } = cases[kind];
    const organisation = scope ? operator : await createOrganisation(database);
    const stranger = await createOrganisation(database);
    const channel = await addChannel(deps, organisation, { address: `${recorder.origin}/hook` });
    const rule = await addRule(deps, organisation, {
      ...{ kind, settings, channel_ids: [channel] },
      ...(scope && { scope }),
    });
    if (!scope) await addRule(deps, stranger, { kind, settings });
    const again = async () => {
      await evaluate();
      await evaluate();
      await send();
    };
    await again();
    expect(messages()).toEqual([]);

    await cause(organisation);
    await again();
    expect(types()).toEqual(["alert.opened"]);
    await again();
    expect(types()).toEqual(["alert.opened"]);

    await end(organisation);
    await again();
    await again();
    expect(types()).toEqual(["alert.opened", "alert.resolved"]);
    const [opened, resolved] = messages();
    expect(resolved?.data.title).toBe(opened?.data.title);
    expect(resolved?.id).not.toBe(opened?.id);
    // Nothing of one organisation is an alert of another one.
    expect(await prisma.alert_incident.findMany({ select: { rule_id: true } })).toEqual([{ rule_id: rule }]);
  });
});
