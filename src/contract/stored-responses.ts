import { z } from "zod";
import { list } from "./list.ts";

export const ResponseId = z.string().min(1).max(128);

/** What comes back of a deletion; OpenAI's clients look at `deleted`. */
export const ResponseDeleted = z.object({
  id: z.string(),
  object: z.literal("response"),
  deleted: z.literal(true),
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

/** What may be asked for besides (interface.md 8.1). All that is stored comes anyhow: what is not there is not added. */
export const IncludeQuery = z.object({
  include: z
    .union([Includable, list(Includable).max(32)], {
      error: `must be of ${Includable.options.join(", ")}`,
    })
    .optional(),
});

const limit = "must be a number from 1 to 100";

export const InputItemQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, limit)
    .default("20")
    .transform(Number)
    .pipe(z.number().min(1, limit).max(100, limit)),
  order: z.enum(["asc", "desc"], { error: "must be asc or desc" }).default("desc"),
  /** The id of the item before the page. */
  after: z.string().min(1).max(512).optional(),
  ...IncludeQuery.shape,
});
export type InputItemQuery = z.infer<typeof InputItemQuery>;

export const InputItemList = z.object({
  object: z.literal("list"),
  data: z.array(z.looseObject({ type: z.string().optional(), id: z.string().nullish() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});
export type InputItemList = z.infer<typeof InputItemList>;
