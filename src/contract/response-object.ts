import { z } from "zod";
import { answered } from "./answered.ts";
import { ResponseTool } from "./response-items.ts";
import { TextFormat } from "./responses.ts";
import { Charge, CostDetails } from "./usage.ts";

export const ResponseStatus = z.enum([
  "queued",
  "in_progress",
  "completed",
  "incomplete",
  "failed",
  "cancelled",
]);
export type ResponseStatus = z.infer<typeof ResponseStatus>;

export const IncompleteReason = z.enum(["max_output_tokens", "content_filter"]);
export type IncompleteReason = z.infer<typeof IncompleteReason>;

const Count = z.number().int();

export const ResponseUsage = Charge.extend({
  input_tokens: Count.describe("Number of input tokens, cached ones included."),
  input_tokens_details: z
    .looseObject({
      cached_tokens: Count.describe("Tokens read from the provider's cache."),
      cache_write_tokens: Count.describe("Tokens written to the provider's cache."),
    })
    .describe("Breakdown of `input_tokens`."),
  output_tokens: Count.describe("Number of output tokens, reasoning included."),
  output_tokens_details: z
    .looseObject({ reasoning_tokens: Count.describe("Tokens the model used for reasoning.") })
    .describe("Breakdown of `output_tokens`."),
  total_tokens: Count.describe("Sum of `input_tokens` and `output_tokens`."),
  cost_details: CostDetails.extend({
    upstream_inference_input_cost: z.number().describe("Same as `upstream_inference_prompt_cost`."),
    upstream_inference_output_cost: z.number().describe("Same as `upstream_inference_completions_cost`."),
  }).describe("Price of the request at the provider and its parts, in US dollars."),
});
export type ResponseUsage = z.infer<typeof ResponseUsage>;

/** An item of `output`: a message, reasoning, a call of a tool, or one of a provider's own. */
export const OutputItem = z.looseObject({
  type: z.string().describe("Type of the item, such as `message`, `reasoning` or `function_call`."),
});
export type OutputItem = z.infer<typeof OutputItem>;

/** The response object in full: every key is always there. */
export const ResponseObject = z
  .object({
    id: z.string().describe("ID of the response: `resp_` and 48 hexadecimal digits."),
    object: z.literal("response").describe("Always `response`."),
    created_at: Count.describe("Time the response was created, in Unix seconds."),
    status: ResponseStatus.describe("State of the response; `queued` and `in_progress` are not final."),
    model: z.string().describe("ID of the model that serves the request; while queued, the model requested."),
    provider: z
      .string()
      .nullable()
      .describe("Name of the provider that serves the request; null until one does."),
    output: z.array(OutputItem).describe("Items the model generated."),
    output_text: z.string().describe("Text of all messages in `output`, joined; empty when there is none."),
    usage: ResponseUsage.nullable().describe("Tokens used and amount charged; null until known."),
    completed_at: Count.nullable().describe(
      "Time the response was completed, in Unix seconds; null when it is not or did not complete.",
    ),
    error: z
      .object({
        code: z.string().describe("Error code, such as `server_error` or `rate_limit_exceeded`."),
        message: z.string().describe("Explanation of the error for people."),
      })
      .nullable()
      .describe("Why the response failed; null unless it failed."),
    incomplete_details: z
      .object({
        reason: IncompleteReason.describe(
          "`max_output_tokens` when the limit was reached, `content_filter` when content was withheld.",
        ),
      })
      .nullable()
      .describe("Why the response is incomplete; null unless its status is `incomplete`."),
    billing: z
      .object({ payer: z.string().describe("Who pays for the response; always `developer`.") })
      .describe("Billing details."),
    frequency_penalty: z.number().describe("`frequency_penalty` of the request; 0 by default."),
    conversation: z
      .looseObject({ id: z.string().describe("ID of the conversation.") })
      .nullable()
      .describe("Conversation the response belongs to; null without one."),
    instructions: z.string().nullable().describe("`instructions` of the request; null when it had none."),
    max_output_tokens: Count.nullable().describe(
      "`max_output_tokens` of the request; null when it had none.",
    ),
    max_tool_calls: Count.nullable().describe("`max_tool_calls` of the request; null when it had none."),
    moderation: z.null().describe("Always null."),
    parallel_tool_calls: z.boolean().describe("`parallel_tool_calls` of the request; true by default."),
    presence_penalty: z.number().describe("`presence_penalty` of the request; 0 by default."),
    previous_response_id: z
      .string()
      .nullable()
      .describe("ID of the response this one continues; null when it continues none."),
    prompt: z
      .record(z.string(), z.json())
      .nullable()
      .describe("Always null: stored prompts are not supported."),
    prompt_cache_key: z
      .string()
      .nullable()
      .describe("`prompt_cache_key` of the request; null when it had none."),
    prompt_cache_retention: z
      .string()
      .nullable()
      .describe("`prompt_cache_retention` of the request; null when it had none."),
    reasoning: z
      .looseObject({
        effort: z.string().nullable().describe("Reasoning effort; null when the request named none."),
        generate_summary: z
          .string()
          .nullable()
          .describe("`generate_summary` of the request; null when it had none."),
        summary: z
          .string()
          .nullable()
          .describe("Level of detail of the reasoning summary; null when the request named none."),
      })
      .describe("Reasoning settings of the request."),
    safety_identifier: z
      .string()
      .nullable()
      .describe("`safety_identifier` of the request; null when it had none."),
    store: z
      .boolean()
      .describe("Whether the response is stored. False when it was too long to be stored by default."),
    temperature: z.number().describe("`temperature` of the request; 1 by default."),
    text: z
      .looseObject({
        format: answered(TextFormat).describe("Format of the answer; plain text by default."),
        verbosity: z.string().describe("`verbosity` of the request; `medium` by default."),
      })
      .describe("Text settings of the request."),
    tool_choice: z
      .union([
        z.string(),
        z.looseObject({ type: z.string().describe("Kind of tool to call, such as `function`.") }),
      ])
      .describe("`tool_choice` of the request; `auto` by default."),
    tools: z.array(answered(ResponseTool)).describe("Tools of the request; empty by default."),
    top_logprobs: Count.describe("`top_logprobs` of the request; 0 by default."),
    top_p: z.number().describe("`top_p` of the request; 1 by default."),
    truncation: z.enum(["auto", "disabled"]).describe("`truncation` of the request; `disabled` by default."),
    user: z.string().nullable().describe("`user` of the request; null when it had none."),
    metadata: z.record(z.string(), z.string()).describe("`metadata` of the request; empty by default."),
    background: z.boolean().describe("Whether the response is generated in the background."),
    service_tier: z
      .string()
      .describe(
        "Service tier the provider reported, else the one requested; `default` when there is neither.",
      ),
    error_type: z
      .string()
      .optional()
      .describe("Kind of error, more exact than `error.code`; only present on a failed response."),
  })
  .meta({ id: "ResponseObject" });
export type ResponseObject = z.infer<typeof ResponseObject>;
