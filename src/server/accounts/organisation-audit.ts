import type { Caller } from "#server/access/caller.ts";
import { type Changed, type changeConfiguration, entryOf } from "#server/audit/change.ts";
import { currentOrigin, withOrigin } from "#server/audit/origin.ts";
import { type AuditEntry, record } from "#server/audit/record.ts";
import type { Database, Tx } from "#server/db/client.ts";

/**
 * The audit row, in an organisation's own log, of a change by the operator. It is recorded as done by the system,
 * without person and address, because these belong to another organisation.
 */
export async function recordForOrganisation(tx: Tx, operator: Caller, entry: AuditEntry): Promise<void> {
  const orgId = entry.subject.id;
  if (orgId === operator.orgId) return;
  const system: Caller = { kind: "system", orgId, userId: orgId, permissions: new Set() };
  const origin = currentOrigin();
  const write = () => record(tx, system, entry);
  await (origin ? withOrigin({ ...origin, ipAddress: null }, write) : write());
}

/** Makes a change of an organisation by the operator, with an audit row in both logs. */
export const changeOrganisation = <T>(
  change: typeof changeConfiguration,
  { database, operator, action }: { database: Database; operator: Caller; action: string },
  work: (tx: Tx) => Promise<Changed<T>>,
): Promise<T> =>
  change(database, operator, action, async (tx) => {
    const changed = await work(tx);
    if (changed.audit) await recordForOrganisation(tx, operator, entryOf(action, changed.audit));
    return changed;
  });
