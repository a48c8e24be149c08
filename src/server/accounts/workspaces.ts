import type { Caller } from "#server/auth/caller.ts";
import type { Database } from "#server/db/client.ts";

/** The workspaces of the caller's organisation, by name. */
export async function workspacesOf(
  database: Database,
  { orgId }: Caller,
): Promise<{ id: string; name: string }[]> {
  return database.prisma.workspace.findMany({
    where: { org_id: orgId },
    orderBy: { name: "asc" },
    select: { id: true, name: true },
  });
}
