import { z } from "zod";
import { ResponseRequest } from "./responses.ts";

const { shape } = ResponseRequest;

/** `POST /responses/input_tokens`: the fields of a response that are part of its input, or decide about it. */
export const InputTokenRequest = z.object({
  model: shape.model
    .nullable()
    .describe("ID or alias of the model. The estimate is the same for every model."),
  preset: shape.preset,
  input: shape.input
    .nullish()
    .describe("Input of the response: a text, which counts as a message of the user, or up to 5,000 items."),
  instructions: shape.instructions,
  previous_response_id: shape.previous_response_id,
  conversation: shape.conversation,
  tools: shape.tools,
  tool_choice: shape.tool_choice,
  parallel_tool_calls: shape.parallel_tool_calls,
  reasoning: shape.reasoning,
  text: shape.text,
  truncation: shape.truncation,
});
export type InputTokenRequest = z.infer<typeof InputTokenRequest>;

export const InputTokenCount = z.object({
  object: z.literal("response.input_tokens").describe("Always `response.input_tokens`."),
  input_tokens: z.number().int().describe("Estimated number of input tokens."),
});
export type InputTokenCount = z.infer<typeof InputTokenCount>;
