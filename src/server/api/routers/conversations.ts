import { z } from "zod";
import {
  ConversationCreate,
  ConversationDeleted,
  ConversationId,
  ConversationItem,
  ConversationItemId,
  ConversationItemsCreate,
  ConversationObject,
  ConversationUpdate,
} from "#contract/conversations.ts";
import { IncludeQuery, InputItemList, InputItemQuery } from "#contract/stored-responses.ts";
import {
  addConversationItems,
  createConversation,
  deleteConversation,
  deleteConversationItem,
  getConversation,
  getConversationItem,
  listConversationItems,
  updateConversation,
} from "#server/inference/index.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Inference";
const errors = [404];
const Named = z.object({
  conversation_id: ConversationId.describe("ID of the conversation, such as `conv_…`."),
});
const ItemNamed = Named.extend({ item_id: ConversationItemId.describe("ID of the item, such as `msg_…`.") });
const item = { type: "message", role: "user", content: "Say hello to Europe." };
const user = permitted("inference:use", "workspace");

export const conversationsRouter = router({
  create: user
    .meta(
      rest("POST", "/conversations", {
        summary: "Create a conversation",
        description:
          "Creates a conversation for the field `conversation` of responses: its items precede the input, and input " +
          "and answer are appended to it. Everything in it is stored encrypted, for the retention period of stored " +
          "responses since items were last added. The same keys and persons may use it as a stored response.",
        tag,
        opaque: ["items"],
        idempotent: true,
        example: { metadata: { topic: "greetings" }, items: [item] },
        audit: { action: "conversation.create", configuration: false },
      }),
    )
    .input(ConversationCreate)
    .output(ConversationObject)
    .mutation(({ ctx, input }) => createConversation(ctx.services.responses, ctx.caller, input)),

  get: user
    .meta(
      rest("GET", "/conversations/{conversation_id}", {
        summary: "Get a conversation",
        description: "Its time of creation and its key-value pairs; its items are listed separately.",
        tag,
        errors,
      }),
    )
    .input(Named)
    .output(ConversationObject)
    .query(({ ctx, input }) => getConversation(ctx.services.responses, ctx.caller, input.conversation_id)),

  update: user
    .meta(
      rest("POST", "/conversations/{conversation_id}", {
        summary: "Update a conversation",
        description: "Replaces its key-value pairs.",
        tag,
        errors,
        example: { metadata: { topic: "greetings" } },
        audit: { action: "conversation.update", configuration: false },
      }),
    )
    .input(ConversationUpdate.extend(Named.shape))
    .output(ConversationObject)
    .mutation(({ ctx, input: { conversation_id: id, metadata } }) =>
      updateConversation(ctx.services.responses, ctx.caller, id, metadata),
    ),

  remove: user
    .meta(
      rest("DELETE", "/conversations/{conversation_id}", {
        summary: "Delete a conversation",
        description: "Deletes it with its items. Stored responses that were made in it remain.",
        tag,
        errors,
        audit: { action: "conversation.delete", configuration: false },
      }),
    )
    .input(Named)
    .output(ConversationDeleted)
    .mutation(({ ctx, input }) =>
      deleteConversation(ctx.services.responses, ctx.caller, input.conversation_id),
    ),

  addItems: user
    .meta(
      rest("POST", "/conversations/{conversation_id}/items", {
        summary: "Add items to a conversation",
        description: "Appends them at the end, all or none. Items without an ID get one.",
        tag,
        errors,
        opaque: ["items"],
        idempotent: true,
        example: { items: [item] },
        audit: { action: "conversation.add_items", configuration: false },
      }),
    )
    .input(ConversationItemsCreate.extend(Named.shape))
    .output(InputItemList)
    .mutation(({ ctx, input: { conversation_id: id, items } }) =>
      addConversationItems(ctx.services.responses, ctx.caller, id, items),
    ),

  listItems: user
    .meta(
      rest("GET", "/conversations/{conversation_id}/items", {
        summary: "List the items of a conversation",
        description: "Newest first unless `order=asc`.",
        tag,
        errors,
      }),
    )
    .input(Named.extend(InputItemQuery.shape))
    .output(InputItemList)
    .query(({ ctx, input: { conversation_id: id, ...query } }) =>
      listConversationItems(ctx.services.responses, ctx.caller, id, query),
    ),

  getItem: user
    .meta(
      rest("GET", "/conversations/{conversation_id}/items/{item_id}", {
        summary: "Get an item of a conversation",
        description: "The item with all its fields.",
        tag,
        errors,
      }),
    )
    .input(ItemNamed.extend(IncludeQuery.shape))
    .output(ConversationItem)
    .query(({ ctx, input }) => getConversationItem(ctx.services.responses, ctx.caller, input)),

  removeItem: user
    .meta(
      rest("DELETE", "/conversations/{conversation_id}/items/{item_id}", {
        summary: "Delete an item of a conversation",
        description: "Returns the conversation.",
        tag,
        errors,
        audit: { action: "conversation.delete_item", configuration: false },
      }),
    )
    .input(ItemNamed)
    .output(ConversationObject)
    .mutation(({ ctx, input }) => deleteConversationItem(ctx.services.responses, ctx.caller, input)),
});
