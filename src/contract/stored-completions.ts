import { z } from "zod";
import { ChatCompletion } from "./chat.ts";
import { pageLimitOr } from "./common.ts";
import { Metadata, ModelName } from "./completions.ts";

const Page = z.object({
  after: z.string().min(1).max(128).describe("ID after which the page begins.").optional(),
  limit: pageLimitOr(20, 100).describe("Maximum number of entries to return, 1 to 100; 20 by default."),
  order: z
    .enum(["asc", "desc"], { error: "must be asc or desc" })
    .default("asc")
    .describe("Order of the entries: `asc` for oldest first (default), `desc` for newest first."),
});

export const CompletionId = z.string().min(1).max(128);

export const StoredMessageQuery = Page;
export type StoredMessageQuery = z.infer<typeof StoredMessageQuery>;

export const StoredCompletionQuery = Page.extend({
  model: ModelName.describe("Only completions that this model answered, by its ID.").optional(),
  // The generator of the OpenAPI document accepts an object in a query only as a pipe.
  metadata: Metadata.pipe(Metadata)
    .describe("Only completions that have all these key-value pairs, each as `metadata[key]=value`.")
    .optional(),
});
export type StoredCompletionQuery = z.infer<typeof StoredCompletionQuery>;

export const StoredCompletionUpdate = z.strictObject({
  metadata: Metadata.nullable().describe(
    "New key-value pairs instead of the previous ones; null removes all. At most 16, keys of at most 64 and values of at most 512 characters.",
  ),
});

const number = (name: string) =>
  z.number().nullable().describe(`\`${name}\` of the request; null when it had none.`);

/** A completion as it was answered, with its key-value pairs and settings of its request. */
export const StoredCompletion = ChatCompletion.extend({
  metadata: z.record(z.string(), z.string()).describe("Key-value pairs of the client."),
  temperature: number("temperature"),
  top_p: number("top_p"),
  presence_penalty: number("presence_penalty"),
  frequency_penalty: number("frequency_penalty"),
  seed: number("seed"),
  tools: z
    .array(z.looseObject({ type: z.string().describe("Kind of tool.") }))
    .nullable()
    .describe("`tools` of the request; null when it had none."),
  tool_choice: z
    .union([z.string(), z.looseObject({ type: z.string().describe("Kind of tool to call.") })])
    .nullable()
    .describe("`tool_choice` of the request; null when it had none."),
  response_format: z
    .looseObject({ type: z.string().describe("Format of the answer.") })
    .nullable()
    .describe("`response_format` of the request; null when it had none."),
  input_user: z.string().nullable().describe("`user` of the request; null when it had none."),
}).meta({ id: "StoredChatCompletion" });
export type StoredCompletion = z.infer<typeof StoredCompletion>;

const pageOf = <Item extends z.ZodType>(item: Item, what: string) =>
  z.object({
    object: z.literal("list").describe("Always `list`."),
    data: z.array(item).describe(`${what} of this page.`),
    first_id: z.string().nullable().describe("ID of the first entry; null when the page is empty."),
    last_id: z.string().nullable().describe("ID of the last entry; null when the page is empty."),
    has_more: z.boolean().describe("Whether more entries follow."),
  });

export const StoredCompletionList = pageOf(StoredCompletion, "Completions");
export type StoredCompletionList = z.infer<typeof StoredCompletionList>;

/** A message of a request as OpenAI returns it. */
export const StoredMessage = z.looseObject({
  id: z.string().describe("ID of the message: that of the completion and the message's position, from 0."),
  role: z.string().describe("Author of the message."),
  content: z.string().nullable().describe("Text of the message; null when it has none or has parts."),
  content_parts: z
    .array(z.looseObject({ type: z.string().describe("Kind of part, such as `text` or `image_url`.") }))
    .nullable()
    .describe("Parts of the message as they were sent; null when its content was a text."),
});
export type StoredMessage = z.infer<typeof StoredMessage>;

export const StoredMessageList = pageOf(StoredMessage, "Messages");
export type StoredMessageList = z.infer<typeof StoredMessageList>;

/** What comes back of a deletion; OpenAI's clients look at `deleted`. */
export const StoredCompletionDeleted = z.object({
  id: z.string().describe("ID of the deleted completion."),
  object: z.literal("chat.completion.deleted").describe("Always `chat.completion.deleted`."),
  deleted: z.literal(true).describe("Always true."),
});
export type StoredCompletionDeleted = z.infer<typeof StoredCompletionDeleted>;
