import { z } from "zod";
import { Metadata } from "./completions.ts";
import { list } from "./list.ts";
import { ResponseItem } from "./response-items.ts";

export const ConversationId = z.string().min(1).max(128);
export const ConversationItemId = z.string().min(1).max(512);

/** How many items a client may add in one request. */
export const itemsAddedMax = 1_000;

const Items = list(ResponseItem).max(itemsAddedMax);

export const ConversationCreate = z.strictObject({
  items: Items.nullish().describe("Items to begin with, oldest first; at most 1,000."),
  metadata: Metadata.nullish().describe(
    "Up to 16 key-value pairs, keys of at most 64 and values of at most 512 characters.",
  ),
});
export type ConversationCreate = z.infer<typeof ConversationCreate>;

export const ConversationUpdate = z.strictObject({
  metadata: Metadata.nullable().describe(
    "New key-value pairs instead of the previous ones; null removes all. At most 16, keys of at most 64 and values of at most 512 characters.",
  ),
});

export const ConversationItemsCreate = z.strictObject({
  items: Items.min(1).describe("Items to add at the end, oldest first; 1 to 1,000."),
});

export const ConversationObject = z
  .object({
    id: z.string().describe("ID of the conversation, such as `conv_…`."),
    object: z.literal("conversation").describe("Always `conversation`."),
    created_at: z.number().int().describe("Time the conversation was created, in Unix seconds."),
    metadata: z.record(z.string(), z.string()).describe("Key-value pairs of the client."),
  })
  .meta({ id: "Conversation" });
export type ConversationObject = z.infer<typeof ConversationObject>;

/** What comes back of a deletion; OpenAI's clients look at `deleted`. */
export const ConversationDeleted = z.object({
  id: z.string().describe("ID of the deleted conversation."),
  object: z.literal("conversation.deleted").describe("Always `conversation.deleted`."),
  deleted: z.literal(true).describe("Always true."),
});
export type ConversationDeleted = z.infer<typeof ConversationDeleted>;

export const ConversationItem = z.looseObject({
  id: z.string().describe("ID of the item."),
  type: z.string().describe("Type of the item, such as `message`; it determines the further fields."),
});
export type ConversationItem = z.infer<typeof ConversationItem>;
