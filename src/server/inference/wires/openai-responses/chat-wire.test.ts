import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChatMessage, ChatRequest } from "#contract/chat.ts";
import type { Api } from "#contract/inference-operations.ts";
import { MessagesRequest } from "#contract/messages.ts";
import { dialects, type Endpoint, endpointRules } from "#server/catalog/index.ts";
import { prepareMessages } from "#server/inference/operations/messages/prepare.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { sending } from "#test/sending.ts";
import { messagesAsResponse } from "../anthropic-messages/wire.ts";
import { chatRequestOf } from "../openai-chat/responses-to-chat.ts";
import type { Json } from "../shared/json.ts";
import { itemsOfChat } from "./chat-items.ts";
import { chatAsResponse } from "./chat-wire.ts";
import type { PreparedResponse } from "./prepared-response.ts";

const messages: readonly ChatMessage[] = [{ role: "user", content: "Hello" }];
const tools = [{ type: "function", function: { name: "find", parameters: { type: "object" } } }];
const asking = (own: Json = {}): ChatRequest => ChatRequest.parse({ messages, ...own });

function at(name: string, apis: readonly Api[] = ["chat", "responses"], dialect = "openai"): Endpoint {
  const known = dialects[dialect];
  if (!known) throw new Error(`${dialect} is no dialect`);
  return endpoint(provider("p"), model(`lab/${name}`), {
    upstreamModel: name,
    apis: new Set(apis),
    rules: endpointRules(known, [name], { endpoint: null, model: null }),
  });
}

function encoded(own: Json, to = at("gpt-5.4"), maxTokens: number | null = null) {
  const how = sending(maxTokens);
  const body = chatAsResponse.encode(asking(own), to, how);
  return { body, report: how.changes.report() };
}

const combined = { tools, reasoning_effort: "high" };
test.each<[what: string, own: Json, at: Endpoint, serves: boolean]>([
  ["tools with an effort", combined, at("gpt-5.4"), true],
  ["tools with an effort, at Azure", combined, at("gpt-5.4", ["chat", "responses"], "azure"), true],
  ["tools with a budget", { tools, reasoning: { max_tokens: 3_000 } }, at("gpt-5.4"), true],
  ["tools without a setting", { tools }, at("gpt-5.4"), false],
  ["tools without a setting, where the model reasons by itself", { tools }, at("gpt-5.6"), true],
  ["tools with reasoning switched off", { tools, reasoning_effort: "none" }, at("gpt-5.6"), false],
  ["an effort without tools", { reasoning_effort: "high" }, at("gpt-5.4"), false],
  ["an effort with an empty list of tools", { ...combined, tools: [] }, at("gpt-5.4"), false],
  ["the combination where chat takes it", combined, at("gpt-5"), false],
  ["the combination at another provider", combined, at("gpt-5.4", ["chat", "responses"], "vllm"), false],
  ["two answers", { ...combined, n: 2 }, at("gpt-5.4"), false],
  ["log probabilities, which need reasoning off", { ...combined, logprobs: true }, at("gpt-5.4"), false],
  ["a very short answer", { ...combined, max_tokens: 15 }, at("gpt-5.4"), false],
  ["anything, where there is no chat", {}, at("gpt-5-pro", ["responses"]), true],
])("%s: whether it goes to the responses operation is as expected", (_, own, to, serves) => {
  expect(chatAsResponse.serves?.(asking(own), to)).toBe(serves);
});

const word = fc.string({ minLength: 1, maxLength: 6 });
const conversation: fc.Arbitrary<ChatMessage[]> = fc
  .array(
    fc.record({
      system: fc.option(word),
      said: fc.oneof(
        word,
        word.map((url) => [
          { type: "text", text: url },
          { type: "image_url", image_url: { url: `https://example.com/${encodeURIComponent(url)}` } },
        ]),
      ),
      answer: fc.option(word),
      refusal: fc.option(word),
      calls: fc.array(word, { maxLength: 3 }),
    }),
    { maxLength: 4 },
  )
  .map((turns) =>
    turns.flatMap(({ system, said, answer, refusal, calls }, turn) => {
      const ids = calls.map((_, at) => `call_${turn}_${at}`);
      const made = calls.map((given, at) => ({
        id: ids[at] ?? "",
        type: "function",
        function: { name: "find", arguments: given },
      }));
      const isSaid = answer !== null || refusal !== null || made.length > 0;
      return [
        ...(system === null ? [] : [{ role: "system" as const, content: system }]),
        { role: "user" as const, content: said },
        ...(isSaid
          ? [
              {
                role: "assistant" as const,
                content: answer,
                ...(refusal !== null && { refusal }),
                ...(made.length > 0 && { tool_calls: made }),
              },
            ]
          : []),
        ...ids.map((id) => ({ role: "tool" as const, tool_call_id: id, content: "Found" })),
      ];
    }),
  );

