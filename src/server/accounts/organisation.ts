import type { Organisation } from "#contract/organisation.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { OrganisationCaller } from "#server/access/scope.ts";
import { changeRecords } from "#server/audit/change.ts";
import type { Database } from "#server/db/client.ts";

const columns = { id: true, name: true, slug: true, plan: true, created_at: true } as const;

/** Returns the organisation a caller acts for. */
export async function organisationOf(
  { prisma }: Database,
  { orgId }: OrganisationCaller,
): Promise<Organisation> {
  const row = await prisma.organisation.findUniqueOrThrow({ where: { id: orgId }, select: columns });
  return { ...row, created_at: row.created_at.toISOString() };
}

/** Renames the caller's organisation. Its slug stays, because links and traces contain it. */
export async function renameOrganisation(
  database: Database,
  caller: Authorized<"members:write", "organisation">,
  name: string,
): Promise<void> {
  const { orgId: id } = caller;
  await changeRecords(database, caller, "organisation.rename", async (tx) => {
    const before = await tx.organisation.findUniqueOrThrow({ where: { id }, select: { name: true } });
    await tx.organisation.update({ where: { id }, data: { name } });
    return { result: undefined, audit: { id, before, after: { name } } };
  });
}
