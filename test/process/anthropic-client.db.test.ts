import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { answerScenarios } from "#test/messages/answer-scenarios.ts";
import { startChatUpstream } from "#test/messages/chat-upstream.ts";
import { contentScenarios } from "#test/messages/content-scenarios.ts";
import { hi, longTool, weather } from "#test/messages/scenario.ts";
import { settingScenarios } from "#test/messages/setting-scenarios.ts";
import { toolScenarios } from "#test/messages/tool-scenarios.ts";
import { startTestServer } from "./server.ts";

const own = await startChatUpstream();
const server = await startTestServer(own);
const client = new Anthropic({ baseURL: `${server.origin}/api`, apiKey: server.key, maxRetries: 0 });
const usual = { model: "own/chat", max_tokens: 64, messages: hi };

const requests = [...contentScenarios, ...toolScenarios, ...settingScenarios];
const scenarios = [
  ...requests.map((scenario) => ({ ...scenario, name: `request: ${scenario.name}` })),
  ...answerScenarios.map((scenario) => ({ ...scenario, name: `answer: ${scenario.name}` })),
];

describe.each(scenarios)("$name", ({ request, said, sent, unsent = [], content, stop }) => {
  test.each([false, true])("streamed %o", async (streamed) => {
    own.said = said ?? { content: "Hello", finish: "stop" };
    const asking = { ...usual, ...request };
    const message = streamed
      ? await client.messages.stream(asking).finalMessage()
      : await client.messages.create(asking);
    if (sent) expect(own.asked()).toMatchObject(sent);
    for (const name of unsent) expect(own.asked()).not.toHaveProperty(name);
    if (content) expect(message.content).toEqual(content);
    if (stop) expect(message.stop_reason).toBe(stop);
    expect(message.id).toMatch(/^msg_[0-9a-f]{32}$/);
  });
});

/** The events of a stream as they are sent: each name with its data. */
async function framesOf(body: object): Promise<{ name: string; data: Record<string, unknown> }[]> {
  const response = await server.post("/messages", { ...usual, ...body, stream: true });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const sent = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("event: "));
  return sent.map((frame) => {
    const [, name = "", data = ""] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
    return { name, data: JSON.parse(data) };
  });
}

test("the events of a stream have Anthropic's names and order, and blocks never overlap", async () => {
  own.said = {
    reasoning: "Hm.",
    content: "Look.",
    mixed: true,
    calls: [
      { id: "call_1", name: "weather", arguments: '{"city":"Ghent"}' },
      { id: "call_2", name: "weather", arguments: '{"city":"Bruges"}' },
    ],
    finish: "tool_calls",
  };
  const frames = await framesOf({ tools: [weather] });
  expect(frames.every(({ name, data }) => name === data.type)).toBe(true);
  const order = frames.map(({ name, data }) => {
    const { type } = (data.delta ?? data.content_block ?? {}) as { type?: string };
    return [name.replace("content_block_", ""), data.index, type]
      .filter((part) => part !== undefined)
      .join(" ");
  });
  const distinct = order.filter((one, at) => one !== order[at - 1]);
  expect(distinct).toEqual([
    "message_start",
    "ping",
    "start 0 thinking",
    "delta 0 thinking_delta",
    "delta 0 signature_delta",
    "stop 0",
    "start 1 text",
    "delta 1 text_delta",
    "stop 1",
    "start 2 tool_use",
    "delta 2 input_json_delta",
    "stop 2",
    "start 3 tool_use",
    "delta 3 input_json_delta",
    "stop 3",
    "message_delta",
    "message_stop",
  ]);
});

describe("usage", () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };

  test.each([false, true])("input excludes cached and written tokens, streamed %o", async (streamed) => {
    own.said = { content: "Hello", finish: "stop", usage };
    const message = streamed
      ? await client.messages.stream(usual).finalMessage()
      : await client.messages.create(usual);
    expect(message.usage).toMatchObject({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      output_tokens: 20,
    });
  });

  test("a stream begins with an estimate and ends with what is billed", async () => {
    own.said = { content: "Hello", finish: "stop", usage };
    const frames = await framesOf({ messages: [{ role: "user", content: "x".repeat(400) }] });
    expect(frames[0]?.data).toMatchObject({ message: { usage: { input_tokens: 100, output_tokens: 0 } } });
    expect(frames.at(-2)?.data).toMatchObject({
      usage: { input_tokens: 30, output_tokens: 20, cost_eur: expect.closeTo(120 / 1_000_000, 9) },
    });
  });
});

