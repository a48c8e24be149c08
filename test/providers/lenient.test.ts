import { expect, test } from "vitest";
import { ollama } from "./ollama.ts";
import { user, verdicts, weather } from "./verdicts.ts";
import { vllm } from "./vllm.ts";

const ok = "accepted";
const image = (url: string) => ({
  messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
});
verdicts(vllm, "/v1/chat/completions", { model: "Qwen/Qwen3-32B", messages: [user] }, [
  ["what it does not know", { mood: "good", top_k: 4, guided_json: {} }, ok],
  ["no tools", { tools: [] }, [400, '"code":400']],
  ["a choice of no tools", { tool_choice: "auto" }, [400, "tool_choice"]],
  [
    "a choice of another tool",
    { tools: [weather], tool_choice: { type: "function", function: { name: "x" } } },
    [400, "does not match"],
  ],
  ["stream_options without a stream", { stream_options: {} }, [400, "stream_options"]],
  ["top_logprobs alone", { top_logprobs: 2 }, [400, "top_logprobs"]],
]);
verdicts(ollama, "/v1/chat/completions", { model: "qwen3:8b", messages: [user] }, [
  ["what it does not know", { mood: "good", max_completion_tokens: 4, n: 2, tool_choice: "none" }, ok],
  ["an unknown effort", { reasoning_effort: "minimal" }, [400, "invalid reasoning value"]],
  [
    "an unknown effort in the object, which wins",
    { reasoning: { effort: "x" }, reasoning_effort: "low" },
    [400, "invalid"],
  ],
  ["an image by its address", image("https://example.com/a.png"), [400, "invalid image"]],
  [
    "an audio",
    { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }] },
    [400, "invalid message format"],
  ],
  ["an image as data", image("data:image/png;base64,AA=="), ok],
]);
for (const [mock, input] of [
  [vllm, "a"],
  [ollama, [1, 2]],
] as const)
  verdicts(mock, "/v1/embeddings", { model: "m", input: "a" }, [
    ["what it does not know", { mood: "good" }, ok],
    ["no model", { model: undefined }, [400, "model"]],
    ...(mock === ollama ? ([["tokens", { input }, [400, "invalid input type"]]] as const) : []),
  ]);
verdicts(vllm, "/v1/rerank", { model: "m", query: "a", documents: ["b"] }, [
  ["what it does not know", { mood: "good" }, ok],
  ["no query", { query: undefined }, [400, "query"]],
]);

test("a lenient provider is marked as such", () => {
  expect([vllm.isStrict, ollama.isStrict]).toEqual([false, false]);
});
