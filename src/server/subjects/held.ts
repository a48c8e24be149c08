import { Prisma } from "#generated/prisma/client.ts";
import type { Database, Tx } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";

/** Conditions that the end user of a row is `hold.subject`. */
const hasEndUser = {
  generation: "generation.user_reference = hold.subject",
  stored_response: endUserOfRequest("stored_response"),
  stored_completion: endUserOfRequest("stored_completion"),
  conversation: `exists (
    select from conversation_item as item join generation as request on request.id = item.generation_id
    where item.conversation_id = conversation.id and request.user_reference = hold.subject)`,
} as const;

/** Tables whose rows a legal hold can concern: each has `org_id`, `user_id` and `api_key_id`. */
type HeldTable = keyof typeof hasEndUser;

function endUserOfRequest(table: string): string {
  return `exists (
    select from generation as request where request.id = ${table}.id and request.user_reference = hold.subject)`;
}

/** SQL: whether a legal hold in force concerns a row of a table. The table must have its own name in the statement. */
export const heldCondition = (table: HeldTable): string => `exists (
  select from legal_hold as hold where hold.org_id = ${table}.org_id and hold.released_at is null and (
    hold.subject_type is null
    or (hold.subject_type = 'person' and hold.subject = ${table}.user_id::text)
    or (hold.subject_type = 'api_key' and hold.subject = ${table}.api_key_id::text)
    or (hold.subject_type = 'end_user' and ${hasEndUser[table]})))`;

/** How many legal holds of an organisation, or of all, are in force. */
export const legalHoldsInForce = (prisma: Pick<Tx, "legal_hold">, orgId?: string): Promise<number> =>
  prisma.legal_hold.count({ where: { released_at: null, ...(orgId !== undefined && { org_id: orgId }) } });

type StoredTable = Exclude<HeldTable, "generation">;

/** Throws CONFLICT if a legal hold forbids deleting a stored row of the organisation. */
export async function assertNotHeld(
  tx: Tx,
  table: StoredTable,
  { id, orgId }: { readonly id: string; readonly orgId: string },
): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 as held from ${Prisma.raw(table)}
    where id = ${id}::uuid and org_id = ${orgId}::uuid and ${Prisma.raw(heldCondition(table))}`;
  if (rows.length > 0)
    throw new AppError("CONFLICT", "A legal hold of the organisation forbids deleting this");
}

/** Deletes the expired rows of a table that no legal hold concerns. */
export async function deleteExpired({ prisma }: Pick<Database, "prisma">, table: StoredTable): Promise<void> {
  await prisma.$executeRaw`
    delete from ${Prisma.raw(table)}
    where expires_at <= ${dateAt(clock.nowMs())} and not ${Prisma.raw(heldCondition(table))}`;
}
