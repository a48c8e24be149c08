import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { verdicts } from "./verdicts.ts";
import { vllm } from "./vllm.ts";

const ok = "accepted";
const options = { stream_options: { include_usage: true } };
verdicts(openai, "/v1/completions", { model: "gpt-3.5-turbo-instruct", prompt: "Hello" }, [
  ["a text", { suffix: "b", echo: true, logprobs: 5 }, ok],
  ["texts, tokens and lists of tokens", { prompt: [[1, 2], [3]] }, ok],
  ["a field of chat", { max_completion_tokens: 4 }, [400, "Unrecognized"]],
  ["more log probabilities than there are", { logprobs: 6 }, [400, "logprobs"]],
  ["fewer to choose from than to return", { best_of: 1, n: 2 }, [400, "best_of"]],
  ["the best of a stream", { best_of: 2, stream: true }, [400, "best_of"]],
  ["stream_options without a stream", options, [400, "stream_options"]],
  ["a suffix to a model without", { model: "davinci-002", suffix: "b" }, [400, "suffix"]],
]);
verdicts(vllm, "/v1/completions", { model: "m", prompt: "Hello" }, [
  ["what it does not know", { mood: "good", best_of: 2 }, ok],
  ["a suffix", { suffix: "b" }, [400, "suffix is not currently supported"]],
  ["stream_options without a stream", options, [400, "stream_options"]],
]);
verdicts(ollama, "/v1/completions", { model: "m", prompt: "Hello" }, [
  ["what it does not know", { mood: "good", n: 2 }, ok],
  ["several prompts", { prompt: ["a", "b"] }, [400, "cannot unmarshal array"]],
]);
verdicts(vllm, "/v1/responses", { model: "m", input: "Hello" }, [
  ["what it does not know", { mood: "good", text: { verbosity: "low" } }, ok],
  ["what cannot be included", { include: ["web_search_call.action.sources"] }, [400, "include"]],
]);
const said = (...content: readonly object[]) => ({ input: [{ role: "user", content }] });
verdicts(ollama, "/v1/responses", { model: "m", input: "Hello" }, [
  ["what it does not know", { mood: "good", tool_choice: "none" }, ok],
  ["an unknown effort", { reasoning: { effort: "minimal" } }, [400, "invalid reasoning value"]],
  ["an item of another type", { input: [{ type: "custom_tool_call" }] }, [400, "unknown input item type"]],
  ["a part of another type", said({ type: "refusal", refusal: "No." }), [400, "unknown content type"]],
  ["a file", said({ type: "input_file", file_data: "a" }), [400, "file inputs"]],
  ["a picture by its address", said({ type: "input_image", image_url: "https://a.example" }), [400, "image"]],
]);
