import { z } from "zod";
import type { Database } from "#server/db/index.ts";
import { readRow } from "#server/db/index.ts";

/** The action of rows about requests that were deleted because they were older than the retention. */
export const deletionAction = "generation.delete_old";

const Deletion = z.object({ before: z.iso.date() });

/**
 * The day (UTC) before which an organisation's requests were deleted, as its audit log says; null if none were. Reads
 * rows up to `position`.
 */
export async function deletedBefore(
  { prisma }: Database,
  orgId: string,
  position: number,
): Promise<string | null> {
  const rows = await prisma.audit_entry.findMany({
    where: { org_id: orgId, action: deletionAction, position: { lte: position } },
    select: { after: true },
  });
  const days = rows.flatMap(({ after }) => readRow(() => Deletion.parse(after)).value?.before ?? []);
  return days.sort().at(-1) ?? null;
}
