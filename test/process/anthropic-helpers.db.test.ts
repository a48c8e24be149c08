import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import OpenAI from "openai";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";
import { startChatUpstream } from "#test/messages/chat-upstream.ts";
import { hi, weather } from "#test/messages/scenario.ts";
import { anthropic } from "#test/providers/anthropic.ts";
import { credential, type Play, play } from "#test/providers/serve.ts";
import { startTestServer } from "./server.ts";

const own = await startChatUpstream();
const claude = await startUpstream();
afterAll(() => claude.close());
let mock: Play = play(anthropic);
const answersOf = own.upstream.answer;
beforeEach(() => {
  mock = play(anthropic);
  claude.answer = mock.answer;
  own.upstream.answer = answersOf;
  own.said = { content: "Hello", finish: "stop" };
});

const { providers, models, endpoints } = own.overlay as Record<string, object[]>;
const server = await startTestServer({
  settings: { ...own.settings, CLAUDE_API_KEY: credential },
  overlay: {
    providers: [
      ...(providers ?? []),
      {
        slug: "claude",
        name: "Claude",
        kind: "anthropic",
        base_url: `${claude.origin}/v1`,
        token_limit_required: true,
        apis: ["messages", "chat"],
        ...{ region: "US", datacenters: ["US"], headquarters: "US" },
      },
    ],
    models: [
      ...(models ?? []),
      { id: "own/claude", context_length: 200_000, input_modalities: ["text", "image", "file"] },
    ],
    endpoints: [
      ...(endpoints ?? []),
      {
        provider: "claude",
        model: "own/claude",
        upstream_model: anthropic.models[0],
        price: { currency: "EUR", input: "1", output: "1" },
      },
    ],
  },
});
const baseURL = `${server.origin}/api`;
const client = new Anthropic({ baseURL, apiKey: server.key, maxRetries: 0 });
const usual = { model: "own/chat", max_tokens: 4_096, messages: hi };
const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

/** The shape depends on the client's version header, the models on the caller, who may have own ones. */
const varyOfModels = "anthropic-version, authorization, x-api-key, x-org-id";

describe("models", () => {
  test("are listed in pages, each model once, and only those that serve messages", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list({ limit: 2 })) {
      expect(model).toMatchObject({ type: "model", lifecycle: "active", display_name: expect.any(String) });
      ids.push(model.id);
    }
    expect(ids).toEqual(expect.arrayContaining(["own/chat", "own/claude", "sandbox/chat"]));
    expect(ids).not.toContain("sandbox/embed");
    expect(new Set(ids).size).toBe(ids.length);
    const back: string[] = [];
    const pages = client.beta.models.list({ limit: 1, before_id: ids.at(-1) ?? "" });
    for await (const { id } of pages) back.push(id);
    expect(back).toEqual(ids.slice(0, -1).toReversed());
    const all = await client.models.list({ limit: 1_000 });
    expect([all.data.length, all.has_more, all.first_id, all.last_id]).toEqual([
      ids.length,
      false,
      ids[0],
      ids.at(-1),
    ]);
    expect((await client.models.list({ lifecycle: ["retired"] })).data).toEqual([]);
  });

  test("are read by their id, with or without its slash encoded", async () => {
    const model = await client.models.retrieve("own/claude");
    expect(model).toMatchObject({ id: "own/claude", max_input_tokens: 200_000 });
    expect(Date.parse(model.created_at)).toBeGreaterThan(0);
    const headers = { "anthropic-version": "2023-06-01" };
    const plain = await server.send("GET", "/models/own/claude", { key: null, headers });
    expect([await plain.json(), plain.headers.get("vary")]).toEqual([model, varyOfModels]);
    expect(await thrown(client.models.retrieve("own/nothing"))).toBeInstanceOf(Anthropic.NotFoundError);
    expect(await thrown(client.models.list({ after_id: "nobody" }).then())).toMatchObject({
      status: 400,
      error: { type: "error", error: { type: "invalid_request_error", param: "after_id" } },
    });
  });

  test("keep OpenAI's shape for OpenAI's clients", async () => {
    const other = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: server.key });
    expect(await other.models.retrieve("own/chat")).toMatchObject({ object: "model", owned_by: "own" });
    const response = await server.send("GET", "/models", { key: null });
    expect([await response.json(), response.headers.get("vary")]).toMatchObject([
      { object: "list" },
      varyOfModels,
    ]);
  });
});

