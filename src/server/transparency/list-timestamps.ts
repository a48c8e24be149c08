import type { LogTimestamp, LogTimestampQuery } from "#contract/transparency-log.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { type Database, type Page, readPage } from "#server/db/index.ts";

/** The timestamps of the checkpoints of the organisation's log, newest first. */
export async function listTimestamps(
  { prisma: { log_timestamp: timestamps } }: Database,
  { orgId }: Authorized<"audit:read", "organisation">,
  { limit, offset }: LogTimestampQuery,
): Promise<Page<LogTimestamp>> {
  const where = { org_id: orgId };
  return readPage(
    { limit, offset },
    {
      rows: (window) =>
        timestamps.findMany({ where, orderBy: [{ stamped_at: "desc" }, { id: "desc" }], ...window }),
      count: () => timestamps.count({ where }),
      toWire: (rows) =>
        rows.map(({ authority, stamped_at, size, checkpoint, response }) => ({
          authority,
          stamped_at: stamped_at.toISOString(),
          size: Number(size),
          checkpoint,
          response: Buffer.from(response).toString("base64"),
        })),
    },
  );
}
