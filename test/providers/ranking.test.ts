import { cohere } from "./cohere.ts";
import { jina } from "./jina.ts";
import { user, verdicts } from "./verdicts.ts";
import { voyage } from "./voyage.ts";

const ok = "accepted";
const rank = { model: "m", query: "a", documents: ["b", "c"] };
verdicts(cohere, "/compatibility/v1/chat/completions", { model: "command-a-03-2025", messages: [user] }, [
  ["what it does not know", { mood: "good" }, ok],
  ["a temperature above 1", { temperature: 1.2 }, [400, "temperature"]],
  ["no tools", { tools: [] }, [400, "too short"]],
  ["a choice of no tools", { tool_choice: "auto" }, [400, "tool_choice"]],
  ["stream_options without a stream", { stream_options: {} }, [400, "stream_options"]],
]);
verdicts(cohere, "/v2/embed", { model: "m", texts: ["a"], input_type: "search_query" }, [
  ["nothing special", {}, ok],
  ["no purpose", { input_type: undefined }, [400, "input_type"]],
  ["97 texts", { texts: Array(97).fill("a") }, [400, "at most 96"]],
  ["OpenAI's format", { encoding_format: "base64" }, [422, "encoding_format"]],
]);
verdicts(cohere, "/v2/rerank", rank, [
  ["nothing special", {}, ok],
  ["Voyage's top_k", { top_k: 1 }, [422, "top_k"]],
]);
verdicts(voyage, "/v1/embeddings", { model: "m", input: ["a"] }, [
  ["nothing special", {}, ok],
  ["the format float", { encoding_format: "float" }, [400, "encoding_format"]],
  ["no format", { encoding_format: null }, ok],
  ["OpenAI's dimensions", { dimensions: 8 }, [400, "dimensions"]],
  ["1001 texts", { input: Array(1001).fill("a") }, [400, "at most 1000"]],
]);
verdicts(voyage, "/v1/rerank", rank, [
  ["nothing special", {}, ok],
  ["Cohere's top_n", { top_n: 1 }, [400, "top_n"]],
]);
verdicts(jina, "/v1/embeddings", { model: "m", input: ["a"] }, [
  ["nothing special", {}, ok],
  ["OpenAI's format", { encoding_format: "base64" }, [422, "extra_forbidden"]],
]);
verdicts(jina, "/v1/rerank", rank, [
  ["nothing special", {}, ok],
  ["Voyage's top_k", { top_k: 1 }, [422, "extra_forbidden"]],
]);
