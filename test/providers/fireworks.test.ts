import { fireworks } from "./fireworks.ts";
import { called, user, verdicts } from "./verdicts.ts";

const ok = "accepted";
const model = "accounts/fireworks/models/gpt-oss-120b";
const thinking = { type: "enabled", budget_tokens: 2_048 };
verdicts(fireworks, "/inference/v1/chat/completions", { model, messages: [user] }, [
  ["nothing special", { top_k: 4, min_p: 0.1, n: 2, logprobs: true, prediction: { type: "content" } }, ok],
  ["an unknown field", { mood: 1 }, [400, "Extra inputs are not permitted, field: 'mood'"]],
  ["a member of a message", { messages: [{ ...user, mood: 1 }] }, [400, "field: 'messages[0].mood'"]],
  ["a large top_k", { top_k: 101 }, [400, "top_k"]],
  ["five stops", { stop: ["a", "b", "c", "d", "e"] }, [400, "stop"]],
  ["an effort of gpt-oss", { reasoning_effort: "low" }, ok],
  ["an effort that gpt-oss lacks", { reasoning_effort: "none" }, [400, "reasoning_effort"]],
  ["an effort and a budget", { reasoning_effort: "low", thinking }, [400, "Cannot specify both"]],
  ["no tools", { tools: [] }, [400, "too short"]],
  ["a choice of no tools", { tool_choice: "auto" }, [400, "tool_choice"]],
  ["stream_options without a stream", { stream_options: { include_usage: true } }, [400, "stream_options"]],
  ["a call without its result", { messages: [user, called("a"), user] }, [400, "must be followed"]],
]);
verdicts(fireworks, "/inference/v1/completions", { model, prompt: "Hello" }, [
  ["what it has beside OpenAI's fields", { echo: true, top_k: 4, prompt: ["a", "b"] }, ok],
  ["what it has not", { suffix: "b" }, [400, "field: 'suffix'"]],
  ["stream_options without a stream", { stream_options: { include_usage: true } }, [400, "stream_options"]],
  ["an effort that gpt-oss lacks", { reasoning_effort: "none" }, [400, "reasoning_effort"]],
  ["an effort and a budget", { reasoning_effort: "low", thinking }, [400, "Cannot specify both"]],
]);
verdicts(fireworks, "/inference/v1/responses", { model, input: "Hello" }, [
  ["what is in the reference", { max_tool_calls: 2, reasoning: { effort: "low" }, store: false }, ok],
  ["what is not", { include: [] }, [400, "field: 'include'"]],
]);
verdicts(fireworks, "/inference/v1/embeddings", { model, input: "Hello" }, [
  ["dimensions", { dimensions: 64 }, ok],
  ["what it has not", { task: "a" }, [400, "field: 'task'"]],
]);
