import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";
import { hi, weather } from "#test/messages/scenario.ts";
import { anthropic } from "#test/providers/anthropic.ts";
import { credential, type Play, play } from "#test/providers/serve.ts";
import { startTestServer } from "./server.ts";

type Params = Anthropic.MessageCreateParamsNonStreaming;
type Body = Record<string, unknown>;

const upstream = await startUpstream();
afterAll(() => upstream.close());
let mock: Play = play(anthropic);
beforeEach(() => {
  mock = play(anthropic);
  upstream.answer = mock.answer;
});

const [sonnet] = anthropic.models;
const server = await startTestServer({
  settings: { CLAUDE_API_KEY: credential, ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
  overlay: {
    providers: [
      {
        slug: "claude",
        name: "Claude",
        kind: "anthropic",
        base_url: `${upstream.origin}/v1`,
        token_limit_required: true,
        apis: ["messages", "chat"],
        ...{ region: "US", datacenters: ["US"], headquarters: "US" },
      },
    ],
    models: [{ id: "own/claude", context_length: 200_000, input_modalities: ["text", "image", "file"] }],
    endpoints: [
      {
        provider: "claude",
        model: "own/claude",
        upstream_model: sonnet,
        price: { currency: "EUR", input: "1", output: "1", cached_input: "0.1", cache_write: "1.25" },
      },
    ],
  },
});
const client = new Anthropic({ baseURL: `${server.origin}/api`, apiKey: server.key, maxRetries: 0 });
const usual: Params = { model: "own/claude", max_tokens: 4_096, messages: hi };
const ask = (asking: Params, streamed: boolean): Promise<Anthropic.Message> =>
  streamed ? client.messages.stream(asking).finalMessage() : client.messages.create(asking);
const asked = (): Body => upstream.received.at(-1)?.body as Body;
const json = (value: unknown): void => {
  upstream.answer = (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
};
const events = (list: readonly Body[]): void => {
  const text = list.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  upstream.answer = (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
};
const message = {
  id: "msg_theirs",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "stop_sequence",
  stop_sequence: "END",
  usage: {
    input_tokens: 30,
    cache_creation_input_tokens: 10,
    cache_read_input_tokens: 60,
    output_tokens: 20,
    service_tier: "priority",
    server_tool_use: { web_search_requests: 1 },
  },
};
const begun = { type: "message_start", message: { ...message, content: [], stop_reason: null } };
const block = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
  { type: "content_block_stop", index: 0 },
];
const ended = [
  {
    type: "message_delta",
    delta: { stop_reason: "stop_sequence", stop_sequence: "END" },
    usage: { output_tokens: 20 },
  },
  { type: "message_stop" },
];

const full: Partial<Params> = {
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
  tools: [{ ...weather, strict: true, cache_control: { type: "ephemeral", ttl: "1h" } }],
  tool_choice: { type: "auto", disable_parallel_tool_use: true },
  thinking: { type: "enabled", budget_tokens: 2_000 },
  metadata: { user_id: "user-7" },
  service_tier: "auto",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "Hi", cache_control: { type: "ephemeral" } },
        {
          type: "document",
          title: "Tides",
          citations: { enabled: true },
          source: { type: "text", media_type: "text/plain", data: "High water at 6." },
        },
      ],
    },
  ],
};

