import type { z } from "zod";
import { activityRanges } from "#contract/activity.ts";
import type { Overview, OverviewQuery } from "#contract/overview.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/client.ts";
import { clock, isoDay, isoTime } from "#server/platform/clock.ts";
import { balanceEur } from "./first-steps.ts";
import { listGenerations } from "./generations.ts";
import { latencyOf } from "./latency.ts";
import { sumsOf, totalsOf } from "./span-sums.ts";
import { completeFrom } from "./sums/usage-source.ts";
import { topOf } from "./top.ts";

const latestCount = 10;
const errorCount = 5;

/** Refused requests since the beginning (UTC) of the day on which a time is. */
async function refusedSince({ prisma }: Database, orgId: string, ms: number): Promise<Overview["refused"]> {
  const since = `${isoDay(ms)}T00:00:00.000Z`;
  const { _sum } = await prisma.refused_request.aggregate({
    where: { org_id: orgId, day: { gte: since } },
    _sum: { count: true },
  });
  return { count: _sum.count ?? 0, since };
}

/**
 * Returns the recent usage of the caller's organisation: by time bucket, in total, and by model, provider and key.
 */
export async function overviewOf(
  database: Database,
  caller: Authorized<"activity:read", "organisation">,
  { range }: z.infer<typeof OverviewQuery>,
): Promise<Overview> {
  const { orgId } = caller;
  // Rows of the current second are still being written; the next request returns them.
  const toMs = clock.nowMs();
  const span = { fromMs: toMs - activityRanges[range].ms, toMs };
  const failed = { status: ["failed" as const], from: isoTime(span.fromMs), limit: errorCount };
  const complete = await completeFrom(database);
  const sumsAndLatency = async () => {
    const sums = await sumsOf(database, orgId, span, complete);
    return { sums, latency: await latencyOf(database, orgId, span, { ...sums.totals, complete }) };
  };
  const before = { fromMs: span.fromMs - activityRanges[range].ms, toMs: span.fromMs };
  const [{ sums, latency }, previous, top, latest, errors, balance, refused] = await Promise.all([
    sumsAndLatency(),
    totalsOf(database, orgId, before, complete),
    topOf(database, caller, span, complete),
    listGenerations(database, caller, { limit: latestCount }),
    listGenerations(database, caller, failed),
    balanceEur(database, orgId),
    refusedSince(database, orgId, span.fromMs),
  ]);
  return {
    from: isoTime(span.fromMs),
    to: isoTime(toMs),
    ...sums,
    totals: { ...sums.totals, ...latency },
    previous,
    top,
    latest: latest.data,
    recent_errors: errors.data,
    credit: { balance_eur: balance },
    refused,
  };
}