test("any conversation is the same after it was items of the responses operation", () => {
  fc.assert(
    fc.property(conversation, (given) => {
      const { items, lost } = itemsOfChat(given);
      const back = chatRequestOf({ items, store: false } as unknown as PreparedResponse);
      expect(back.messages).toEqual(given);
      expect([...lost]).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

describe("a request", () => {
  test("stores nothing at the provider, and asks for reasoning that can be sent back", () => {
    expect(encoded(combined).body).toMatchObject({
      model: "gpt-5.4",
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "high" },
      tools: [{ type: "function", name: "find", parameters: { type: "object" }, strict: false }],
    });
    expect(encoded({}, at("gpt-4.1", ["responses"])).body.include).toBeUndefined();
  });

  test.each<[own: Json, body: Json]>([
    [{ tool_choice: "required" }, { tool_choice: "required" }],
    [
      { tool_choice: { type: "function", function: { name: "find" } } },
      { tool_choice: { type: "function", name: "find" } },
    ],
    [
      {
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "find" } }] },
        },
      },
      { tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "find" }] } },
    ],
    [
      {
        tools: [
          {
            type: "custom",
            custom: {
              name: "sql",
              format: { type: "grammar", grammar: { syntax: "lark", definition: "start: A" } },
            },
          },
        ],
      },
      {
        tools: [
          {
            type: "custom",
            name: "sql",
            format: { type: "grammar", syntax: "lark", definition: "start: A" },
          },
        ],
      },
    ],
    [
      {
        response_format: { type: "json_schema", json_schema: { name: "s", schema: { type: "object" } } },
        verbosity: "low",
      },
      {
        text: {
          format: { type: "json_schema", name: "s", schema: { type: "object" }, strict: false },
          verbosity: "low",
        },
      },
    ],
    [
      { parallel_tool_calls: false, service_tier: "flex", prompt_cache_key: "k", safety_identifier: "u" },
      { parallel_tool_calls: false, service_tier: "flex", prompt_cache_key: "k", safety_identifier: "u" },
    ],
    [{ stream: false, reasoning: { summary: "auto" } }, { reasoning: { effort: "high", summary: "auto" } }],
  ])("with %j has it in the form of the responses operation", (own, body) => {
    expect(encoded({ ...combined, ...own }).body).toMatchObject(body);
  });

  test("says which fields have another name, another value, or no place", () => {
    const { body, report } = encoded(
      {
        ...combined,
        reasoning_effort: "max",
        messages: [{ role: "user", name: "Ada", content: "Hello" }],
        max_completion_tokens: 500,
        seed: 4,
        temperature: 0.2,
        response_format: { type: "json_object" },
      },
      at("gpt-5.4"),
      400,
    );
    expect(body).toMatchObject({ max_output_tokens: 400, reasoning: { effort: "xhigh" } });
    expect(report).toEqual({
      dropped: ["messages.name", "temperature", "seed"],
      translated: [
        { from: "messages", to: "input" },
        { from: "max_completion_tokens", to: "max_output_tokens" },
        { from: "reasoning_effort", to: "reasoning.effort" },
        { from: "response_format", to: "text.format" },
      ],
      clamped: ["max_completion_tokens", "reasoning_effort"],
    });
  });

  test.each(["n", "logprobs"])("with %s is refused where there is no chat that takes it", (name) => {
    const value = name === "n" ? 2 : true;
    expect(() => encoded({ [name]: value }, at("gpt-5-pro", ["responses"]))).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: "BAD_REQUEST" }) }),
    );
  });

  test("sends reasoning of OpenAI back, and reports that of others", () => {
    const format = "openai-responses-v1";
    const answer = (details: readonly Json[]): Json => ({
      messages: [...messages, { role: "assistant", content: "Hi", reasoning_details: details }],
    });
    const own = { type: "reasoning.encrypted", data: "x", id: "rs_1", format, index: 0 };
    const returned = encoded({ ...combined, ...answer([own]) });
    expect(returned.body.input).toMatchObject([
      { role: "user" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
      { role: "assistant" },
    ]);
    expect(returned.report?.dropped).toEqual([]);
    const signed = { type: "reasoning.text", text: "Hm", signature: "s", format: "anthropic-claude-v1" };
    const other = encoded({ ...combined, ...answer([signed]) });
    expect(other.report?.dropped).toEqual(["messages.reasoning_details"]);
    expect(JSON.stringify(other.body.input)).not.toContain("Hm");
  });

  test("with a custom tool's call and result has their items", () => {
    const call = { id: "c1", type: "custom", custom: { name: "sql", input: "select 1" } };
    const loop = [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "1" },
    ];
    expect(encoded({ ...combined, messages: [...messages, ...loop] }).body.input).toEqual([
      { type: "message", role: "user", content: "Hello" },
      { type: "custom_tool_call", call_id: "c1", name: "sql", input: "select 1" },
      { type: "custom_tool_call_output", call_id: "c1", output: "1" },
    ]);
  });

  test("with files has them by data, by address and by ID", () => {
    const file = (own: Json): Json => ({ type: "file", file: own });
    const content = [
      file({ filename: "a.pdf", file_data: "data:application/pdf;base64,AA" }),
      file({ file_data: "https://example.com/a.pdf" }),
      file({ file_id: "file_1" }),
    ];
    expect(encoded({ ...combined, messages: [{ role: "user", content }] }).body.input).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AA" },
          { type: "input_file", file_url: "https://example.com/a.pdf" },
          { type: "input_file", file_id: "file_1" },
        ],
      },
    ]);
  });
});

test("a request for a message has its thinking as reasoning, with a summary if the client asks to see it", () => {
  const encode = (thinking: Json) => {
    const request = MessagesRequest.parse({
      messages: [{ role: "user", content: "Hello" }],
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 3_000, ...thinking },
      tools: [{ name: "find", input_schema: { type: "object" } }],
    });
    return messagesAsResponse.encode(prepareMessages(request), at("gpt-5.4"), sending(4_000)).reasoning;
  };
  expect(encode({})).toEqual({ effort: "medium" });
  expect(encode({ display: "summarized" })).toEqual({ effort: "medium", summary: "auto" });
});
