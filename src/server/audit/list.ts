import type { AuditLogEntry, AuditLogQuery } from "#contract/audit.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { type Database, type Page, readPage } from "#server/db/index.ts";

/** Returns the audit log of the caller's organisation, newest first. */
export async function listAudit(
  database: Database,
  caller: Authorized<"audit:read", "organisation">,
  { limit, offset, from, to, ...equal }: AuditLogQuery,
): Promise<Page<AuditLogEntry>> {
  const { orgId } = caller;
  const where: Prisma.audit_entryWhereInput = {
    ...equal,
    org_id: orgId,
    occurred_at: { ...(from && { gte: from }), ...(to && { lt: to }) },
  };
  const { audit_entry: entries } = database.prisma;
  return readPage(
    { limit, offset },
    {
      rows: (window) =>
        entries.findMany({
          where,
          orderBy: [{ position: "desc" }, { id: "desc" }],
          omit: { id: true, org_id: true },
          ...window,
        }),
      count: () => entries.count({ where }),
      toWire: (rows) => rows.map((row) => ({ ...row, occurred_at: row.occurred_at.toISOString() })),
    },
  );
}
