import { azure } from "./azure.ts";
import { called, result, user, verdicts, weather } from "./verdicts.ts";

const ok = "accepted";
const reasoning = { model: "prod-reasoning" };
verdicts(azure, "/openai/v1/chat/completions", { model: "prod-chat", messages: [user] }, [
  ["a deployment", {}, ok],
  ["a model's own name", { model: "gpt-4.1" }, [404, "DeploymentNotFound"]],
  ["an unknown field", { top_k: 4 }, [400, "Unrecognized"]],
  ["both limits", { max_tokens: 5, max_completion_tokens: 5 }, [400, "same time"]],
  ["max_tokens of a model that reasons", { ...reasoning, max_tokens: 5 }, [400, "unsupported_parameter"]],
  ...(
    [
      ["temperature", 0.2],
      ["top_p", 0.2],
      ["frequency_penalty", 1],
      ["presence_penalty", 1],
      ["logit_bias", {}],
      ["stop", "x"],
      ["logprobs", true],
      ["top_logprobs", 2],
    ] as const
  ).map(
    ([name, value]) =>
      [`${name} of a model that reasons`, { ...reasoning, [name]: value }, [400, name]] as const,
  ),
  ["an effort where there is none", { reasoning_effort: "low" }, [400, "Unrecognized"]],
  ["verbosity of newer models", { verbosity: "low" }, [400, "verbosity"]],
  [
    "tools with thinking",
    { model: "prod-tools", tools: [weather], reasoning_effort: "low" },
    [400, "reasoning_effort"],
  ],
  ["no tools", { tools: [] }, [400, "too short"]],
  ["a choice of no tools", { tool_choice: "auto" }, [400, "tool_choice"]],
  ["stream_options without a stream", { stream_options: {} }, [400, "stream_options"]],
  ["parallel calls of no tools", { parallel_tool_calls: true }, [400, "parallel_tool_calls"]],
  ["top_logprobs alone", { top_logprobs: 2 }, [400, "top_logprobs"]],
  ["a name with a dot", { tools: [{ type: "function", function: { name: "a.b" } }] }, [400, "pattern"]],
  ["a call without its result", { messages: [user, called("a"), user] }, [400, "must be followed"]],
  ["a call with its result", { tools: [weather], messages: [user, called("a"), result("a")] }, ok],
  [
    "JSON that is not mentioned",
    { messages: [{ role: "user", content: "Hi" }], response_format: { type: "json_object" } },
    [400, "the word"],
  ],
  [
    "an open strict schema",
    {
      response_format: {
        type: "json_schema",
        json_schema: { name: "s", strict: true, schema: { type: "object", properties: {} } },
      },
    },
    [400, "invalid_json_schema"],
  ],
]);
verdicts(azure, "/openai/v1/embeddings", { model: "prod-vectors", input: ["Hello"] }, [
  ["nothing special", {}, ok],
  ["a purpose", { input_type: "query" }, [400, "input_type"]],
]);
verdicts(azure, "/openai/v1/responses", { model: "prod-tools", input: "Hello" }, [
  [
    "tools with thinking",
    {
      tools: [{ type: "function", name: "weather", parameters: {}, strict: false }],
      reasoning: { effort: "high" },
    },
    ok,
  ],
  ["a model's own name", { model: "gpt-5.4" }, [404, "DeploymentNotFound"]],
  ["a field of chat", { messages: [user] }, [400, "unknown_parameter"]],
  ["a temperature of a model that reasons", { ...reasoning, temperature: 0.2 }, [400, "temperature"]],
  ["a top_p of a model that reasons", { ...reasoning, top_p: 0.2 }, [400, "top_p"]],
  ["top_logprobs of a model that reasons", { ...reasoning, top_logprobs: 2 }, [400, "top_logprobs"]],
  ["an effort where there is none", { model: "prod-chat", reasoning: { effort: "low" } }, [400, "effort"]],
  [
    "thinking that is not sealed",
    { store: false, input: [{ type: "reasoning", id: "rs_1", summary: [] }] },
    [404, "rs_1"],
  ],
  [
    "a call without its output",
    { input: [{ type: "function_call", call_id: "a", name: "weather", arguments: "{}" }] },
    [400, "No tool output found"],
  ],
  [
    "a call whose thinking was removed",
    {
      input: [
        { type: "function_call", id: "fc_1", call_id: "call_thought_0", name: "weather", arguments: "{}" },
        { type: "function_call_output", call_id: "call_thought_0", output: "Sunny" },
      ],
    },
    [400, "required 'reasoning' item"],
  ],
]);
