import { openai } from "./openai.ts";
import { called, type Row, result, user, verdicts, weather } from "./verdicts.ts";

const closed = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};
const schema = (own: object, strict = true) => ({
  response_format: { type: "json_schema", json_schema: { name: "s", strict, schema: { ...closed, ...own } } },
});
const named = (name: string) => ({ tools: [{ type: "function", function: { name, parameters: {} } }] });
const ok = "accepted";

const chat: readonly Row[] = [
  ["nothing special", {}, ok],
  ["an unknown field has neither param nor code", { top_k: 4 }, [400, '"param":null,"code":null']],
  ["an unknown member further inside", { messages: [{ ...user, mood: 1 }] }, [400, "unknown_parameter"]],
  ["OpenRouter's reasoning", { reasoning: { effort: "low" } }, [400, "Unrecognized"]],
  [
    "a part marked for a cache",
    { messages: [{ role: "user", content: [{ type: "text", text: "a", cache_control: {} }] }] },
    [400, "cache_control"],
  ],
  [
    "reasoning of an earlier answer",
    { messages: [user, { role: "assistant", content: "a", reasoning: "b" }] },
    [400, "reasoning"],
  ],
  ["max_tokens where the model does not reason", { max_tokens: 5 }, ok],
  ["max_tokens where it does", { model: "gpt-5", max_tokens: 5 }, [400, "unsupported_parameter"]],
  ["both limits", { max_tokens: 5, max_completion_tokens: 5 }, [400, "invalid_parameter_combination"]],
  ["temperature", { temperature: 0.2, top_p: 0.5 }, ok],
  ["a temperature above 2", { temperature: 2.5 }, [400, "temperature"]],
  ["temperature where the model reasons", { model: "o4-mini", temperature: 0.2 }, [400, "unsupported_value"]],
  ["its only temperature", { model: "o4-mini", temperature: 1 }, ok],
  ["temperature where reasoning is off", { model: "gpt-5.4", temperature: 0.2 }, ok],
  [
    "temperature where reasoning is on",
    { model: "gpt-5.4", temperature: 0.2, reasoning_effort: "low" },
    [400, "temperature"],
  ],
  ["top_p where the model reasons", { model: "gpt-5", top_p: 0.5 }, [400, "top_p"]],
  [
    "frequency_penalty where it reasons",
    { model: "gpt-5", frequency_penalty: 1 },
    [400, "frequency_penalty"],
  ],
  ["presence_penalty where it reasons", { model: "gpt-5", presence_penalty: 1 }, [400, "presence_penalty"]],
  ["logit_bias where it reasons", { model: "gpt-5", logit_bias: { 5: 1 } }, [400, "logit_bias"]],
  ["stop where it reasons", { model: "gpt-5", stop: "x" }, [400, "stop"]],
  ["logprobs where it reasons", { model: "gpt-5", logprobs: true }, [400, "logprobs"]],
  ["top_logprobs where it reasons", { model: "gpt-5", top_logprobs: 2 }, [400, "top_logprobs"]],
  ["an effort of the family", { model: "gpt-5", reasoning_effort: "minimal" }, ok],
  [
    "an effort of another family",
    { model: "o4-mini", reasoning_effort: "minimal" },
    [400, "unsupported_value"],
  ],
  ["an effort of null", { model: "gpt-5", reasoning_effort: null }, [400, "unsupported_value"]],
  ["an effort where there is none", { reasoning_effort: "low" }, [400, "Unrecognized"]],
  [
    "tools with thinking on gpt-5.4",
    { model: "gpt-5.4", tools: [weather], reasoning_effort: "low" },
    [400, "reasoning_effort"],
  ],
  [
    "tools with thinking by default on gpt-5.6",
    { model: "gpt-5.6", tools: [weather] },
    [400, "reasoning_effort"],
  ],
  ["tools with thinking on gpt-5", { model: "gpt-5", tools: [weather], reasoning_effort: "low" }, ok],
  ["verbosity of newer models", { verbosity: "low" }, [400, "verbosity"]],
  ["five stops", { stop: ["a", "b", "c", "d", "e"] }, [400, "stop"]],
  ["no answers", { n: 0 }, [400, "'n'"]],
  ["129 answers", { n: 129 }, [400, "'n'"]],
  ["an empty list of tools", { tools: [] }, [400, "too short"]],
  ["a choice of no tools", { tool_choice: "auto" }, [400, "tool_choice"]],
  ["parallel calls of no tools", { parallel_tool_calls: true }, [400, "parallel_tool_calls"]],
  ["a name with a dot", named("a.b"), [400, "tools[0].function.name"]],
  ["a name of 65 letters", named("a".repeat(65)), [400, "pattern"]],
  ["top_logprobs alone", { top_logprobs: 2 }, [400, "top_logprobs"]],
  ["top_logprobs with logprobs", { logprobs: true, top_logprobs: 2 }, ok],
  ["stream_options without a stream", { stream_options: { include_usage: true } }, [400, "stream_options"]],
  ["stream_options with a stream", { stream: true, stream_options: { include_usage: true } }, ok],
  ["a call with its result", { messages: [user, called("a"), result("a")] }, ok],
  ["a result without a call", { messages: [user, result("a")] }, [400, "preceding message"]],
  ["a call without its result", { messages: [user, called("a"), user] }, [400, "must be followed"]],
  [
    "JSON that is not mentioned",
    { messages: [{ role: "user", content: "Hi" }], response_format: { type: "json_object" } },
    [400, "the word"],
  ],
  ["JSON that is mentioned", { response_format: { type: "json_object" } }, ok],
  ["a closed strict schema", schema({}), ok],
  ["an open strict schema", schema({ additionalProperties: true }), [400, "invalid_json_schema"]],
  ["a strict schema with an optional property", schema({ required: [] }), [400, "invalid_json_schema"]],
  ["an open schema that is not strict", schema({ required: [] }, false), ok],
];
verdicts(openai, "/v1/chat/completions", { model: "gpt-4.1", messages: [user] }, chat);

