import { setImmediate as nextTurn } from "node:timers/promises";
import type { ConversationItem } from "#contract/conversations.ts";
import type { Caller } from "#server/access/caller.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { mayOnlyRead, type ResponseUse, scopeOf, storedWithin } from "../responses/response-access.ts";
import type { ResponseDeps } from "../responses/response-deps.ts";
import { conversationRowId } from "./conversation-id.ts";
import { openItem } from "./sealed-items.ts";

export type ConversationDeps = Pick<ResponseDeps, "database" | "sealer" | "responseSpool" | "retentionMs">;
type Reading = Pick<ConversationDeps, "database" | "sealer" | "responseSpool">;

/**
 * The row of a conversation the caller may use, after what was answered in it is in the database. Throws NOT_FOUND
 * naming `param`, also for conversations of others, and FORBIDDEN for one that may be read and not changed.
 */
export async function findConversation(
  { database, responseSpool }: Pick<Reading, "database" | "responseSpool">,
  caller: Caller,
  conversationId: string,
  { use, param = "conversation_id" }: { readonly use: ResponseUse; readonly param?: string },
) {
  const id = conversationRowId(conversationId);
  if (id === null) throw notFound("conversation", param);
  await responseSpool.flushed();
  const find = (by: ResponseUse) =>
    database.prisma.conversation.findFirst({ where: { id, ...storedWithin(scopeOf(caller, by)) } });
  const row = await find(use);
  if (row) return row;
  throw use === "change" && (await find("read"))
    ? mayOnlyRead("conversations")
    : notFound("conversation", param);
}

interface Sealed {
  readonly id: string;
  readonly org_id: string;
  /** Null if they are too long together. */
  readonly content: string | null;
}

/** All items of a conversation, oldest first. Throws PAYLOAD_TOO_LARGE naming `param` if they are too long together. */
export async function itemsOfConversation(
  { database, sealer }: Pick<Reading, "database" | "sealer">,
  { id, org_id }: { readonly id: string; readonly org_id: string },
  param: string,
): Promise<ConversationItem[]> {
  const rows = await database.prisma.$queryRaw<Sealed[]>`
    with items as (
      select id, org_id, position, content from conversation_item
      where conversation_id = ${id}::uuid and org_id = ${org_id}::uuid
    )
    select id, org_id,
      case when (select sum(octet_length(content)) from items) <= ${limits.responses.sealedBytesMax} then content end as content
    from items order by position`;
  const items: ConversationItem[] = [];
  let bytes = 0;
  for (const { content, ...row } of rows) {
    if (content === null)
      throw new AppError("PAYLOAD_TOO_LARGE", `${param}: its items are too long to be sent in one request`, {
        param,
      });
    items.push(openItem(sealer, { ...row, content }));
    bytes += content.length;
    if (bytes > limits.stream.yieldEveryBytes) {
      bytes = 0;
      await nextTurn();
    }
  }
  return items;
}

/** Refuses to let a conversation grow beyond its maximum. Throws PAYLOAD_TOO_LARGE naming `param`. */
export function assertRoom(itemCount: number, param: string): void {
  const { itemsMax } = limits.conversations;
  if (itemCount <= itemsMax) return;
  throw new AppError(
    "PAYLOAD_TOO_LARGE",
    `${param}: a conversation may have at most ${itemsMax} items; delete some, or begin a new one`,
    { param, metadata: { items_max: itemsMax } },
  );
}
