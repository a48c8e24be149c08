import { cerebras } from "./cerebras.ts";
import { called, result, user, verdicts, weather } from "./verdicts.ts";

const ok = "accepted";
const format = { type: "json_schema", json_schema: { name: "a", schema: {} } };
verdicts(cerebras, "/v1/chat/completions", { model: "gpt-oss-120b", messages: [user] }, [
  ["nothing special", {}, ok],
  ["an unknown field", { top_k: 4 }, [400, "property 'body.top_k' is unsupported"]],
  ["an error is flat", { top_k: 4 }, [400, '"code":"wrong_api_format"']],
  [
    "another provider's reasoning",
    { messages: [user, { role: "assistant", content: "a", reasoning_content: "b" }, user] },
    [400, "body.messages.1.reasoning_content"],
  ],
  ["its own reasoning", { messages: [user, { role: "assistant", content: "a", reasoning: "b" }, user] }, ok],
  ["a high temperature", { temperature: 1.6 }, [400, "temperature"]],
  ["an effort that it lacks", { reasoning_effort: "none" }, [400, "reasoning_effort"]],
  ["both limits", { max_tokens: 4, max_completion_tokens: 4 }, [400, "cannot both"]],
  ["tools with a format", { tools: [weather], response_format: format }, [400, "incompatible"]],
  ["a format", { response_format: format }, ok],
  ["no tools", { tools: [] }, [400, "too short"]],
  ["a choice of no tools", { tool_choice: "auto" }, [400, "tool_choice"]],
  ["stream_options without a stream", { stream_options: { include_usage: true } }, [400, "stream_options"]],
  ["top_logprobs alone", { top_logprobs: 2 }, [400, "top_logprobs"]],
  ["a call with its result", { messages: [user, called("a"), result("a")] }, ok],
  ["a call without its result", { messages: [user, called("a"), user] }, [400, "must be followed"]],
]);
