import type { Database } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import { requestsOf, type Subject } from "#server/subjects/index.ts";
import { beyond, type Place } from "../place.ts";

interface Walk {
  readonly orgId: string;
  readonly subject: Subject;
  /** Only requests that began before it. */
  readonly until: string;
  /** The last request of the step before; null at the beginning. */
  readonly place: Place | null;
  /** How many requests of anybody one step reads. */
  readonly scannedMax: number;
}

interface Step {
  /** Requests of the subject, newest first. */
  readonly ids: readonly string[];
  /** The last request that was read; null at the end. */
  readonly next: Place | null;
}

interface StepRow {
  readonly ids: string[];
  readonly count: number;
  readonly last_at: string | null;
  readonly last_id: string | null;
}

/**
 * Finds requests of a subject among the next `scannedMax` of its organisation, newest first. Most subjects have few
 * requests, and there is no index for them: each step costs the same.
 */
export async function walk(
  { prisma }: Database,
  { orgId, subject, until, place, scannedMax }: Walk,
): Promise<Step> {
  const [step] = await prisma.$queryRaw<StepRow[]>`
    with scanned as materialized (
      select id, started_at, (${requestsOf(subject)}) is true as is_own from generation
      where org_id = ${orgId}::uuid and started_at < ${until}::timestamptz and ${beyond(place)}
      order by started_at desc, id asc limit ${scannedMax}
    ), last as (select id, started_at from scanned order by started_at asc, id desc limit 1)
    select (select count(*)::int from scanned) as count,
      (select coalesce(json_agg(id order by started_at desc, id), '[]') from scanned where is_own) as ids,
      (select row_to_json(last)->>'started_at' from last) as last_at, (select id::text from last) as last_id`;
  const { ids = [], count = 0, last_at: lastAt = null, last_id: lastId = null } = step ?? {};
  const isEnd = count < scannedMax || lastAt === null || lastId === null;
  return { ids, next: isEnd ? null : { startedAt: isoTime(Date.parse(lastAt)), id: lastId } };
}
