import type { AlertKind } from "#contract/alert-texts.ts";
import type { GenerationRow } from "#server/billing/index.ts";
import type { Catalogue, Endpoint } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import { clock, dateAt, dayMs, isoDay } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { exchangeRate } from "#server/platform/money.ts";
import { catalogueOf, endpoint, model, price, provider } from "#test/catalogues.ts";
import { generationRow, insertGenerations, type TestOrganisation } from "#test/factories.ts";

/** What rules are evaluated with. */
export interface Stage {
  readonly database: Database;
  catalogue: Catalogue;
}

/** How a kind of alert begins and ends. */
export interface Case {
  readonly settings: object;
  readonly scope?: "installation";
  readonly cause: (stage: Stage, organisation: TestOrganisation) => Promise<unknown>;
  readonly end: (stage: Stage, organisation: TestOrganisation) => Promise<unknown>;
}

/** A catalogue with one endpoint. */
export const served = (own: Partial<Endpoint> = {}): Catalogue => {
  const made = catalogueOf([endpoint(provider("acme"), model("acme/chat"), { price: price("1"), ...own })]);
  return { ...made, exchangeRate: exchangeRate("1.1", isoDay(clock.nowMs()), "ECB") };
};

export async function store(
  { database }: Stage,
  organisation: TestOrganisation,
  count: number,
  own: Partial<GenerationRow>,
) {
  const rows = Array.from({ length: count }, () => generationRow(organisation, "0.001", own));
  await insertGenerations(database, rows);
}
export const attempt = (outcome: string) => ({
  ...{ endpoint: "acme:acme/chat", provider: "acme", outcome, status: null, duration_ms: 1 },
});
/** Usage of the endpoint today. */
export const use = (
  { database: { prisma } }: Stage,
  { orgId, keyId }: TestOrganisation,
) => prisma.$executeRaw`
  insert into usage_day select ${orgId}::uuid, ${isoDay(clock.nowMs())}::date, ${keyId}::uuid, ${keyId}::uuid,
    'acme/chat', 'acme', false, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0`;

/** A budget of 100 requests with one counter. */
export async function makeBudget(
  { database: { prisma } }: Stage,
  { orgId: org_id }: TestOrganisation,
  used: number,
): Promise<string> {
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
export async function refuse(stage: Stage, ours: TestOrganisation, limit_of: string, count = 2) {
  const { prisma } = stage.database;
  const budget = await prisma.budget.findFirst({ where: { org_id: ours.orgId } });
  const ids: Record<string, string | null | undefined> = {
    ...{
      budget: budget?.id,
      key: ours.keyId,
      key_rate: ours.keyId,
      workspace: await workspaceOf(stage, ours),
    },
    ...{ organisation: ours.orgId, organisation_rate: ours.orgId },
  };
  const limit_id = ids[limit_of] ?? uuidv7();
  const minute = dateAt(Math.floor(clock.nowMs() / 60_000) * 60_000);
  await prisma.limit_refusal.create({ data: { org_id: ours.orgId, minute, limit_of, limit_id, count } });
}

const workspaceOf = async (
  { database: { prisma } }: Stage,
  { orgId: org_id }: TestOrganisation,
): Promise<string> =>
  (await prisma.workspace.findFirst({ where: { org_id } }))?.id ??
  (await prisma.workspace.create({ data: { org_id, name: "Research" } })).id;

/** A key or a workspace with a limit of 100, of which some is used in a period. */
export async function limited(
  stage: Stage,
  ours: TestOrganisation,
  of: "key" | "workspace",
  { used = 80, reset = "daily" } = {},
) {
  const { prisma } = stage.database;
  const limit = { limit_pico_eur: 100, limit_reset: reset === "never" ? null : reset };
  const account_id = of === "key" ? ours.keyId : await workspaceOf(stage, ours);
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

/** How each kind begins and ends. */
export const kindCases: Record<AlertKind, Case> = {
  budget: {
    settings: { thresholds: [80] },
    cause: (stage, ours) => makeBudget(stage, ours, 80),
    end: ({ database: { prisma } }, { orgId: org_id }) =>
      prisma.budget.updateMany({ where: { org_id }, data: { amount: 1_000 } }),
  },
  limit_refusals: {
    settings: { min_requests: 2 },
    async cause(stage, ours) {
      await makeBudget(stage, ours, 80);
      await refuse(stage, ours, "budget");
    },
    end: ({ database: { prisma } }, { orgId: org_id }) =>
      prisma.limit_refusal.deleteMany({ where: { org_id } }),
  },
  low_credit: {
    settings: { below_eur: 5 },
    cause: ({ database: { prisma } }, { orgId: account_id }) =>
      prisma.credit_balance.update({ where: { account_id }, data: { used_pico_eur: "6000000000000" } }),
    end: ({ database: { prisma } }, { orgId: account_id }) =>
      prisma.credit_balance.update({ where: { account_id }, data: { used_pico_eur: 0 } }),
  },
  error_rate: {
    settings: { above_percent: 50, min_requests: 2 },
    cause: (stage, ours) => store(stage, ours, 2, { status: "failed" }),
    end: (stage, ours) => store(stage, ours, 10, {}),
  },
  p95_latency: {
    settings: { above_ms: 1_000, min_requests: 2 },
    cause: (stage, ours) => store(stage, ours, 2, { duration_ms: 5_000 }),
    end: (stage, ours) => store(stage, ours, 100, {}),
  },
  endpoint_down: {
    settings: { min_requests: 2 },
    cause: (stage, ours) => store(stage, ours, 2, { attempts: [attempt("timeout")] }),
    end: (stage, ours) => store(stage, ours, 2, { attempts: [attempt("ok")] }),
  },
  destination_failing: {
    settings: { after_minutes: 10 },
    cause: ({ database: { prisma } }, { orgId: org_id }) =>
      prisma.destination.create({
        data: {
          ...{ name: "Traces", name_key: "traces", type: "webhook", owner_id: org_id, org_id, config: {} },
          ...{ secrets: "", privacy_mode: false, sampling_rate: 1, enabled: true, api_key_filter: [] },
          failing_since: dateAt(clock.nowMs() - 11 * 60_000),
        },
      }),
    end: ({ database: { prisma } }, { orgId: org_id }) =>
      prisma.destination.updateMany({ where: { org_id }, data: { failing_since: null } }),
  },
  expired_fact: {
    settings: {},
    async cause(stage, ours) {
      await use(stage, ours);
      stage.catalogue = served({ price: { ...price("1"), expiresAt: isoDay(clock.nowMs() + 3 * dayMs) } });
    },
    async end(stage) {
      stage.catalogue = served();
    },
  },
  deprecated_model: {
    settings: {},
    async cause(stage, ours) {
      await use(stage, ours);
      stage.catalogue = served({ status: "deprecated" });
    },
    async end(stage) {
      stage.catalogue = served();
    },
  },
  stale_exchange_rate: {
    settings: {},
    scope: "installation",
    async cause(stage) {
      stage.catalogue = {
        ...served(),
        exchangeRate: exchangeRate("1.1", isoDay(clock.nowMs() - 9 * dayMs), "ECB"),
      };
    },
    async end(stage) {
      stage.catalogue = served();
    },
  },
};
