import { z } from "zod";
import {
  CompletionId,
  StoredCompletion,
  StoredCompletionDeleted,
  StoredCompletionList,
  StoredCompletionQuery,
  StoredCompletionUpdate,
  StoredMessageList,
  StoredMessageQuery,
} from "#contract/stored-completions.ts";
import {
  deleteCompletion,
  getCompletion,
  listCompletions,
  listMessages,
  updateCompletion,
} from "#server/inference/index.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Inference";
const errors = [404];
const Named = z.object({
  completion_id: CompletionId.describe("ID of the chat completion, such as `gen-…`."),
});
const user = permitted("inference:use", "workspace");

export const chatCompletionsRouter = router({
  list: user
    .meta(
      rest("GET", "/chat/completions", {
        summary: "List stored chat completions",
        description:
          "Chat completions that were created with `store: true` and have not expired, oldest first unless " +
          "`order=desc`. A key lists what it may read: its own, those of the person who owns it and, with " +
          "`audit:read`, those of the organisation; an application's key lists only its own. A page is shorter than " +
          "`limit` if its completions are long.",
        tag,
      }),
    )
    .input(StoredCompletionQuery)
    .output(StoredCompletionList)
    .query(({ ctx, input }) => listCompletions(ctx.services.responses, ctx.caller, input)),

  get: user
    .meta(
      rest("GET", "/chat/completions/{completion_id}", {
        summary: "Get a stored chat completion",
        description:
          "The completion as it was answered, with its key-value pairs and settings of its request. The same keys " +
          "and persons may read it as a stored response.",
        tag,
        errors,
      }),
    )
    .input(Named)
    .output(StoredCompletion)
    .query(({ ctx, input }) => getCompletion(ctx.services.responses, ctx.caller, input.completion_id)),

  update: user
    .meta(
      rest("POST", "/chat/completions/{completion_id}", {
        summary: "Update a stored chat completion",
        description: "Replaces its key-value pairs.",
        tag,
        errors,
        example: { metadata: { topic: "greetings" } },
        audit: { action: "chat_completion.update", configuration: false },
      }),
    )
    .input(StoredCompletionUpdate.extend(Named.shape))
    .output(StoredCompletion)
    .mutation(({ ctx, input: { completion_id: id, metadata } }) =>
      updateCompletion(ctx.services.responses, ctx.caller, id, metadata),
    ),

  remove: user
    .meta(
      rest("DELETE", "/chat/completions/{completion_id}", {
        summary: "Delete a stored chat completion",
        description: "Deletes it with its messages immediately.",
        tag,
        errors,
        audit: { action: "chat_completion.delete", configuration: false },
      }),
    )
    .input(Named)
    .output(StoredCompletionDeleted)
    .mutation(({ ctx, input }) => deleteCompletion(ctx.services.responses, ctx.caller, input.completion_id)),

  messages: user
    .meta(
      rest("GET", "/chat/completions/{completion_id}/messages", {
        summary: "List the messages of a stored chat completion",
        description: "The messages of its request, in their order unless `order=desc`.",
        tag,
        errors,
      }),
    )
    .input(Named.extend(StoredMessageQuery.shape))
    .output(StoredMessageList)
    .query(({ ctx, input: { completion_id: id, ...query } }) =>
      listMessages(ctx.services.responses, ctx.caller, id, query),
    ),
});
