import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/auth/caller.ts";
import type { Tx } from "#server/db/client.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { entryHash } from "./chain.ts";
import { currentOrigin } from "./origin.ts";

export interface AuditEntry {
  /** Noun and verb, e.g. `api_key.create`. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  /** Secrets must not be in here: hand in what the API would show. */
  readonly before?: Prisma.InputJsonObject;
  readonly after?: Prisma.InputJsonObject;
}

const actorId = (caller: Caller): string | null =>
  caller.kind === "key" ? caller.keyId : caller.kind === "person" ? caller.userId : null;

interface Head {
  readonly position: number;
  readonly hash: string;
}

/** The end of the organisation's chain, held until the transaction ends: rows are added one after the other. */
async function lockHead(tx: Tx, orgId: string): Promise<Head> {
  const rows = await tx.$queryRaw<Head[]>`
    insert into audit_head (org_id, position, hash) values (${orgId}::uuid, 0, '')
    on conflict (org_id) do update set position = audit_head.position returning position, hash`;
  return rows[0] ?? { position: 0, hash: "" };
}

/** Writes audit rows in the transaction of the change, so that neither stands without the other. */
export async function recordAll(tx: Tx, caller: Caller, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { orgId } = caller;
  let head = await lockHead(tx, orgId);
  const origin = currentOrigin();
  const rows = entries.map(({ action, subject, before, after }) => {
    const row = {
      org_id: orgId,
      position: head.position + 1,
      previous_hash: head.hash,
      occurred_at: isoTime(clock.nowMs()),
      actor_type: caller.kind,
      actor_id: actorId(caller),
      action,
      subject_type: subject.type,
      subject_id: subject.id,
      request_id: origin?.requestId ?? null,
      ip_address: origin?.ipAddress ?? null,
    };
    const hash = entryHash({ ...row, before, after });
    head = { position: row.position, hash };
    return { ...row, hash, ...(before && { before }), ...(after && { after }) };
  });
  await tx.audit_entry.createMany({ data: rows });
  await tx.audit_head.update({ where: { org_id: orgId }, data: head });
}

/** Writes one audit row in the transaction of the change. */
export const record = (tx: Tx, caller: Caller, entry: AuditEntry): Promise<void> =>
  recordAll(tx, caller, [entry]);
