import { mistral } from "./mistral.ts";
import { called, type Row, result, user, verdicts, weather } from "./verdicts.ts";

const ok = "accepted";
const unknown = (name: string): Row => [
  `${name}, which it does not know`,
  { [name]: 1 },
  [422, "extra_forbidden"],
];
verdicts(mistral, "/v1/chat/completions", { model: "mistral-medium-latest", messages: [user] }, [
  ["nothing special", {}, ok],
  ...[
    "seed",
    "user",
    "max_completion_tokens",
    "stream_options",
    "reasoning",
    "top_k",
    "logprobs",
    "logit_bias",
  ].map(unknown),
  ["its own name of the seed", { random_seed: 5 }, ok],
  ["a named message", { messages: [{ ...user, name: "Ada" }] }, [422, '"loc":["body","messages",0,"name"]']],
  [
    "calls of null",
    { messages: [{ role: "assistant", content: "a", tool_calls: null }, user] },
    [422, "tool_calls"],
  ],
  [
    "reasoning beside the content",
    { messages: [{ role: "assistant", content: "a", reasoning_content: "b" }, user] },
    [422, "reasoning_content"],
  ],
  [
    "reasoning in the content",
    {
      messages: [
        { role: "assistant", content: [{ type: "thinking", thinking: [{ type: "text", text: "a" }] }] },
        user,
      ],
    },
    ok,
  ],
  ["a temperature above 1.5", { temperature: 1.6 }, [422, "temperature"]],
  ["a call with an id of nine letters", { messages: [user, called("abcDEF123"), result("abcDEF123")] }, ok],
  ["a call with another id", { messages: [user, called("call_1"), result("call_1")] }, [400, "length of 9"]],
  ["a call without its result", { messages: [user, called("abcDEF123"), user] }, [400, "must be followed"]],
  ["no tools", { tools: [] }, [400, "empty"]],
  ["tools", { tools: [weather], tool_choice: "any" }, ok],
  [
    "an assistant's turn at the end",
    { messages: [user, { role: "assistant", content: "a" }] },
    [400, "Expected last role"],
  ],
  ["a prefix at the end", { messages: [user, { role: "assistant", content: "a", prefix: true }] }, ok],
  ["an effort of the model", { reasoning_effort: "high" }, ok],
  ["an effort of another model", { reasoning_effort: "low" }, [400, "reasoning_effort"]],
  [
    "an effort where there is none",
    { model: "voxtral-small-latest", reasoning_effort: "high" },
    [400, "reasoning_effort"],
  ],
]);

verdicts(mistral, "/v1/embeddings", { model: "mistral-embed", input: ["Hello"] }, [
  ["nothing special", {}, ok],
  ["OpenAI's dimensions", { dimensions: 8 }, [422, "dimensions"]],
  ["its own dimensions", { output_dimension: 8 }, ok],
]);
