import { z } from "zod";
import { RoutedRequest } from "./completions.ts";
import { OutputItem, ResponseUsage } from "./response-object.ts";
import { ResponseRequest } from "./responses.ts";

const { shape } = ResponseRequest;

/** `POST /responses/compact`. An unknown field is refused, because it could change what is compacted. */
export const CompactRequest = z
  .strictObject({
    ...RoutedRequest.shape,
    input: shape.input
      .nullish()
      .describe(
        "Conversation to compact: a text, which counts as a message of the user, or up to 5,000 items.",
      ),
    instructions: shape.instructions.describe(
      "Instructions of the conversation, for the model to know what is important.",
    ),
    previous_response_id: shape.previous_response_id.describe(
      "ID of a stored response; its conversation precedes `input`.",
    ),
    prompt_cache_key: shape.prompt_cache_key,
    prompt_cache_retention: shape.prompt_cache_retention,
    prompt_cache_options: shape.prompt_cache_options,
    service_tier: shape.service_tier,
    image: z
      .strictObject({
        context_compression: z
          .enum(["auto", "disabled"], { error: "must be auto or disabled: images are not compressed" })
          .nullish()
          .describe("Only `auto` and `disabled`: images are not compressed."),
      })
      .nullish()
      .describe(
        "Accepted for compatibility without effect: images of the user's messages remain as they are.",
      ),
  })
  .refine(
    ({ input, previous_response_id: previous }) =>
      previous || typeof input === "string" || (input?.length ?? 0) > 0,
    { path: ["input"], error: "must hold an item where previous_response_id does not give a conversation" },
  )
  .meta({ id: "CompactRequest" });
export type CompactRequest = z.infer<typeof CompactRequest>;

export const CompactedResponse = z
  .object({
    id: z
      .string()
      .describe("ID of the compaction: `resp_` and 48 hexadecimal digits. It cannot be continued."),
    object: z.literal("response.compaction").describe("Always `response.compaction`."),
    created_at: z.number().int().describe("Time the compaction was created, in Unix seconds."),
    model: z.string().describe("ID of the model that wrote the summary."),
    provider: z.string().nullable().describe("Name of the provider that served the request."),
    output: z
      .array(OutputItem)
      .describe(
        "The messages of the user, unchanged, then one item of type `compaction` with the encrypted summary of everything else. Send all of them as the beginning of the next `input`.",
      ),
    usage: ResponseUsage.nullable().describe("Tokens used and amount charged for the summary."),
  })
  .meta({ id: "CompactedResponse" });
export type CompactedResponse = z.infer<typeof CompactedResponse>;
