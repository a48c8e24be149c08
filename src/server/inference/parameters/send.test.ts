import { expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { dialects, endpointRules } from "#server/catalog/index.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { sending } from "#test/sending.ts";
import { nativeChat } from "../wires/openai-chat/wire.ts";
import type { Json } from "../wires/shared/json.ts";
import { reportHeaders } from "./changes.ts";

const tools = [{ type: "function", function: { name: "weather" } }];
const schema = { type: "json_schema", json_schema: { name: "a", schema: {} } };

function at(name: string, upstreamModel: string) {
  const dialect = dialects[name];
  if (!dialect) throw new Error(`${name} is no dialect`);
  const rules = endpointRules(dialect, [upstreamModel], { endpoint: null, model: null });
  return endpoint(provider("theirs"), model("m/x"), { upstreamModel, rules });
}

/** What is sent of these fields, beside what every request has, and what is reported. */
function sent(dialect: string, upstreamModel: string, fields: object) {
  const request = ChatRequest.parse({ messages: [{ role: "user", content: "Hi" }], ...fields });
  const to = sending(request.max_tokens ?? request.max_completion_tokens ?? null);
  const {
    model: _,
    messages: __,
    store: ___,
    ...body
  }: Json = nativeChat.encode(request, at(dialect, upstreamModel), to);
  return { body, report: to.changes.report() };
}
const report = (changes: object) => ({ dropped: [], translated: [], clamped: [], ...changes });

test.each([
  // Everything is sent as it came where nothing is known, also what our schema does not have.
  [
    "openai-compatible",
    "m",
    { seed: 1, top_k: 2, logit_bias: { 1: 2 }, user: "u", chat_template_kwargs: { a: 1 }, guided_json: {} },
    { seed: 1, top_k: 2, logit_bias: { 1: 2 }, user: "u", chat_template_kwargs: { a: 1 }, guided_json: {} },
    null,
  ],
  ["vllm", "m", { guided_json: { a: 1 }, min_p: 0.1 }, { guided_json: { a: 1 }, min_p: 0.1 }, null],
  // Strict providers get nothing that they would reject.
  [
    "groq",
    "m",
    { seed: 1, top_k: 2, safe_prompt: true },
    { seed: 1 },
    report({ dropped: ["top_k", "safe_prompt"] }),
  ],
  ["openai", "gpt-5", { temperature: 0.5, seed: 1 }, { seed: 1 }, report({ dropped: ["temperature"] })],
  // Some sampling needs reasoning to be off.
  ["openai", "gpt-5.1", { temperature: 0.5 }, {}, report({ dropped: ["temperature"] })],
  [
    "openai",
    "gpt-5.1",
    { temperature: 0.5, reasoning_effort: "none" },
    { temperature: 0.5, reasoning_effort: "none" },
    null,
  ],
  // Ranges and names.
  [
    "anthropic",
    "claude-haiku-4-5",
    { temperature: 1.5 },
    { temperature: 1 },
    report({ clamped: ["temperature"] }),
  ],
  ["anthropic", "claude-haiku-4-5", { temperature: 0.5 }, { temperature: 0.5 }, null],
  [
    "together",
    "m",
    { logprobs: true, top_logprobs: 3 },
    { logprobs: 3 },
    report({ translated: [{ from: "top_logprobs", to: "logprobs" }] }),
  ],
  // Values that ask for nothing are no loss.
  ["groq", "m", { n: 1, logprobs: false, service_tier: "auto" }, { service_tier: "auto" }, null],
  [
    "anthropic",
    "claude-haiku-4-5",
    { service_tier: "default", modalities: ["text"] },
    {},
    report({ dropped: ["service_tier"] }),
  ],
  // Without tools there is nothing to choose, and strict providers say so.
  ["openai", "gpt-4.1", { tools: [], tool_choice: "auto" }, {}, null],
  ["openai", "gpt-4.1", { parallel_tool_calls: false }, {}, report({ dropped: ["parallel_tool_calls"] })],
  [
    "ollama",
    "m",
    { tools, tool_choice: "none" },
    {},
    report({ translated: [{ from: "tool_choice", to: "tools" }] }),
  ],
  ["ollama", "m", { tools, tool_choice: "auto" }, { tools }, null],
] as const)("%s, %s: of %j it gets %j", (dialect, upstreamModel, fields, body, reported) => {
  expect(sent(dialect, upstreamModel, fields)).toEqual({ body, report: reported });
});

test.each([
  ["groq", "m", { n: 2 }, "n"],
  ["groq", "m", { logprobs: true }, "logprobs"],
  ["openai", "o3", { stop: ["END"] }, "stop"],
  ["anthropic", "claude-haiku-4-5", { service_tier: "flex" }, "service_tier"],
  ["anthropic", "claude-sonnet-5-5", { tools, tool_choice: "required" }, "tool_choice"],
  ["ollama", "m", { tools, tool_choice: "required" }, "tool_choice"],
  ["deepseek", "m", { response_format: schema }, "response_format"],
] as const)(
  "%s, %s is not sent %j: the answer would be another one",
  (dialect, upstreamModel, fields, name) => {
    expect(() => sent(dialect, upstreamModel, fields)).toThrow(new RegExp(`does not support ${name} `));
  },
);

test("the client's name of the limit is reported if the provider has another one", () => {
  const theirs = provider("theirs", { tokenLimitField: "max_completion_tokens" });
  const to = sending(9);
  const request = ChatRequest.parse({ messages: [{ role: "user", content: "Hi" }], max_tokens: 12 });
  expect(nativeChat.encode(request, { ...at("openai", "gpt-5"), provider: theirs }, to)).toMatchObject({
    max_completion_tokens: 9,
  });
  expect(to.changes.report()).toEqual(
    report({
      translated: [{ from: "max_tokens", to: "max_completion_tokens" }],
      clamped: ["max_tokens"],
    }),
  );
});

test("a field with a name of every object is reported by that name", () => {
  expect(sent("groq", "m", { constructor: 1, toString: "x" }).report).toEqual(
    report({ dropped: ["constructor", "toString"] }),
  );
});

test.each([
  ["an API key", `sk-proj-${"aB3dE6gH9jK2".repeat(4)}`, /^sk-proj\?K?\w{0,4}$|^sk-\?\w{4}$/],
  ["line breaks and other alphabets", "na\r\nïve,>", /^na\?\?\?ve\?\?$/],
  ["great length", "x".repeat(5_000), /^x{64}$/],
])(
  "a client's name with %s is reported so that it can be stored and be a header",
  (_what, name, expected) => {
    const dropped = sent("groq", "m", { [name]: 1 }).report?.dropped ?? [];
    expect(dropped).toEqual([expect.stringMatching(expected)]);
    expect(() => new Headers(reportHeaders(report({ dropped })))).not.toThrow();
  },
);

test.each([
  ["openai", false],
  ["azure", undefined],
  ["groq", undefined],
] as const)("chats at %s are not stored there, whatever the client has Portolan store", (dialect, store) => {
  for (const asked of [undefined, true, false]) {
    const request = ChatRequest.parse({ messages: [{ role: "user", content: "Hi" }], store: asked });
    expect(nativeChat.encode(request, at(dialect, "gpt-4.1"), sending(null)).store).toBe(store);
  }
});

test("headers report names, each kind of change in its own; none without changes", () => {
  expect(reportHeaders(null)).toEqual({});
  expect(reportHeaders(report({ dropped: ["a", "b"], translated: [{ from: "x", to: "y" }] }))).toEqual({
    "x-portolan-dropped-params": "a,b",
    "x-portolan-translated-params": "x>y",
  });
  expect(reportHeaders(report({ clamped: ["t"] }))).toEqual({ "x-portolan-clamped-params": "t" });
});
