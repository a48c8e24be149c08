import type { Authorized } from "#server/access/authorize.ts";
import {
  activityItems,
  generationVolume,
  listGenerations,
  listRefusedRequests,
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

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();
const placeAt = (ago: number) => ({
  started_at: day(ago),
  created_at: day(ago),
  id: "80000000-0000-4000-8000-000000000000",
});

/** Every list and report that reads what grows with requests, of the large organisation. */
export async function growthReads(
  database: Database,
  caller: Authorized<"activity:read", "organisation">,
): Promise<readonly GrowthRead[]> {
  const {
    api_key_id: keyId,
    request_id: requestId,
    id,
  } = await database.prisma.generation.findFirstOrThrow({
    where: { org_id: caller.orgId, started_at: { lt: day(180) } },
    orderBy: { started_at: "desc" },
  });
  const month = { from: day(30).slice(0, 10), to: day(0).slice(0, 10) };
  const year = { from: day(365).slice(0, 10), to: day(0).slice(0, 10) };
  type Filter = Omit<Parameters<typeof listGenerations>[2], "limit">;
  const filters: Record<string, Filter> = {
    "first page": {},
    "page in the middle": { after: placeAt(180) },
    "one of the last pages": { after: placeAt(364) },
    "of one key": { api_key_id: keyId },
    "of a key without any": { api_key_id: "80000000-0000-4000-8000-000000000000" },
    "of a model": { model: "anthropic/claude-haiku-4.5" },
    "of a model without any": { model: "nobody/nothing" },
    "of a provider without any": { provider: "nobody" },
    "of a preset": { preset: "support@3" },
    "of a preset without any": { preset: "nobody" },
    "that failed, of a month": { status: ["failed"], from: day(30), to: day(0) },
    "that were interrupted (none)": { status: ["interrupted"] },
    "with an error code without any": { error_code: "NOBODY" },
    "found by request id": { find: requestId },
    "found by id": { find: id },
    "found by session": { find: "session-7" },
    "found by nothing": { find: "nothing" },
  };
  const pages = Object.entries(filters).map(
    ([name, filter]): GrowthRead => ({
      name: `generations, ${name}`,
      kind: "page",
      read: () => listGenerations(database, caller, { limit: 50, ...filter }),
    }),
  );
  const volumes = [1, 7, 30, 365].map(
    (days): GrowthRead => ({
      name: `volume of ${days} days`,
      kind: "page",
      read: () => generationVolume(database, caller, { from: day(days), to: day(0) }),
    }),
  );
  const overviews = (["1h", "24h", "7d", "30d"] as const).map(
    (range): GrowthRead => ({
      name: `overview, ${range}`,
      kind: "page",
      read: () => overviewOf(database, caller, { range }),
    }),
  );
  const others: Record<string, readonly [GrowthRead["kind"], () => Promise<unknown>]> = {
    balance: ["page", () => readBalance(database, caller.orgId)],
    "ledger, first page": ["page", () => listTransfers(database, caller, { limit: 50 })],
    "ledger, one of the last pages": [
      "page",
      () => listTransfers(database, caller, { limit: 50, after: placeAt(364) }),
    ],
    "ledger, usage": ["page", () => listTransfers(database, caller, { limit: 50, kind: "usage" })],
    "ledger, grants": ["page", () => listTransfers(database, caller, { limit: 50, kind: "grant" })],
    "ledger, refunds (none)": ["page", () => listTransfers(database, caller, { limit: 50, kind: "refund" })],
    "refused requests": ["page", () => listRefusedRequests(database, caller, { limit: 50 })],
    "GET /activity": [
      "report",
      () => activityItems(database, caller, { group_by: undefined, limit: 5_000 }, (name) => name),
    ],
    "usage of a month by day": [
      "report",
      () => usageReport(database, caller, { ...month, group_by: ["day"], limit: 5_000 }),
    ],
    "usage of a year by model": [
      "report",
      () => usageReport(database, caller, { ...year, group_by: ["model"], limit: 5_000 }),
    ],
    // What is exported as CSV is read page by page.
    "usage of a year by day, model, provider, key": [
      "report",
      () =>
        usageReport(database, caller, {
          ...year,
          group_by: ["day", "model", "provider", "api_key_id"],
          limit: 5_000,
        }),
    ],
    "usage series of a year": ["report", () => usageSeries(database, caller, { ...year, group: "model" })],
  };
  return [
    ...pages,
    ...volumes,
    ...overviews,
    ...Object.entries(others).map(([name, [kind, read]]) => ({ name, kind, read })),
  ];
}
