import { describe, expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { ownItems, type PreparedResponse } from "../openai-responses/prepared-response.ts";
import { chatRequestOf, customToolsOf, nativeOnly } from "./responses-to-chat.ts";

const prepared = (body: object): PreparedResponse => {
  const request = ResponseRequest.parse({ model: "m", input: "x", ...body });
  return { ...request, items: ownItems(request), store: false };
};
const messages = (input: unknown, rest: object = {}) => chatRequestOf(prepared({ input, ...rest })).messages;

describe("a request for a response, as chat", () => {
  test("a text is a user's message behind the instructions", () => {
    expect(messages("Hello", { instructions: "Be brief." })).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ]);
  });

  test("pictures, files and sounds pass on", () => {
    const content = [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "low" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" },
      { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
    ];
    expect(messages([{ role: "user", content }])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==", detail: "low" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" } },
          { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
        ],
      },
    ]);
  });

  test("calls are part of the assistant's message, followed by their outputs; empty reasoning is omitted", () => {
    const items = [
      { role: "user", content: "Weather in Riga and Oslo?" },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me look." }] },
      { type: "function_call", call_id: "a", name: "weather", arguments: '{"city":"Riga"}' },
      { type: "custom_tool_call", call_id: "b", name: "note", input: "Oslo" },
      { type: "function_call_output", call_id: "a", output: "4 °C" },
      { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "noted" }] },
    ];
    expect(messages(items)).toEqual([
      { role: "user", content: "Weather in Riga and Oslo?" },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [
          { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Riga"}' } },
          { id: "b", type: "function", function: { name: "note", arguments: '{"input":"Oslo"}' } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "4 °C" },
      { role: "tool", tool_call_id: "b", content: "noted" },
    ]);
  });

  test("reasoning is in the assistant's message it led to, in each step of a tool loop", () => {
    const thought = (text: string) => ({
      type: "reasoning",
      id: "rs_1",
      summary: [],
      content: [{ type: "reasoning_text", text }],
    });
    const summarised = { type: "reasoning", summary: [{ type: "summary_text", text: "Sum." }] };
    const call = (id: string) => ({ type: "function_call", call_id: id, name: "weather", arguments: "{}" });
    const outputOf = (id: string) => ({ type: "function_call_output", call_id: id, output: "4 °C" });
    const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Cold." }] };
    const items = [
      { role: "user", content: "Weather?" },
      thought("First."),
      thought("Then."),
      call("a"),
      outputOf("a"),
      summarised,
      call("b"),
      outputOf("b"),
      thought("Done."),
      said,
      { role: "user", content: "And now?" },
      thought("Cut off by a limit"),
    ];
    const calls = (id: string) => [{ id, type: "function", function: { name: "weather", arguments: "{}" } }];
    expect(nativeOnly(prepared({ input: items }))).toBeNull();
    expect(messages(items)).toEqual([
      { role: "user", content: "Weather?" },
      { role: "assistant", content: null, reasoning: "First.\n\nThen.", tool_calls: calls("a") },
      { role: "tool", tool_call_id: "a", content: "4 °C" },
      { role: "assistant", content: null, reasoning: "Sum.", tool_calls: calls("b") },
      { role: "tool", tool_call_id: "b", content: "4 °C" },
      { role: "assistant", content: "Cold.", reasoning: "Done." },
      { role: "user", content: "And now?" },
    ]);
  });

  test("encrypted reasoning of another provider is left out and refuses nothing", () => {
    const encrypted = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "AAAA" };
    const input = [{ role: "user", content: "Hello" }, encrypted, { role: "user", content: "Hello?" }];
    expect(nativeOnly(prepared({ input }))).toBeNull();
    expect(messages(input).map(({ role }) => role)).toEqual(["user", "user"]);
  });

  test("tools, choice, format, effort and logprobs are converted, and match chat's schema", () => {
    const schema = { type: "object", properties: {} };
    const chat = chatRequestOf(
      prepared({
        tools: [
          { type: "function", name: "weather", parameters: schema, strict: true },
          { type: "custom", name: "note", description: "Writes it down" },
        ],
        tool_choice: { type: "custom", name: "note" },
        text: { format: { type: "json_schema", name: "answer", schema, strict: true }, verbosity: "low" },
        reasoning: { effort: "high", summary: "auto" },
        top_logprobs: 3,
      }),
    );
    expect(ChatRequest.parse({ model: "m", ...chat })).toMatchObject({
      tools: [
        { type: "function", function: { name: "weather", parameters: schema, strict: true } },
        { type: "function", function: { name: "note", description: "Writes it down" } },
      ],
      tool_choice: { type: "function", function: { name: "note" } },
      response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
      verbosity: "low",
      reasoning_effort: "high",
      logprobs: true,
      top_logprobs: 3,
    });
  });

  test("a choice among allowed tools leaves only those", () => {
    const tools = ["a", "b", "c"].map((name) => ({ type: "function", name, parameters: {} }));
    const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "b" }] };
    const chat = chatRequestOf(prepared({ tools, tool_choice: choice }));
    expect(chat.tools?.map((tool) => tool.function?.name)).toEqual(["b"]);
    expect(chat.tool_choice).toBe("required");
  });
});

test.each([
  ["a provider's own item", { input: [{ type: "web_search_call", id: "ws_1" }] }, "input"],
  [
    "a file the provider keeps",
    { input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] },
    "input",
  ],
  [
    "a picture the provider keeps",
    { input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
    "input",
  ],
  ["a hosted tool", { tools: [{ type: "web_search" }] }, "tools"],
  [
    "a grammar",
    { tools: [{ type: "custom", name: "n", format: { type: "grammar", syntax: "lark", definition: "x" } }] },
    "tools",
  ],
  ["the choice of a hosted tool", { tool_choice: { type: "file_search" } }, "tool_choice"],
  ["nothing but words", { input: "x", tools: [{ type: "custom", name: "n" }] }, null],
])("%s can be served by: native when it names a field", (_, body, field) => {
  expect(nativeOnly(prepared(body))).toBe(field);
});

test("custom tools are known by name", () => {
  expect([...customToolsOf(prepared({ tools: [{ type: "custom", name: "note" }] }))]).toEqual(["note"]);
});
