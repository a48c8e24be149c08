import type { AuditLogEntry, AuditLogQuery } from "#contract/audit.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/client.ts";

const listMax = 1000;

/** Returns the audit log of the caller's organisation, newest first. */
export async function listAudit(
  database: Database,
  caller: Authorized<"audit:read", "organisation">,
  { limit, offset, from, to, ...equal }: AuditLogQuery,
): Promise<{ data: AuditLogEntry[]; total_count: number }> {
  const { orgId } = caller;
  const where: Prisma.audit_entryWhereInput = {
    ...equal,
    org_id: orgId,
    occurred_at: { ...(from && { gte: from }), ...(to && { lt: to }) },
  };
  const [rows, total] = await Promise.all([
    database.prisma.audit_entry.findMany({
      where,
      orderBy: [{ position: "desc" }, { id: "desc" }],
      omit: { id: true, org_id: true },
      take: limit ?? listMax,
      skip: offset ?? 0,
    }),
    database.prisma.audit_entry.count({ where }),
  ]);
  return {
    data: rows.map((row) => ({ ...row, occurred_at: row.occurred_at.toISOString() })),
    total_count: total,
  };
}
