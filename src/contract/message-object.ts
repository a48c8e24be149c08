import { z } from "zod";
import { Charge, CostDetails } from "./usage.ts";

const Count = z.number().int();

/** Usage as Anthropic reports it, with the charge. The three input counts add up to the whole input. */
export const MessageUsage = Charge.extend({
  input_tokens: Count.describe("Number of input tokens that were neither read from nor written to a cache."),
  cache_creation_input_tokens: Count.describe("Input tokens written to the provider's cache."),
  cache_read_input_tokens: Count.describe("Input tokens read from the provider's cache."),
  output_tokens: Count.describe("Number of output tokens, thinking included."),
  output_tokens_details: z
    .looseObject({ thinking_tokens: Count.describe("Tokens the model used for thinking.") })
    .describe("Breakdown of `output_tokens`."),
  cost_details: CostDetails.describe("Price of the request at the provider and its parts, in US dollars."),
}).loose();
export type MessageUsage = z.infer<typeof MessageUsage>;

export const Message = z
  .looseObject({
    id: z.string().describe("ID of the message: `msg_` and the digits of the generation's ID."),
    type: z.literal("message").describe("Always `message`."),
    role: z.literal("assistant").describe("Always `assistant`."),
    model: z.string().describe("ID of the model that served the request."),
    provider: z.string().describe("Name of the provider that served the request."),
    content: z
      .array(
        z.looseObject({
          type: z
            .string()
            .describe("Type of the block: `thinking`, `text`, `tool_use`, or one of Anthropic's own."),
        }),
      )
      .describe("Blocks of the answer, in the order they were generated."),
    stop_reason: z
      .string()
      .nullable()
      .describe("Why generation ended: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use` or `refusal`."),
    stop_sequence: z
      .string()
      .nullable()
      .describe("The stop sequence that was reached; null where the provider does not name it."),
    usage: MessageUsage.describe("What the request used and what it costs."),
  })
  .meta({ id: "Message" });
export type Message = z.infer<typeof Message>;
