import type { ConversationItem, ConversationObject } from "#contract/conversations.ts";
import type { ResponseItem } from "#contract/response-items.ts";
import type { InputItemList, InputItemQuery } from "#contract/stored-responses.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeRecords } from "#server/audit/change.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError, found, notFound } from "#server/platform/errors.ts";
import { assertNotHeld } from "#server/subjects/index.ts";
import { pageOfItems } from "../responses/item-page.ts";
import { appendItems } from "./append-items.ts";
import { conversationIdOf } from "./conversation-id.ts";
import { assertStorable, conversationOfRow } from "./conversations.ts";
import {
  assertRoom,
  type ConversationDeps,
  findConversation,
  itemsOfConversation,
} from "./find-conversation.ts";
import { asConversationItems, openItem, sealItems } from "./sealed-items.ts";

type User = Authorized<"inference:use">;

interface ItemName {
  readonly conversation_id: string;
  readonly item_id: string;
}

const noSuchItem = () => notFound("item", "item_id");

/** `GET /conversations/{id}/items`. */
export async function listConversationItems(
  deps: ConversationDeps,
  caller: User,
  conversationId: string,
  query: InputItemQuery,
): Promise<InputItemList> {
  const row = await findConversation(deps, caller, conversationId, { use: "read" });
  return pageOfItems(await itemsOfConversation(deps, row, "conversation_id"), query);
}

/** `POST /conversations/{id}/items`: appends items and returns them. Throws BAD_REQUEST for an id that is in use. */
export async function addConversationItems(
  deps: ConversationDeps,
  caller: User,
  conversationId: string,
  given: readonly ResponseItem[],
): Promise<InputItemList> {
  assertStorable(given);
  const { id, org_id } = await findConversation(deps, caller, conversationId, { use: "change" });
  const items = asConversationItems(given);
  const sealed = sealItems(deps.sealer, org_id, items);
  const ids = items.map((item) => item.id);
  return changeRecords(deps.database, caller, "conversation.add_items", async (tx) => {
    const where = { conversation_id: id, org_id };
    const known = await tx.conversation_item.findMany({
      where: { ...where, item_id: { in: ids } },
      select: { item_id: true },
    });
    const taken = new Set(known.map((one) => one.item_id));
    const at = ids.findIndex((one, index) => taken.has(one) || ids.indexOf(one) < index);
    const param = `items.${at}.id`;
    if (at !== -1)
      throw new AppError("BAD_REQUEST", `${param}: an item of the conversation already has this id`, {
        param,
      });
    assertRoom((await tx.conversation_item.count({ where })) + items.length, "items");
    const expiresAt = isoTime(clock.nowMs() + deps.retentionMs);
    if (!(await appendItems(tx, { id, orgId: org_id, generationId: null, expiresAt }, sealed)))
      throw notFound("conversation", "conversation_id");
    const result: InputItemList = {
      object: "list",
      data: items,
      first_id: ids[0] ?? null,
      last_id: ids.at(-1) ?? null,
      has_more: false,
    };
    return { result, audit: { id: conversationIdOf(id) } };
  });
}

/** `GET /conversations/{id}/items/{item_id}`. */
export async function getConversationItem(
  deps: ConversationDeps,
  caller: User,
  { conversation_id, item_id }: ItemName,
): Promise<ConversationItem> {
  const { id, org_id } = await findConversation(deps, caller, conversation_id, { use: "read" });
  const row = await deps.database.prisma.conversation_item.findFirst({
    where: { conversation_id: id, org_id, item_id },
  });
  return openItem(deps.sealer, found(row, "item", "item_id"));
}

/** `DELETE /conversations/{id}/items/{item_id}`: returns the conversation. */
export async function deleteConversationItem(
  deps: ConversationDeps,
  caller: User,
  { conversation_id, item_id }: ItemName,
): Promise<ConversationObject> {
  const row = await findConversation(deps, caller, conversation_id, { use: "change" });
  return changeRecords(deps.database, caller, "conversation.delete_item", async (tx) => {
    await assertNotHeld(tx, "conversation", { id: row.id, orgId: row.org_id });
    const { count } = await tx.conversation_item.deleteMany({
      where: { conversation_id: row.id, org_id: row.org_id, item_id },
    });
    if (count === 0) throw noSuchItem();
    return { result: conversationOfRow(deps, row), audit: { id: conversation_id, after: { item_id } } };
  });
}
