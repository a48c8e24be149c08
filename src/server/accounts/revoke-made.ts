import type { Caller } from "#server/access/caller.ts";
import { recordAll } from "#server/audit/record.ts";
import type { Tx } from "#server/db/client.ts";

interface MadeKey {
  readonly id: string;
  readonly public_id: string;
  readonly name: string;
  readonly user_id: string;
  readonly permissions: string[];
  /** Public id of the key that made it. */
  readonly made_by: string;
}

/**
 * Permanently revokes the keys that keys have made, recursively, with an audit row for each; their open invitations
 * and codes are deleted too. Call it in the transaction that deletes the keys themselves, before that.
 */
export async function revokeMade(tx: Tx, caller: Caller, keyIds: readonly string[]): Promise<void> {
  const { orgId } = caller;
  const made = await tx.$queryRaw<MadeKey[]>`
    with recursive made as (
      select key.*, maker.public_id as made_by from api_key key join api_key maker on maker.id = key.maker_id
      where maker.id = any(${[...keyIds]}::uuid[]) and maker.org_id = ${orgId}::uuid
      union
      select key.*, made.public_id from api_key key join made on key.maker_id = made.id
    )
    select distinct on (id) id, public_id, name, user_id, permissions, made_by from made
    where id <> all(${[...keyIds]}::uuid[]) order by id`;
  const ids = [...keyIds, ...made.map(({ id }) => id)];
  await tx.authorization_code.deleteMany({ where: { org_id: orgId, used_at: null, maker_id: { in: ids } } });
  const where = { org_id: orgId, maker_id: { in: ids } };
  const invitations = await tx.invitation.findMany({ where, select: { id: true, email: true, role: true } });
  await tx.invitation.deleteMany({ where });
  // One statement, because a key cannot be deleted before the keys it made.
  await tx.api_key.deleteMany({ where: { org_id: orgId, id: { in: made.map(({ id }) => id) } } });
  await recordAll(tx, caller, [
    ...made.map(({ id, ...before }) => ({
      action: "api_key.delete",
      subject: { type: "api_key", id },
      before: { ...before },
    })),
    ...invitations.map(({ id, ...before }) => ({
      action: "invitation.delete",
      subject: { type: "invitation", id },
      before,
    })),
  ]);
}