test("a name too long for chat is shortened for the provider and comes back as it was", async () => {
  const { name, shortened, tool } = longTool;
  own.said = { content: "Hello", finish: "stop" };
  await client.messages.create({ ...usual, tools: [tool], tool_choice: { type: "tool", name } });
  const { tools, tool_choice: choice } = own.asked() as {
    tools: { function: { name: string } }[];
    tool_choice: { function: { name: string } };
  };
  const sent = tools[0]?.function.name ?? "";
  expect(sent.startsWith(shortened)).toBe(true);
  expect([sent.length, choice.function.name]).toEqual([64, sent]);
  own.said = { calls: [{ id: "call_1", name: sent, arguments: "{}" }], finish: "tool_calls" };
  const message = await client.messages.create({ ...usual, tools: [tool] });
  expect(message.content).toMatchObject([{ type: "tool_use", name }]);
  await client.messages.create({
    ...usual,
    tools: [tool],
    messages: [
      ...hi,
      { role: "assistant", content: message.content as Anthropic.ContentBlockParam[] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "ok" }] },
    ],
  });
  expect(own.asked()).toMatchObject({ messages: [{}, { tool_calls: [{ function: { name: sent } }] }, {}] });
});

test("a long name of a user is sent as a digest and recorded as it is", async () => {
  const user_id = `user-${"a-".repeat(60)}`;
  own.said = { content: "Hello", finish: "stop" };
  const { response } = await client.messages.create({ ...usual, metadata: { user_id } }).withResponse();
  expect(own.asked().user).toMatch(/^[0-9a-f]{64}$/);
  const row = await server.record(response.headers.get("x-generation-id"));
  expect(row).toMatchObject({
    operation: "messages",
    user_reference: user_id,
    parameters: { max_tokens: 64 },
  });
});

test("a session of Claude Code is the session of its requests", async () => {
  own.said = { content: "Hello", finish: "stop" };
  const headers = { "x-claude-code-session-id": "session-7" };
  const { response } = await client.messages.create(usual, { headers }).withResponse();
  const row = await server.record(response.headers.get("x-generation-id"));
  expect(row.session_id).toBe("session-7");
});

describe("requests as clients send them", () => {
  const paths = ["/v1/messages", "/v1/messages?beta=true", "/api/v1/messages", "/v1/messages/count_tokens"];
  const keys = (key: string) => [{ "x-api-key": key }, { authorization: `Bearer ${key}` }];

  test.each(paths.flatMap((path) => keys("").map((headers) => [path, Object.keys(headers)[0] ?? ""])))(
    "%s with %s",
    async (path, name) => {
      const headers = keys(server.key).find((own) => name in own) ?? {};
      const response = await fetch(`${server.origin}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-beta": "a-2026-01-01", ...headers },
        body: JSON.stringify({ ...usual, model: "sandbox/chat" }),
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"));
    },
  );
});

describe("count_tokens", () => {
  test("counts system, messages and tools without a charge or a record", async () => {
    const count = async (more: object) =>
      (await client.messages.countTokens({ model: "own/chat", messages: hi, ...more })).input_tokens;
    const base = await count({});
    expect(base).toBeGreaterThan(0);
    expect(await count({ system: "x".repeat(400) })).toBe(base + 100);
    expect(await count({ tools: [weather] })).toBeGreaterThan(base + 20);
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "A".repeat(4e5) },
    };
    expect(await count({ messages: [{ role: "user", content: [image] }] })).toBe(1_600);
    const response = await server.post("/messages/count_tokens", { model: "own/chat", messages: hi });
    expect(response.headers.get("x-generation-id")).toBeNull();
  });

  test("needs a key and valid messages", async () => {
    const refused = await server.post("/messages/count_tokens", { messages: hi }, { key: null });
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { error: { type: "authentication_error" } },
    ]);
    const wrong = await server.post("/messages/count_tokens", { messages: "Hi" });
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { error: { type: "invalid_request_error", param: "messages" } },
    ]);
  });
});
