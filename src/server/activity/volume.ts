import type { z } from "zod";
import type { GenerationVolume, GenerationVolumeQuery } from "#contract/generation.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { workspaceOf } from "#server/access/scope.ts";
import type { Database } from "#server/db/client.ts";
import { isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { conditionsOf } from "./generation-filter.ts";
import { usagePieces } from "./sums/usage-pieces.ts";
import { bucketColumn, completeFrom, usageSource } from "./sums/usage-source.ts";
import { timeBucketsOf } from "./time-buckets.ts";

type Filter = z.infer<typeof GenerationVolumeQuery>;

const statuses = ["completed", "failed", "cancelled", "interrupted"] as const;
type BucketRow = Record<(typeof statuses)[number] | "start_ms", number>;

/** Sums have no column for these, so the requests are read one by one. */
const isSummed = (filter: Filter): boolean =>
  [
    filter.preset,
    filter.error_code,
    filter.region,
    filter.app_title,
    filter.user_reference,
    filter.find,
  ].every((value) => value === undefined);

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The start of the newest `scannedMax` requests of the range; null if there are fewer. */
async function newestFrom(
  { prisma }: Database,
  caller: Caller,
  { fromMs, toMs }: Range,
  scannedMax: number,
): Promise<number | null> {
  const { within } = conditionsOf(caller, { from: isoTime(fromMs), to: isoTime(toMs) });
  const [row] = await prisma.$queryRaw<{ started_at: Date }[]>`
    select started_at from generation where ${within} order by started_at desc offset ${scannedMax - 1} limit 1`;
  return row ? row.started_at.getTime() : null;
}

/**
 * Returns how many matching generations of the organisation started in each time bucket, by status. A filter that sums
 * do not have is compared with the newest `scannedMax` requests only; `counted_from` then says where they begin.
 */
export async function generationVolume(
  database: Database,
  caller: Authorized<"activity:read">,
  filter: Filter,
  scannedMax: number = limits.lists.scannedMax,
): Promise<GenerationVolume> {
  const range = { fromMs: Date.parse(filter.from), toMs: Date.parse(filter.to) };
  const { stepMs, startsMs } = timeBucketsOf(range.fromMs, range.toMs);
  const summed = isSummed(filter);
  const isScan = !summed && filter.find === undefined;
  const countedFromMs = isScan ? await newestFrom(database, caller, range, scannedMax) : null;
  const pieces = summed
    ? usagePieces({ ...range, stepMs }, await completeFrom(database))
    : [{ table: "generation" as const, ...range, fromMs: countedFromMs ?? range.fromMs }];
  const usage = {
    orgId: caller.orgId,
    workspaceId: workspaceOf(caller),
    model: filter.model,
    provider: filter.provider,
    keyId: filter.api_key_id,
  };
  const having = summed
    ? Prisma.sql`true`
    : conditionsOf(caller, { ...filter, from: undefined, to: undefined }).having;
  const rows = await database.prisma.$queryRaw<BucketRow[]>`
    select ${bucketColumn(stepMs)} as start_ms,
      sum(requests - failed - cancelled - interrupted)::int as completed, sum(failed)::int as failed,
      sum(cancelled)::int as cancelled, sum(interrupted)::int as interrupted
    from ${usageSource(usage, pieces, having)} group by 1`;
  const byStart = new Map(rows.map((row) => [row.start_ms, row]));
  const isAsked = (status: (typeof statuses)[number]) =>
    !filter.status?.length || filter.status.includes(status);
  const countsOf = (startMs: number) => {
    const count = (status: (typeof statuses)[number]) =>
      isAsked(status) ? (byStart.get(startMs)?.[status] ?? 0) : 0;
    return {
      completed: count("completed"),
      failed: count("failed"),
      cancelled: count("cancelled"),
      interrupted: count("interrupted"),
    };
  };
  return {
    step_ms: stepMs,
    counted_from: countedFromMs === null ? null : isoTime(countedFromMs),
    buckets: startsMs.map((startMs) => ({ start: isoTime(startMs), ...countsOf(startMs) })),
  };
}
