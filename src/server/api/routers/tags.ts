import { z } from "zod";
import { data } from "#contract/common.ts";
import { Tag, TagsUpdate, tagsMax } from "#contract/tag.ts";
import { listTags, setTags } from "#server/tags/index.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Activity";
const Tags = data(z.array(Tag).describe(`The tags of the organisation, ${tagsMax} at most.`));

export const tagsRouter = router({
  list: permitted("activity:read", "organisation")
    .meta(
      rest("GET", "/tags", {
        summary: "List tags",
        description:
          "What usage is grouped by besides keys, models and so on: end users, apps and keys of `metadata`.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(Tags)
    .query(async ({ ctx }) => ({ data: await listTags(ctx.services.database, ctx.caller) })),

  set: permitted("workspaces:write", "organisation")
    .meta(
      rest("PUT", "/tags", {
        summary: "Choose tags",
        description:
          "Replaces the tags of the organisation. Requests are counted by a new tag from the next second on. What " +
          "was counted for a removed one can still be read.",
        tag,
        example: { tags: ["end_user", "metadata.team"] },
        audit: { action: "tags.update", configuration: true },
      }),
    )
    .input(TagsUpdate)
    .output(Tags)
    .mutation(async ({ ctx, input }) => ({
      data: await setTags(ctx.services.database, ctx.caller, input),
    })),
});
