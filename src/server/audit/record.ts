import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/auth/caller.ts";
import type { Tx } from "#server/db/client.ts";

export interface AuditEntry {
  /** Noun and verb, e.g. `api_key.create`. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  /** Secrets must not be in here: hand in what the API would show. */
  readonly before?: Prisma.InputJsonObject;
  readonly after?: Prisma.InputJsonObject;
  readonly requestId?: string;
  readonly ipAddress?: string;
}

const actorId = (caller: Caller): string | null =>
  caller.kind === "key" ? caller.keyId : caller.kind === "person" ? caller.userId : null;

/** Writes one audit row in the transaction of the change, so that neither stands without the other. */
export async function record(tx: Tx, caller: Caller, entry: AuditEntry): Promise<void> {
  await tx.audit_entry.create({
    data: {
      org_id: caller.orgId,
      actor_type: caller.kind,
      actor_id: actorId(caller),
      action: entry.action,
      subject_type: entry.subject.type,
      subject_id: entry.subject.id,
      request_id: entry.requestId ?? null,
      ip_address: entry.ipAddress ?? null,
      ...(entry.before && { before: entry.before }),
      ...(entry.after && { after: entry.after }),
    },
  });
}
