import type { GenerationReceipt } from "#contract/transparency-log.ts";
import type { Database, GenerationRow } from "#server/db/index.ts";
import { dayMs, isoTime } from "#server/platform/clock.ts";

interface Asked {
  readonly row: GenerationRow;
  /** After how many days records are deleted; undefined: never. */
  readonly recordRetentionDays: number | undefined;
}

const contentStatement = `
  select max(expires_at) as expires_at from (
    select expires_at from stored_response where org_id = $1::uuid and id = $2::uuid
    union all
    select expires_at from stored_completion where org_id = $1::uuid and id = $2::uuid
  ) as stored`;

/** What a receipt says beside its proof: the names of destinations, and until when what is stored here. */
export async function receiptToday(
  { prisma, statement }: Database,
  { row, recordRetentionDays }: Asked,
): Promise<GenerationReceipt["today"]> {
  const { id, org_id, destinations = [], started_at } = row;
  const named = await prisma.destination.findMany({
    where: { org_id, id: { in: destinations.map((one) => one.id) } },
    select: { id: true, name: true, type: true },
    orderBy: { id: "asc" },
  });
  const [content] = await statement<{ expires_at: Date | null }>(contentStatement, [org_id, id]);
  return {
    destinations: named,
    record_until:
      recordRetentionDays === undefined
        ? null
        : isoTime(Date.parse(started_at) + recordRetentionDays * dayMs),
    content_until: content?.expires_at?.toISOString() ?? null,
  };
}
