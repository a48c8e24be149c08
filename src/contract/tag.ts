import { z } from "zod";
import { list } from "./list.ts";

const nameMessage = "must be end_user, app, or metadata. with a key such as metadata.team";

/** What an organisation groups its usage by besides key, model and so on. */
export const TagName = z
  .string()
  .max(73, nameMessage)
  .regex(/^(?:end_user|app|metadata\.[A-Za-z0-9_.-]{1,64})$/, nameMessage);
export type TagName = z.infer<typeof TagName>;

export const tagsMax = 8;
/** What further values of a tag are counted as, when it has as many as it may. */
export const otherValues = "(other)";

export const Tag = z
  .object({
    name: z
      .string()
      .describe(
        "`end_user` for the end user of requests, `app` for the app that sent them, `metadata.KEY` for a key of `metadata`.",
      ),
    values: z.number().int().describe("Number of different values with requests in this month (UTC)."),
    values_max: z
      .number()
      .int()
      .describe("Maximum of different values per month. Further values are counted together as `(other)`."),
    other_requests: z.number().int().describe("Requests of this month that were counted as `(other)`."),
  })
  .meta({ id: "Tag" });
export type Tag = z.infer<typeof Tag>;

export const TagsUpdate = z.strictObject({
  tags: list(TagName)
    .max(tagsMax, `may have ${tagsMax} tags at most`)
    .refine((names) => new Set(names).size === names.length, "must not repeat a tag")
    .describe("Names of all tags; an empty list for none."),
});
export type TagsUpdate = z.infer<typeof TagsUpdate>;
