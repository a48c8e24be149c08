import { systemOf } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import type { Database } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import type { Log } from "#server/platform/log.ts";
import { type ListedErasure, readErasureList } from "./erasure-list.ts";
import { noCounts } from "./parts.ts";

interface RepeatDeps {
  readonly database: Database;
  readonly queue: Queue;
  readonly log: Log;
  readonly dataDir: string;
}

/** Puts an erasure back that the database does not know. Another process may do the same at the same time. */
async function repeat({ database, queue }: RepeatDeps, erasure: ListedErasure): Promise<void> {
  const { org_id, id, subject_type, subject_hash } = erasure;
  await changeRecords(database, systemOf(org_id), "erasure.repeat", async (tx) => {
    const { count } = await tx.erasure.createMany({
      data: {
        ...erasure,
        dry_run: false,
        repeated: true,
        status: "waiting",
        counts: noCounts,
        destinations: [],
      },
      skipDuplicates: true,
    });
    if (count === 0) return { result: undefined, audit: null };
    await queue.enqueue(tx, "erase-data-subject", { id, again: false });
    return { result: undefined, audit: { id, after: { subject_type, subject_hash } } };
  });
}

/**
 * Repeats erasures that this process did and that the database does not know, because a backup from before them was
 * restored. Those of organisations that do not exist are left out. Returns how many there were.
 */
export async function repeatErasures(deps: RepeatDeps): Promise<number> {
  const { database, queue, log, dataDir } = deps;
  const { erasures: listed, damagedLines } = readErasureList(dataDir);
  if (damagedLines.length > 0)
    log.error(
      { event: "erasures" },
      `Lines ${damagedLines.join(", ")} of DATA_DIR/erasures.jsonl are not erasures: after a restored backup they would not be repeated`,
    );
  if (listed.length === 0) return 0;
  const missing = await database.statement<{ id: string }>(
    `select listed.id::text as id from unnest($1::uuid[], $2::uuid[]) as listed (id, org_id)
     join organisation on organisation.id = listed.org_id
     where not exists (select from erasure where erasure.id = listed.id)`,
    [listed.map(({ id }) => id), listed.map(({ org_id }) => org_id)],
  );
  const ids = new Set(missing.map(({ id }) => id));
  for (const erasure of listed) if (ids.has(erasure.id)) await repeat(deps, erasure);
  if (ids.size === 0) return 0;
  log.warn(
    { event: "erasures", count: ids.size },
    "A restored database lacked erasures: they are done again",
  );
  queue.wake("erase-data-subject");
  return ids.size;
}
