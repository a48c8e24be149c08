import type { Caller } from "#server/access/caller.ts";
import { currentOrigin, withOrigin } from "#server/audit/origin.ts";
import { type AuditEntry, record } from "#server/audit/record.ts";
import type { Tx } from "#server/db/client.ts";

/**
 * Writes down what who runs the installation did to an organisation: in their own audit log with who it was, and in the
 * organisation's, as done by the system. Who and from where is not told there: they are people of another organisation.
 */
export async function recordForBoth(
  tx: Tx,
  operator: Caller,
  orgId: string,
  entry: Omit<AuditEntry, "subject">,
): Promise<void> {
  const told = { ...entry, subject: { type: "organisation", id: orgId } };
  await record(tx, operator, told);
  if (orgId === operator.orgId) return;
  const system: Caller = { kind: "system", orgId, userId: orgId, permissions: new Set() };
  const origin = currentOrigin();
  const write = () => record(tx, system, told);
  await (origin ? withOrigin({ ...origin, ipAddress: null }, write) : write());
}
