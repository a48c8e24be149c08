import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "#server/db/index.ts";

export const openIncidents = {
  open_subject: { not: null },
} as const satisfies Prisma.alert_incidentWhereInput;

const columns = {
  id: true,
  rule_id: true,
  subject: true,
  title: true,
  detail: true,
  opened_at: true,
  notified_at: true,
} as const satisfies Prisma.alert_incidentSelect;

/** The incidents that are open now, of one rule or of all. */
export async function readOpen(tx: Tx, ruleId?: string) {
  const where = { ...openIncidents, ...(ruleId !== undefined && { rule_id: ruleId }) };
  const rows = await tx.alert_incident.findMany({ where, select: columns });
  return rows.map((row) => ({ ...row, notified: row.notified_at !== null }));
}
export type OpenRow = Awaited<ReturnType<typeof readOpen>>[number];
