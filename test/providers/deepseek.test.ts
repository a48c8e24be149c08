import { deepseek } from "./deepseek.ts";
import { called, result, user, verdicts, weather } from "./verdicts.ts";

const ok = "accepted";
const off = { thinking: { type: "disabled" } };
verdicts(deepseek, "/v1/chat/completions", { model: "deepseek-reasoner", messages: [user] }, [
  ["nothing special", {}, ok],
  ["what it does not know", { top_k: 4, mood: "good" }, ok],
  ["a schema", { response_format: { type: "json_schema", json_schema: {} } }, [400, "unavailable"]],
  ["JSON", { response_format: { type: "json_object" } }, ok],
  ["a forced call while thinking", { tools: [weather], tool_choice: "required" }, [400, "thinking mode"]],
  ["a forced call without thinking", { ...off, tools: [weather], tool_choice: "required" }, ok],
  ["an unknown effort", { reasoning_effort: "huge" }, [400, "reasoning_effort"]],
  ["logprobs while thinking", { logprobs: true }, [400, "logprobs"]],
  ["top_logprobs while thinking", { top_logprobs: 2 }, [400, "top_logprobs"]],
  ["logprobs without thinking", { ...off, logprobs: true, top_logprobs: 2 }, ok],
  ["a temperature while thinking, which has no effect", { temperature: 0.2 }, ok],
  [
    "a call with its reasoning",
    { messages: [user, called("a", { reasoning_content: "Hm." }), result("a")] },
    ok,
  ],
  ["a call without it", { messages: [user, called("a"), result("a")] }, [400, "Missing reasoning_content"]],
  [
    "a call without it in another question",
    { messages: [user, called("a"), result("a"), user] },
    [400, "index 1"],
  ],
  ["a call without thinking", { ...off, messages: [user, called("a"), result("a")] }, ok],
  ["no tools", { tools: [] }, [400, "too short"]],
  ["a choice of no tools", { tool_choice: "auto" }, [400, "tool_choice"]],
  ["stream_options without a stream", { stream_options: { include_usage: true } }, [400, "stream_options"]],
  ["a result without a call", { messages: [user, result("a")] }, [400, "preceding message"]],
]);
