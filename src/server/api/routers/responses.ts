import { z } from "zod";
import { InputTokenCount, InputTokenRequest } from "#contract/input-tokens.ts";
import { ResponseObject } from "#contract/response-object.ts";
import {
  IncludeQuery,
  InputItemList,
  InputItemQuery,
  ResponseDeleted,
  ResponseId,
} from "#contract/stored-responses.ts";
import {
  cancelResponse,
  contentFields,
  countInputTokens,
  deleteResponse,
  getResponse,
  listInputItems,
} from "#server/inference/index.ts";
import { presetUserOf, withPreset } from "#server/presets/index.ts";
import { declaredCompaction } from "../declared-operation.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Inference";
const Named = z.object({ response_id: ResponseId.describe("ID of the response, such as `resp_…`.") });

export const responsesRouter = router({
  compact: declaredCompaction(),

  get: permitted("inference:use", "workspace")
    .meta(
      rest("GET", "/responses/{response_id}", {
        summary: "Get a response",
        description:
          "Returns a stored response to the key that created it, the person who owns that key and, with " +
          "`audit:read`, administrators; an application's key reads only its own. Read a background response until " +
          "its `status` is final; if it was created with `stream: true`, `?stream=true&starting_after=5` streams its " +
          "events after number 5, including those still to come.",
        streams: true,
        tag,
        errors: [404],
      }),
    )
    .input(Named.extend(IncludeQuery.shape))
    .output(ResponseObject)
    .query(({ ctx, input }) => getResponse(ctx.services.responses, ctx.caller, input.response_id)),

  remove: permitted("inference:use", "workspace")
    .meta(
      rest("DELETE", "/responses/{response_id}", {
        summary: "Delete a response",
        description:
          "Deletes the response immediately. Conversations that build on it can no longer be continued.",
        tag,
        errors: [404],
        audit: { action: "response.delete", configuration: false },
      }),
    )
    .input(Named)
    .output(ResponseDeleted)
    .mutation(({ ctx, input }) => deleteResponse(ctx.services.responses, ctx.caller, input.response_id)),

  cancel: permitted("inference:use", "workspace")
    .meta(
      rest("POST", "/responses/{response_id}/cancel", {
        summary: "Cancel a background response",
        description:
          "What was generated until then is billed. A response that has already ended is returned unchanged.",
        tag,
        errors: [404],
        audit: { none: "the generation's record shows that it was cancelled" },
      }),
    )
    .input(Named)
    .output(ResponseObject)
    .mutation(({ ctx, input }) => cancelResponse(ctx.services.responses, ctx.caller, input.response_id)),

  inputItems: permitted("inference:use", "workspace")
    .meta(
      rest("GET", "/responses/{response_id}/input_items", {
        summary: "List the input items of a response",
        description: "Its own input and the conversation it continues; newest first unless `order=asc`.",
        tag,
        errors: [404],
      }),
    )
    .input(Named.extend(InputItemQuery.shape))
    .output(InputItemList)
    .query(({ ctx, input: { response_id: id, ...query } }) =>
      listInputItems(ctx.services.responses, ctx.caller, id, query),
    ),

  inputTokens: permitted("inference:use", "workspace")
    .meta(
      rest("POST", "/responses/input_tokens", {
        summary: "Estimate the input tokens of a response",
        description:
          "Takes the fields of a response and estimates their tokens from their size, the same for every model. " +
          "No provider is contacted and nothing is charged. The stored responses before `previous_response_id` are " +
          "included. `truncation` is not applied. The exact number is in the `usage` of the response.",
        opaque: contentFields,
        tag,
        errors: [404],
        example: { model: "sandbox/chat", input: "Say hello to Europe." },
        audit: { none: "changes nothing" },
      }),
    )
    .input(InputTokenRequest)
    .output(InputTokenCount)
    .mutation(({ ctx: { services, caller }, input }) => {
      const request = withPreset(services.presets(), presetUserOf(caller), "responses", input);
      return countInputTokens(services.responses, caller, InputTokenRequest.parse(request));
    }),
});