describe("an endpoint with Anthropic's API", () => {
  test.each([false, true])("gets the body as the client wrote it, streamed %o", async (streamed) => {
    const routing = { provider: { only: ["claude"] }, session_id: "s-1", trace: { trace_name: "t" } };
    await ask({ ...usual, ...full, ...routing }, streamed);
    expect(asked()).toEqual({ ...usual, ...full, model: sonnet, ...(streamed && { stream: true }) });
    expect(upstream.received.at(-1)?.path).toBe("/v1/messages");
  });

  test("gets the client's version and betas, and a version if the client names none", async () => {
    const headers = { "anthropic-version": "2026-10-21" };
    await client.beta.messages.create({ ...usual, betas: ["a-2026-01-01", "b-2026-02-02"] }, { headers });
    expect(upstream.received.at(-1)?.headers).toMatchObject({
      ...headers,
      "anthropic-beta": "a-2026-01-01,b-2026-02-02",
      "x-api-key": credential,
    });
    await server.post("/messages", usual);
    expect(upstream.received.at(-1)?.headers).toMatchObject({ "anthropic-version": "2023-06-01" });
    expect(upstream.received.at(-1)?.headers).not.toHaveProperty("anthropic-beta");
  });

  test.each([false, true])(
    "gets its signed thinking back unchanged in a tool loop, streamed %o",
    async (streamed) => {
      const thinking = { type: "enabled", budget_tokens: 2_000 } as const;
      const asking: Params = { ...usual, tools: [weather], thinking };
      const first = await ask(asking, streamed);
      expect(first.content.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
      const call = first.content.find((each) => each.type === "tool_use");
      const messages: Params["messages"] = [
        ...hi,
        { role: "assistant", content: first.content as Anthropic.ContentBlockParam[] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "grey" }] },
      ];
      const second = await ask({ ...asking, messages }, streamed);
      expect(second.stop_reason).toBe("end_turn");
      expect(asked().messages).toEqual(messages);
      expect(mock.judged.map(({ refusal }) => refusal)).toEqual([null, null]);
    },
  );

  test("does not get thinking of other providers, nor a budget in their tool loops", async () => {
    const content: Anthropic.ContentBlockParam[] = [
      { type: "thinking", thinking: "Hm.", signature: "portolan-unsigned" },
      { type: "tool_use", id: "call_1", name: "weather", input: {} },
    ];
    const messages: Params["messages"] = [
      ...hi,
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "grey" }] },
    ];
    const thinking = { type: "enabled", budget_tokens: 2_000 } as const;
    const { response } = await client.messages
      .create({ ...usual, tools: [weather], thinking, messages })
      .withResponse();
    expect(asked()).not.toHaveProperty("thinking");
    expect(asked()).toMatchObject({ messages: [{}, { content: [{ type: "tool_use" }] }, {}] });
    expect(response.headers.get("x-portolan-dropped-params")).toBe("messages.thinking,thinking");
  });

  test("keeps its stop sequence and its own members of the usage, and is billed by its counts", async () => {
    json({ ...message, container: { id: "container_1" } });
    const { data, response } = await client.messages.create(usual).withResponse();
    expect(data).toMatchObject({
      content: message.content,
      stop_reason: "stop_sequence",
      stop_sequence: "END",
      container: { id: "container_1" },
      usage: { ...message.usage, cost_eur: expect.closeTo((30 + 12.5 + 6 + 20) / 1_000_000, 9) },
    });
    const row = await server.record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({
      operation: "messages",
      prompt_tokens: 100,
      completion_tokens: 20,
      cached_tokens: 60,
      cache_write_tokens: 10,
      native_finish_reason: "stop_sequence",
    });
  });

  test("its events pass as they are, with its usage at the start and the charge at the end", async () => {
    const future = { type: "content_block_future", index: 0, data: { a: 1 } };
    events([begun, { type: "ping" }, ...block, future, ...ended]);
    const response = await server.post("/messages", { ...usual, stream: true });
    const sent = [...(await response.text()).matchAll(/^event: (.+)\ndata: (.+)$/gm)];
    const data = sent.map(([, , text = ""]): Body => JSON.parse(text));
    expect(sent.map(([, name]) => name)).toEqual(data.map(({ type }) => type));
    expect(data[0]).toMatchObject({ type: "message_start", message: { usage: { input_tokens: 30 } } });
    expect(data.slice(2, 6)).toEqual([...block, future]);
    expect(data.slice(6)).toMatchObject([
      { delta: ended[0]?.delta, usage: { ...message.usage, cost_eur: expect.any(Number) } },
      { type: "message_stop" },
    ]);
  });

  test("its own blocks and tools are used, which chat does not have", async () => {
    json({
      ...message,
      content: [{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "tides" } }],
      stop_reason: "pause_turn",
    });
    const search: Anthropic.ToolUnion = { type: "web_search_20250305", name: "web_search", max_uses: 2 };
    const answer = await client.messages.create({ ...usual, tools: [search] });
    expect(asked().tools).toEqual([search]);
    expect([answer.content[0]?.type, answer.stop_reason]).toEqual(["server_tool_use", "pause_turn"]);
  });

  test("still chats through its package", async () => {
    const { choices } = await server.client.chat.completions.create({
      model: "own/claude",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(choices[0]?.message.content).toContain("Bonjour");
  });
});

describe("an endpoint with Anthropic's API that fails", () => {
  test.each([
    ["too long", 400, "invalid_request_error", "prompt is too long"],
    ["no credit", 502, "api_error", "credential"],
    ["rate limit", 429, "rate_limit_error", "rate limit"],
    ["overloaded", 503, "overloaded_error", "overloaded"],
  ])("%s", async (name, status, type, words) => {
    mock.failNext = anthropic.failures[name] ?? null;
    const error: unknown = await client.messages.create(usual).catch((thrown: unknown) => thrown);
    if (!(error instanceof Anthropic.APIError)) throw new Error("It is no error of the client's");
    expect([error.status, error.type]).toEqual([status, type]);
    expect(error.message).toContain(words);
  });

  test.each([
    ["breaks off", [begun, ...block], "api_error"],
    [
      "reports an error",
      [begun, ...block, { type: "error", error: { type: "overloaded_error" } }],
      "overloaded_error",
    ],
    ["goes on after its end", [begun, ...block, ended[0] ?? {}, ...block], "api_error"],
    ["skips a block", [begun, ...block, { ...block[0], index: 7 }], "api_error"],
  ])("a stream that %s is an error", async (_, sent, type) => {
    events(sent as Body[]);
    const text = await (await server.post("/messages", { ...usual, stream: true })).text();
    // Without any content the answer is an error, not a stream.
    const error = text.startsWith("{") ? text : /event: error\ndata: (.+)\n\n$/.exec(text)?.[1];
    expect(JSON.parse(error ?? "{}")).toMatchObject({ type: "error", error: { type } });
  });

  test.each([
    ["no message", { type: "message" }],
    ["an answer without an end", { ...message, stop_reason: null }],
    ["blocks that are none", { ...message, content: ["Hi"] }],
  ])("%s is refused as malformed", async (_, answer) => {
    json(answer);
    const response = await server.post("/messages", usual);
    expect([response.status, await response.json()]).toMatchObject([502, { error: { type: "api_error" } }]);
  });
});
