import { z } from "zod";
import { JsonObject, LongText } from "./bounded.ts";
import { ModelName, RoutedRequest } from "./completions.ts";
import { list } from "./list.ts";
import { MessageParam, MessageTool } from "./message-blocks.ts";
import { sampling } from "./sampling.ts";

const SystemBlock = z.looseObject({
  type: z.literal("text").describe("Always `text`."),
  text: LongText.describe("Text of the block."),
});

const Thinking = z.looseObject({
  type: z
    .string()
    .max(32)
    .describe(
      "`enabled` with a budget, `adaptive`, or `disabled`. Sent to other models as a reasoning effort.",
    ),
  budget_tokens: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe(
      "Maximum tokens for thinking when `enabled`. Other models get `low` up to 2,048, `medium` up to 8,192, else `high`.",
    ),
});

const Format = z.looseObject({
  type: z.literal("json_schema").describe("Always `json_schema`."),
  schema: JsonObject.describe("JSON schema the answer has to match."),
});

const OutputConfig = z.looseObject({
  effort: z
    .enum(["low", "medium", "high", "xhigh", "max"])
    .nullish()
    .describe("How much effort the model should make; the reasoning effort of other models."),
  format: Format.nullish().describe("Required format of the answer."),
});

/** What `POST /messages` and its count have in common. Unknown fields reach endpoints with Anthropic's API only. */
const Conversation = RoutedRequest.extend({
  messages: list(MessageParam)
    .min(1)
    .max(5_000)
    .describe("Messages of the conversation, oldest first; 1 to 5,000."),
  system: z
    .union([LongText, list(SystemBlock).max(256)])
    .nullish()
    .describe("Instructions that precede the conversation, as text or as a list of text blocks."),
  tools: list(MessageTool)
    .max(512)
    .nullish()
    .describe(
      "Tools the model may call, at most 512. Names longer than 64 characters are shortened for providers.",
    ),
  tool_choice: z
    .looseObject({
      type: z.string().max(32).describe("`auto`, `any`, `none`, or `tool` with a `name`."),
      name: z.string().max(256).nullish().describe("Name of the tool to call; required for `tool`."),
      disable_parallel_tool_use: z
        .boolean()
        .nullish()
        .describe("Whether the model may make only one tool call at a time."),
    })
    .refine(({ type, name }) => type !== "tool" || name != null, {
      path: ["name"],
      error: "is required: string, where the type is tool",
    })
    .nullish()
    .describe("Whether and which tool the model must call."),
  thinking: Thinking.nullish().describe("Whether and how long the model should think before it answers."),
  output_config: OutputConfig.nullish().describe("Effort and format of the answer."),
});

/** `POST /messages`: Anthropic's Messages API. */
export const MessagesRequest = Conversation.extend({
  max_tokens: z
    .number()
    .int()
    .min(1)
    .describe("Maximum number of tokens to generate, thinking included. Required."),
  stream: z.boolean().nullish().describe("Whether to return the answer as server-sent events."),
  temperature: sampling.temperature,
  top_p: sampling.top_p,
  top_k: sampling.top_k,
  stop_sequences: list(z.string().max(4_096))
    .max(64)
    .nullish()
    .describe("Up to 64 sequences at which generation stops; many providers accept only 4."),
  service_tier: z
    .string()
    .max(32)
    .nullish()
    .describe("Service tier. Anthropic's `auto` and `standard_only` are not sent to other providers."),
})
  .loose()
  .meta({ id: "MessagesRequest" });
export type MessagesRequest = z.infer<typeof MessagesRequest>;

/** `POST /messages/count_tokens`: a request without its settings. */
export const CountTokensRequest = Conversation.extend({
  model: ModelName.optional().describe("ID of the model. The count is the same for every model."),
})
  .loose()
  .meta({ id: "CountTokensRequest" });
export type CountTokensRequest = z.infer<typeof CountTokensRequest>;

export const TokenCount = z
  .object({
    input_tokens: z
      .number()
      .int()
      .describe("Estimated number of input tokens: system, messages and tools together."),
  })
  .meta({ id: "TokenCount" });
export type TokenCount = z.infer<typeof TokenCount>;
