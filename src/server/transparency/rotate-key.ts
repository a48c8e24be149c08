import { systemOf } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import type { SequenceDeps } from "./sequence.ts";

/**
 * After a change of the installation's key: records the log's new public key in the organisation's audit log, and so in
 * the log itself. The next checkpoint is signed with the new and with the previous key.
 */
export async function rotateKey({ database, signer }: SequenceDeps, orgId: string): Promise<void> {
  await changeRecords(database, systemOf(orgId), "transparency_log.rotate_key", async (tx) => {
    const { count } = await tx.log_tree.updateMany({
      where: { org_id: orgId, signed_with: { in: [...signer.previousIds] } },
      data: { signed_with: signer.id },
    });
    if (count === 0) return { result: undefined, audit: null };
    const { origin } = await tx.log_tree.findUniqueOrThrow({
      where: { org_id: orgId },
      select: { origin: true },
    });
    const [current, previous] = signer.keysOf(origin);
    const before = { public_key: previous?.publicKey ?? null };
    return { result: undefined, audit: { id: orgId, before, after: { public_key: current.publicKey } } };
  });
}
