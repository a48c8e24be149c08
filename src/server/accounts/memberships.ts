import type { Database } from "#server/db/client.ts";

export interface Membership {
  readonly orgId: string;
  readonly orgName: string;
  readonly role: string;
}

/** The organisations a person belongs to, the one joined first in front. */
export async function membershipsOf(database: Database, userId: string): Promise<Membership[]> {
  const rows = await database.prisma.member.findMany({
    where: { user_id: userId },
    orderBy: [{ created_at: "asc" }, { id: "asc" }],
    select: { role: true, org: { select: { id: true, name: true } } },
  });
  return rows.map(({ role, org }) => ({ orgId: org.id, orgName: org.name, role }));
}