describe("helpers of the client", () => {
  test.each(["own/chat", "own/claude"])(
    "a stream of %s reports text, blocks and the whole message",
    async (model) => {
      const heard: string[] = [];
      const stream = client.messages
        .stream({ ...usual, model })
        .on("text", (text) => heard.push(text))
        .on("contentBlock", ({ type }) => heard.push(`<${type}>`));
      const message = await stream.finalMessage();
      const said = await stream.finalText();
      expect(heard.length).toBeGreaterThan(2);
      expect(heard.join("")).toBe(`${said}<text>`);
      expect(message).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: said }] });
    },
  );

  test("a long input of a tool comes in pieces that add up to it", async () => {
    const input = { city: "Ghent ☀️ ".repeat(2_000) };
    own.said = {
      calls: [{ id: "call_1", name: "weather", arguments: JSON.stringify(input) }],
      finish: "tool_calls",
    };
    const pieces: string[] = [];
    const message = await client.messages
      .stream({ ...usual, tools: [weather] })
      .on("inputJson", (piece) => pieces.push(piece))
      .finalMessage();
    expect(pieces.length).toBeGreaterThan(100);
    expect(JSON.parse(pieces.join(""))).toEqual(input);
    expect(message.content).toMatchObject([{ type: "tool_use", input }]);
  });

  test.each(["own/chat", "own/claude"])(
    "the tool runner calls the tools of %s until it answers",
    async (model) => {
      own.said = {
        calls: [
          { id: "call_1", name: "weather", arguments: '{"city":"Ghent"}' },
          { id: "call_2", name: "weather", arguments: '{"city":"Bruges"}' },
        ],
        finish: "tool_calls",
      };
      const cities: string[] = [];
      const tool = betaTool({
        name: "weather",
        description: "The weather of a city",
        inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        run({ city }) {
          cities.push(city);
          own.said = { content: "Sunny everywhere", finish: "stop" };
          return "sunny";
        },
      });
      const answer = await client.beta.messages.toolRunner({ ...usual, model, tools: [tool] }).runUntilDone();
      expect(answer.stop_reason).toBe("end_turn");
      expect(cities).toEqual(model === "own/chat" ? ["Ghent", "Bruges"] : ["Orléans"]);
      const results = { messages: [{}, {}, { role: "tool" }, { role: "tool" }] };
      if (model === "own/chat") expect(own.asked()).toMatchObject(results);
      expect(mock.judged.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    },
  );

  test("a conversation that the server should hold is refused, so that clients send all of it", async () => {
    const asked = { ...usual, thread: { type: "create" } as const };
    expect(await thrown(client.beta.messages.create(asked).then())).toMatchObject({
      status: 400,
      error: {
        error: {
          param: "thread",
          details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
        },
      },
    });
    expect((await client.beta.messages.create({ ...usual, thread: null })).content).toHaveLength(1);
  });

  test("an answer in a format is parsed", async () => {
    own.said = { content: '{"city":"Ghent"}', finish: "stop" };
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    } as const;
    const message = await client.messages.parse({
      ...usual,
      output_config: { format: jsonSchemaOutputFormat(schema) },
    });
    expect(message.parsed_output).toEqual({ city: "Ghent" });
    expect(own.asked()).toMatchObject({ response_format: { type: "json_schema", json_schema: { schema } } });
  });

  test("an aborted stream ends at the provider", async () => {
    let closed = false;
    own.upstream.answer = (response) => {
      response.on("close", () => {
        closed = true;
      });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n');
    };
    const stream = client.messages.stream(usual);
    stream.on("text", () => stream.abort());
    expect(await thrown(stream.finalMessage())).toBeInstanceOf(Anthropic.APIUserAbortError);
    await expect.poll(() => closed).toBe(true);
  });
});

describe("errors and retries of the client", () => {
  test("a key is accepted as a token", async () => {
    const bearer = new Anthropic({ baseURL, authToken: server.key, apiKey: null, maxRetries: 0 });
    expect((await bearer.messages.create(usual)).content).toMatchObject([{ text: "Hello" }]);
  });

  test("a request is sent again when its provider says so", async () => {
    let refusals = 1;
    own.upstream.answer = (response, received) => {
      if (refusals-- > 0)
        return void response
          .writeHead(429, { "content-type": "application/json", "retry-after": "0" })
          .end('{"error":{"message":"slow down"}}');
      answersOf(response, received);
    };
    const before = own.upstream.received.length;
    const patient = new Anthropic({ baseURL, apiKey: server.key, maxRetries: 3 });
    expect((await patient.messages.create(usual)).content).toMatchObject([{ text: "Hello" }]);
    expect(own.upstream.received.length - before).toBe(2);
  });

  test.each([
    ["batches", () => client.messages.batches.create({ requests: [{ custom_id: "a", params: usual }] })],
    ["a batch", () => client.messages.batches.retrieve("msgbatch_1")],
    ["files", () => client.beta.files.list().then()],
  ])("%s are not found, in the client's own class of errors", async (_, asked) => {
    const error = await thrown(asked());
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
  });
});
