import { z } from "zod";
import { pageLimitOr } from "./common.ts";
import { list } from "./list.ts";

export const ResponseId = z.string().min(1).max(128);

/** What comes back of a deletion; OpenAI's clients look at `deleted`. */
export const ResponseDeleted = z.object({
  id: z.string().describe("ID of the deleted response."),
  object: z.literal("response").describe("Always `response`."),
  deleted: z.literal(true).describe("Always true."),
});
export type ResponseDeleted = z.infer<typeof ResponseDeleted>;

const Includable = z.enum([
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
]);

/** What may be asked for besides. All that is stored comes anyhow: what is not there is not added. */
export const IncludeQuery = z.object({
  include: z
    .union([Includable, list(Includable).max(32)], {
      error: `must be of ${Includable.options.join(", ")}`,
    })
    .describe(
      "Additional data to include. Accepted for compatibility: everything that was stored is returned in any case.",
    )
    .optional(),
});

export const InputItemQuery = z.object({
  limit: pageLimitOr(20, 100).describe("Maximum number of items to return, 1 to 100; 20 by default."),
  order: z
    .enum(["asc", "desc"], { error: "must be asc or desc" })
    .default("desc")
    .describe("Order of the items: `desc` for newest first (default), `asc` for oldest first."),
  after: z.string().min(1).max(512).describe("ID of the item after which the page begins.").optional(),
  ...IncludeQuery.shape,
});
export type InputItemQuery = z.infer<typeof InputItemQuery>;

export const InputItemList = z.object({
  object: z.literal("list").describe("Always `list`."),
  data: z
    .array(
      z.looseObject({
        type: z.string().optional().describe("Type of the item; absent for a message."),
        id: z.string().nullish().describe("ID of the item."),
      }),
    )
    .describe("Items of this page, with all their fields."),
  first_id: z
    .string()
    .nullable()
    .describe("ID of the first item of the page; null when the page is empty or the item has no ID."),
  last_id: z
    .string()
    .nullable()
    .describe("ID of the last item of the page; null when the page is empty or the item has no ID."),
  has_more: z.boolean().describe("Whether more items follow."),
});
export type InputItemList = z.infer<typeof InputItemList>;
