import type OpenAI from "openai";
import { expect, test } from "vitest";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const { client, post } = await startTestServer(own);

const functions: OpenAI.ChatCompletionCreateParams.Function[] = [
  {
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "The weather in Ghent?" }];
const asking = { model: "sandbox/chat", messages, functions, seed: 3 };

test.each([false, true])(
  "a client with functions gets function_call and sends the result, streamed %o",
  async (stream) => {
    const called = stream
      ? await client.chat.completions.stream(asking).finalChatCompletion()
      : await client.chat.completions.create(asking);
    const [choice] = called.choices;
    const call = choice?.message.function_call;
    expect([choice?.finish_reason, choice?.message.tool_calls, call?.name]).toEqual([
      "function_call",
      undefined,
      "weather",
    ]);
    expect(typeof JSON.parse(call?.arguments ?? "").city).toBe("string");
    const answered = await client.chat.completions.create({
      ...asking,
      messages: [
        ...messages,
        {
          role: "assistant",
          content: null,
          function_call: { name: "weather", arguments: call?.arguments ?? "" },
        },
        { role: "function", name: "weather", content: '{"sky":"grey"}' },
      ],
    });
    expect(answered.choices[0]?.message.content?.length).toBeGreaterThan(0);
  },
);

test("a provider is sent tools, calls with ids and their results, and nothing of the older form", async () => {
  const response = await post("/chat/completions", {
    ...asking,
    model: "own/chat",
    function_call: { name: "weather" },
    messages: [
      ...messages,
      { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
      { role: "function", name: "weather", content: "grey" },
    ],
  });
  expect(response.status).toBe(200);
  const sent = own.askedFor(response.headers.get("x-generation-id") ?? "");
  expect(sent).toMatchObject({
    tools: [{ type: "function", function: functions[0] }],
    tool_choice: { type: "function", function: { name: "weather" } },
    messages: [
      messages[0],
      {
        role: "assistant",
        tool_calls: [{ id: "call00001", function: { name: "weather", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call00001", content: "grey" },
    ],
  });
  expect(JSON.stringify(sent)).not.toContain("function_call");
});

test("functions do not require more of an endpoint than tools", async () => {
  const response = await post("/chat/completions", {
    ...{ model: "own/chat", messages, functions, provider: { require_parameters: true } },
  });
  expect(response.status).toBe(200);
});

test("both forms in one request are refused with the name of the field", async () => {
  const tools = [{ type: "function", function: functions[0] }];
  const response = await post("/chat/completions", { ...asking, tools });
  const { error } = (await response.json()) as { error: { param: string } };
  expect([response.status, error.param]).toEqual([400, "tools"]);
});
