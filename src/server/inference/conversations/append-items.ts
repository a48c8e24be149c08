import type { Tx } from "#server/db/index.ts";
import type { SealedItem } from "./sealed-items.ts";

interface Appending {
  readonly id: string;
  readonly orgId: string;
  /** The request that appends them; null if none does. */
  readonly generationId: string | null;
  /** The conversation expires then at the earliest. */
  readonly expiresAt: string;
}

/**
 * Appends items to a conversation, in their order and without others between them. Items that it already has are left
 * out, so that appending twice changes nothing. False if the conversation was deleted.
 */
export async function appendItems(
  tx: Tx,
  { id, orgId, generationId, expiresAt }: Appending,
  items: readonly SealedItem[],
): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ first: number }[]>`
    update conversation
    set next_position = next_position + ${items.length}::int,
      expires_at = greatest(expires_at, ${expiresAt}::timestamptz)
    where id = ${id}::uuid and org_id = ${orgId}::uuid
    returning next_position - ${items.length}::int as first`;
  if (!row) return false;
  const data = items.map((item, at) => ({
    ...item,
    org_id: orgId,
    generation_id: generationId,
    conversation_id: id,
    position: row.first + at,
  }));
  await tx.conversation_item.createMany({ data, skipDuplicates: true });
  return true;
}
