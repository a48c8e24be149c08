import type { z } from "zod";
import type { GenerationVolume, GenerationVolumeQuery } from "#contract/generation.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/client.ts";
import { isoTime } from "#server/platform/clock.ts";
import { conditionsOf } from "./generation-filter.ts";
import { timeBucketsOf } from "./time-buckets.ts";

interface BucketRow {
  start_ms: number;
  completed: number;
  failed: number;
  cancelled: number;
  interrupted: number;
}

const none = { completed: 0, failed: 0, cancelled: 0, interrupted: 0 };

/** Returns how many matching generations of the organisation started in each time bucket, by status. */
export async function generationVolume(
  { prisma }: Database,
  caller: Authorized<"activity:read">,
  filter: z.infer<typeof GenerationVolumeQuery>,
): Promise<GenerationVolume> {
  const { stepMs, startsMs } = timeBucketsOf(Date.parse(filter.from), Date.parse(filter.to));
  const { within, having } = conditionsOf(caller, filter);
  const rows = await prisma.$queryRaw<BucketRow[]>`
    select floor(extract(epoch from started_at) * 1000 / ${stepMs}::float8)::float8 * ${stepMs}::float8 as start_ms,
           count(*) filter (where status = 'completed')::int as completed,
           count(*) filter (where status = 'failed')::int as failed,
           count(*) filter (where status = 'cancelled')::int as cancelled,
           count(*) filter (where status = 'interrupted')::int as interrupted
    from generation
    where ${within} and ${having}
    group by 1`;
  const byStart = new Map(rows.map(({ start_ms, ...counts }) => [start_ms, counts]));
  return {
    step_ms: stepMs,
    buckets: startsMs.map((startMs) => ({ start: isoTime(startMs), ...(byStart.get(startMs) ?? none) })),
  };
}
