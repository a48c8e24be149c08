import { LRUCache } from "lru-cache";
import type { Database } from "#server/db/index.ts";
import { dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { type RecordedDocuments, readRecordedDocuments } from "./recorded-documents.ts";
import { replayRecorded } from "./replay-recorded.ts";

/** What became of the recorded decisions that were made again. */
export interface ReplayedDecisions {
  readonly identical: number;
  /** Those of earlier versions, for example. */
  readonly notReplayable: number;
  /** Requests whose record does not follow from what it was made from. */
  readonly different: readonly { readonly orgId: string; readonly id: string }[];
}

const { requestsTogether, decisionsMax } = limits.replay;

/**
 * Makes the decisions about all requests again that began at or after a time, of every organisation, in the order of
 * their IDs. Takes about a millisecond for each request.
 */
export async function replayAll(
  database: Database,
  sinceMs: number,
  onProgress: (count: number) => void = () => {},
): Promise<ReplayedDecisions> {
  const known = new LRUCache<string, { readonly documents: RecordedDocuments | null }>({ max: decisionsMax });
  const read = async (orgId: string, hash: string): Promise<RecordedDocuments | null> => {
    const key = `${orgId} ${hash}`;
    const found = known.get(key);
    if (found) return found.documents;
    const documents = await readRecordedDocuments(database, orgId, hash);
    known.set(key, { documents });
    return documents;
  };
  const counts = { identical: 0, different: 0, not_replayable: 0 };
  const different: { orgId: string; id: string }[] = [];
  for (let last: string | undefined; ; ) {
    const rows = await database.prisma.generation.findMany({
      where: { started_at: { gte: dateAt(sinceMs) }, ...(last !== undefined && { id: { gt: last } }) },
      orderBy: { id: "asc" },
      take: requestsTogether,
    });
    for (const row of rows) {
      const { outcome } = await replayRecorded(row, (hash) => read(row.org_id, hash));
      counts[outcome]++;
      if (outcome === "different") different.push({ orgId: row.org_id, id: row.id });
    }
    last = rows.at(-1)?.id;
    if (last === undefined) break;
    onProgress(counts.identical + counts.different + counts.not_replayable);
  }
  return { identical: counts.identical, notReplayable: counts.not_replayable, different };
}
