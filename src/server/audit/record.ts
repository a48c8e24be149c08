import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/access/caller.ts";
import { sealOf, type Tx } from "#server/db/client.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";
import { entryHash } from "./chain.ts";
import { currentOrigin, currentPlan } from "./origin.ts";
import { brokenAction, signatureOf, signatureStateOf } from "./signature.ts";

export interface AuditEntry {
  /** Noun and verb, e.g. `api_key.create`. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  /** Must not contain secrets: pass what the API would show. */
  readonly before?: Prisma.InputJsonObject;
  readonly after?: Prisma.InputJsonObject;
}

const actorId = (caller: Caller): string | null =>
  caller.kind === "key" ? caller.keyId : caller.kind === "person" ? caller.userId : null;

interface Head {
  readonly position: number;
  readonly hash: string;
  readonly signature: string;
}

/**
 * Returns the end of the organisation's chain, locked until the transaction ends, so that rows are added one at a
 * time.
 */
export async function lockAuditChain(tx: Tx, orgId: string): Promise<Head> {
  const rows = await tx.$queryRaw<Head[]>`
    insert into audit_head (org_id, position, hash) values (${orgId}::uuid, 0, '')
    on conflict (org_id) do update set position = audit_head.position returning position, hash, signature`;
  return rows[0] ?? { position: 0, hash: "", signature: "" };
}

/** The end of a new chain is not signed yet. */
const isAsLeft = (seal: RowSeal, org_id: string, head: Head): boolean =>
  (head.position === 0 && head.hash === "" && head.signature === "") ||
  signatureStateOf(seal, "head", { org_id, ...head }) === "holds";

/**
 * Writes audit rows in the transaction of the change, so that both are stored or neither. If another program changed
 * the end of the chain, a permanent row reports it.
 */
export async function recordAll(tx: Tx, caller: Caller, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { orgId: org_id } = caller;
  const seal = sealOf(tx);
  const found = await lockAuditChain(tx, org_id);
  const { position, hash } = found;
  const finding: AuditEntry = {
    action: brokenAction,
    subject: { type: "audit_log", id: org_id },
    before: { position, hash },
  };
  const written = isAsLeft(seal, org_id, found) ? entries : [finding, ...entries];
  const origin = currentOrigin();
  let head: Pick<Head, "position" | "hash"> = found;
  const plan = currentPlan();
  const rows = written.map(({ action, subject, before, after: changed }) => {
    const after = plan === undefined ? changed : { ...changed, plan_digest: plan };
    const row = {
      org_id,
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
    head = { position: row.position, hash: entryHash({ ...row, before, after }) };
    const signature = signatureOf(seal, "row", { org_id, ...head });
    return { ...row, hash: head.hash, signature, ...(before && { before }), ...(after && { after }) };
  });
  await tx.audit_entry.createMany({ data: rows });
  const signature = signatureOf(seal, "head", { org_id, position: head.position, hash: head.hash });
  await tx.audit_head.update({
    where: { org_id },
    data: { position: head.position, hash: head.hash, signature },
  });
}

/** Writes one audit row in the transaction of the change. */
export const record = (tx: Tx, caller: Caller, entry: AuditEntry): Promise<void> =>
  recordAll(tx, caller, [entry]);
