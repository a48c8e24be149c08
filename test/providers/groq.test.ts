import { groq } from "./groq.ts";
import { called, result, user, verdicts, weather } from "./verdicts.ts";

const ok = "accepted";
const image = {
  role: "user",
  content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }],
};
const spoken = (own: object) => ({ messages: [user, { role: "assistant", content: "a", ...own }, user] });
const oss = "openai/gpt-oss-120b";
verdicts(groq, "/openai/v1/chat/completions", { model: "llama-3.3-70b-versatile", messages: [user] }, [
  ["nothing special", {}, ok],
  ["an unknown field", { top_k: 4 }, [400, "property 'top_k' is unsupported"]],
  ["the older limit", { max_tokens: 5 }, ok],
  ["two answers", { n: 2 }, [400, "'n'"]],
  ["logprobs", { logprobs: true }, [400, "logprobs"]],
  ["top_logprobs", { top_logprobs: 2 }, [400, "top_logprobs"]],
  ["logit_bias", { logit_bias: { 5: 1 } }, [400, "logit_bias"]],
  ["an effort of gpt-oss", { model: oss, reasoning_effort: "low" }, ok],
  ["an effort of qwen", { model: oss, reasoning_effort: "none" }, [400, "reasoning_effort"]],
  ["an effort where there is none", { reasoning_effort: "low" }, [400, "reasoning_effort"]],
  [
    "two ways to ask for reasoning",
    { model: oss, reasoning_format: "parsed", include_reasoning: true },
    [400, "cannot specify both"],
  ],
  ["raw reasoning with tools", { model: oss, reasoning_format: "raw", tools: [weather] }, [400, "raw"]],
  ["raw reasoning", { model: oss, reasoning_format: "raw" }, ok],
  [
    "DeepSeek's name of reasoning",
    { model: oss, ...spoken({ reasoning_content: "b" }) },
    [400, "reasoning_content"],
  ],
  ["reasoning to a model that reasons", { model: oss, ...spoken({ reasoning: "b" }) }, ok],
  ["reasoning to one that does not", spoken({ reasoning: "b" }), [400, "reasoning"]],
  ["an image to a model without eyes", { messages: [image] }, [400, "must be a string"]],
  ["129 tools", { tools: Array(129).fill(weather) }, [400, "at most 128"]],
  ["no tools", { tools: [] }, [400, "too short"]],
  ["a choice of no tools", { tool_choice: "auto" }, [400, "tool_choice"]],
  ["stream_options without a stream", { stream_options: { include_usage: true } }, [400, "stream_options"]],
  ["a call with its result", { messages: [user, called("a"), result("a")] }, ok],
  ["a call without its result", { messages: [user, called("a"), user] }, [400, "must be followed"]],
]);