const call = { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "Sunny" };
const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2Vh" };
const thoughtCall = { ...call, id: "fc_1", call_id: "call_thought_0" };
const thoughtOutput = { ...output, call_id: "call_thought_0" };
const responses: readonly Row[] = [
  ["nothing special", {}, ok],
  ...[
    "stop",
    "n",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "messages",
    "max_tokens",
    "response_format",
  ].map(
    (name): Row => [
      `${name}, which is of chat`,
      { [name]: 1 },
      [400, `"param":"${name}","code":"unknown_parameter"`],
    ],
  ),
  ["a tool as in chat", { tools: [weather] }, [400, "tools[0]"]],
  ["a flat tool", { tools: [{ type: "function", name: "weather", parameters: {}, strict: false }] }, ok],
  ["a temperature where the model reasons", { model: "gpt-5", temperature: 0.2 }, [400, "temperature"]],
  ["a top_p where it reasons", { model: "gpt-5", top_p: 0.2 }, [400, "top_p"]],
  ["top_logprobs where it reasons", { model: "gpt-5", top_logprobs: 2 }, [400, "top_logprobs"]],
  ["an effort where there is none", { reasoning: { effort: "low" } }, [400, "reasoning.effort"]],
  ["an unknown kind of item", { input: [{ type: "hologram" }] }, [400, "input[0].type"]],
  ["a call with its output", { input: [call, output] }, ok],
  ["a call without its output", { input: [call] }, [400, "No tool output found"]],
  ["thinking that is sealed", { store: false, input: [thought, call, output] }, ok],
  [
    "thinking that is not",
    { store: false, input: [{ ...thought, encrypted_content: null }, call, output] },
    [404, "rs_1"],
  ],
  ["a call with the thinking before it", { input: [thought, thoughtCall, thoughtOutput] }, ok],
  [
    "a call whose thinking was removed",
    { input: [thoughtCall, thoughtOutput] },
    [400, "required 'reasoning' item"],
  ],
];
verdicts(openai, "/v1/responses", { model: "gpt-4.1", input: "Hello" }, responses);

verdicts(openai, "/v1/embeddings", { model: "text-embedding-3-small", input: ["Hello"] }, [
  ["nothing special", {}, ok],
  ["a purpose", { input_type: "query" }, [400, "input_type"]],
  ["no dimensions", { dimensions: 0 }, [400, "dimensions"]],
]);
