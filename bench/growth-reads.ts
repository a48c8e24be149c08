import type { Authorized } from "#server/access/authorize.ts";
import {
  activityItems,
  generationVolume,
  listGenerations,
  listRefusedRequests,
  listSessions,
  overviewOf,
  usageReport,
  usageSeries,
} from "#server/activity/index.ts";
import { listTransfers, readBalance } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";

export interface GrowthRead {
  readonly name: string;
  readonly kind: "page" | "report";
  readonly read: () => Promise<unknown>;
}

const nobody = "80000000-0000-4000-8000-000000000000";
const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();
const placeAt = (ago: number) => ({
  started_at: day(ago),
  created_at: day(ago),
  id: nobody,
});

type Reader = Authorized<"activity:read", "organisation">;
type Filter = Omit<Parameters<typeof listGenerations>[2], "limit">;
type SessionFilter = Omit<Parameters<typeof listSessions>[2], "limit">;

/** Pages of the request log, with filters that match many rows, few and none. */
async function logPages(database: Database, caller: Reader): Promise<GrowthRead[]> {
  const { api_key_id, request_id, id } = await database.prisma.generation.findFirstOrThrow({
    where: { org_id: caller.orgId, started_at: { lt: day(180) } },
    orderBy: { started_at: "desc" },
  });
  const filters: Record<string, Filter> = {
    "first page": {},
    "page in the middle": { after: placeAt(180) },
    "one of the last pages": { after: placeAt(364) },
    "of one key": { api_key_id },
    "of a key without any": { api_key_id: nobody },
    "of a model": { model: "anthropic/claude-haiku-4.5" },
    "of a model without any": { model: "nobody/nothing" },
    "of a provider without any": { provider: "nobody" },
    "of a preset": { preset: "support@3" },
    "of a preset without any": { preset: "nobody" },
    "that failed, of a month": { status: ["failed"], from: day(30), to: day(0) },
    "that were interrupted (none)": { status: ["interrupted"] },
    "with an error code without any": { error_code: "NOBODY" },
    "found by request id": { find: request_id },
    "found by id": { find: id },
    "found by session": { find: "session-7" },
    "found by nothing": { find: "nothing" },
  };
  const sessionFilters: Record<string, SessionFilter> = {
    "first page": {},
    "page in the middle": { after: placeAt(180) },
    "of a month": { from: day(30), to: day(0) },
    "of a key without any": { api_key_id: nobody },
  };
  return [
    ...Object.entries(filters).map(([name, filter]) => ({
      name: `generations, ${name}`,
      kind: "page" as const,
      read: () => listGenerations(database, caller, { limit: 50, ...filter }),
    })),
    ...Object.entries(sessionFilters).map(([name, filter]) => ({
      name: `sessions, ${name}`,
      kind: "page" as const,
      read: () => listSessions(database, caller, { limit: 50, ...filter }),
    })),
  ];
}

/** Charts over the request log. */
const charts = (database: Database, caller: Reader): GrowthRead[] => [
  ...[1, 7, 30, 365].map(
    (days): GrowthRead => ({
      name: `volume of ${days} days`,
      kind: "page",
      read: () => generationVolume(database, caller, { from: day(days), to: day(0) }),
    }),
  ),
  ...(["1h", "24h", "7d", "30d"] as const).map(
    (range): GrowthRead => ({
      name: `overview, ${range}`,
      kind: "page",
      read: () => overviewOf(database, caller, { range }),
    }),
  ),
];

type Transfers = Omit<Parameters<typeof listTransfers>[2], "limit">;

/** Pages of the ledger and of refused requests. */
function otherPages(database: Database, caller: Reader): GrowthRead[] {
  const transfers: Record<string, Transfers> = {
    "first page": {},
    "one of the last pages": { after: placeAt(364) },
    usage: { kind: "usage" },
    grants: { kind: "grant" },
    "refunds (none)": { kind: "refund" },
  };
  return [
    { name: "balance", kind: "page", read: () => readBalance(database, caller.orgId) },
    {
      name: "refused requests",
      kind: "page",
      read: () => listRefusedRequests(database, caller, { limit: 50 }),
    },
    ...Object.entries(transfers).map(
      ([name, query]): GrowthRead => ({
        name: `ledger, ${name}`,
        kind: "page",
        read: () => listTransfers(database, caller, { limit: 50, ...query }),
      }),
    ),
  ];
}

function reports(database: Database, caller: Reader): GrowthRead[] {
  const month = { from: day(30).slice(0, 10), to: day(0).slice(0, 10), limit: 5_000 };
  const year = { ...month, from: day(365).slice(0, 10) };
  const items = { group_by: undefined, limit: 5_000 };
  const reads: Record<string, () => Promise<unknown>> = {
    "GET /activity": () => activityItems(database, caller, items, (name) => name),
    "usage of a month by day": () => usageReport(database, caller, { ...month, group_by: ["day"] }),
    "usage of a year by model": () => usageReport(database, caller, { ...year, group_by: ["model"] }),
    // What is exported as CSV is read page by page.
    "usage of a year by day, model, provider, key": () =>
      usageReport(database, caller, { ...year, group_by: ["day", "model", "provider", "api_key_id"] }),
    "usage series of a year": () => usageSeries(database, caller, { ...year, group: "model" }),
  };
  return Object.entries(reads).map(([name, read]) => ({ name, kind: "report", read }));
}

/** Every list and report that reads what grows with requests, of the large organisation. */
export const growthReads = async (database: Database, caller: Reader): Promise<readonly GrowthRead[]> => [
  ...(await logPages(database, caller)),
  ...charts(database, caller),
  ...otherPages(database, caller),
  ...reports(database, caller),
];
