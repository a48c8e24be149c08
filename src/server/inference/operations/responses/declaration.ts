import { ResponseObject } from "#contract/response-object.ts";
import { ResponseRequest } from "#contract/responses.ts";
import type { OperationDeclaration } from "../shared/declaration.ts";
import { exampleCharge } from "../shared/example-usage.ts";

const { cost_details: costs } = exampleCharge;
const text = "Hello, Europe!";

export const responsesDeclaration: OperationDeclaration<ResponseRequest, ResponseObject> = {
  request: ResponseRequest,
  answer: ResponseObject,
  body: "conversation",
  operationId: "responses-create",
  summary: "Create a response",
  description:
    "Routes the input to the best provider that may see it and answers it, on providers that speak this " +
    "operation and on those that only chat. With `stream: true` the answer is `text/event-stream`: OpenAI's " +
    "events with a `sequence_number` without gaps, the last one with the whole response and its `usage`, then " +
    "`[DONE]`. With `background: true` the response is returned at once and answered later: read it until its " +
    "`status` is final.",
  example: {
    request: { model: "sandbox/chat", input: "Say hello to Europe." },
    answer: {
      id: "resp_01a20830aac1703aa32105b5832cf40e6dafff013e61e3bf",
      object: "response",
      created_at: 1795433736,
      completed_at: 1795433737,
      status: "completed",
      model: "sandbox/chat",
      provider: "Sandbox France",
      output: [
        {
          id: "msg_69662dfbeb425aee9c3fa2fb63f62fbdf8f9e9b29a475300",
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
        },
      ],
      output_text: text,
      usage: {
        ...exampleCharge,
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 17,
        output_tokens_details: { reasoning_tokens: 0 },
        cost_details: {
          ...costs,
          upstream_inference_input_cost: costs.upstream_inference_prompt_cost,
          upstream_inference_output_cost: costs.upstream_inference_completions_cost,
        },
      },
      error: null,
      incomplete_details: null,
      service_tier: "default",
      billing: { payer: "developer" },
      frequency_penalty: 0,
      conversation: null,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      moderation: null,
      parallel_tool_calls: true,
      presence_penalty: 0,
      previous_response_id: null,
      prompt: null,
      prompt_cache_key: null,
      prompt_cache_retention: null,
      reasoning: { effort: null, generate_summary: null, summary: null },
      safety_identifier: null,
      store: true,
      temperature: 1,
      text: { format: { type: "text" }, verbosity: "medium" },
      tool_choice: "auto",
      tools: [],
      top_logprobs: 0,
      top_p: 1,
      truncation: "disabled",
      user: null,
      metadata: {},
      background: false,
    },
  },
};
