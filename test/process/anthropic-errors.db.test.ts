import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { startChatUpstream } from "#test/messages/chat-upstream.ts";
import { hi, weather } from "#test/messages/scenario.ts";
import { startTestServer } from "./server.ts";

const own = await startChatUpstream();
const server = await startTestServer(own);
const client = new Anthropic({ baseURL: `${server.origin}/api`, apiKey: server.key, maxRetries: 0 });
const usual = { model: "own/chat", max_tokens: 64, messages: hi };

describe("errors", () => {
  const stranger = new Anthropic({ baseURL: `${server.origin}/api`, apiKey: "ptl_wrong", maxRetries: 0 });
  const webSearch: Anthropic.ToolUnion = { type: "web_search_20250305", name: "web_search" };
  const failing = (status: number, message = "no") => {
    own.said = { finish: "stop", error: { status, message } };
    return client.messages.create(usual);
  };
  const image: Anthropic.ContentBlockParam = {
    type: "image",
    source: { type: "file", file_id: "file_1" },
  } as never;

  test.each([
    ["a wrong key", () => stranger.messages.create(usual), 401, "authentication_error", "key"],
    [
      "an unknown model",
      () => client.messages.create({ ...usual, model: "no/model" }),
      404,
      "not_found_error",
      "no/model",
    ],
    [
      "no messages",
      () => client.messages.create({ ...usual, messages: [] }),
      400,
      "invalid_request_error",
      "messages",
    ],
    [
      "a missing limit",
      () => client.messages.create({ ...usual, max_tokens: undefined as never }),
      400,
      "invalid_request_error",
      "max_tokens: is required",
    ],
    [
      "a block without its text",
      () =>
        client.messages.create({
          ...usual,
          messages: [{ role: "user", content: [{ type: "text" } as never] }],
        }),
      400,
      "invalid_request_error",
      "messages.0.content.0.text",
    ],
    [
      "a message thread",
      () => client.messages.create({ ...usual, thread: { type: "create" } } as never),
      400,
      "invalid_request_error",
      "thread: is not supported",
    ],
    [
      "a server tool",
      () => client.messages.create({ ...usual, tools: [weather, webSearch] }),
      400,
      "invalid_request_error",
      "tools.1.type",
    ],
    [
      "a file of Anthropic's",
      () => client.messages.create({ ...usual, messages: [{ role: "user", content: [image] }] }),
      400,
      "invalid_request_error",
      "messages.0.content.0.type",
    ],
    ["a request the provider refuses", () => failing(400), 400, "invalid_request_error", "provider"],
    [
      "a full window",
      () => failing(400, "maximum context length"),
      400,
      "invalid_request_error",
      "prompt is too long",
    ],
    ["a provider's rate limit", () => failing(429), 429, "rate_limit_error", "rate limit"],
    ["a provider that fails", () => failing(500), 502, "api_error", "provider"],
    ["an overloaded provider", () => failing(529), 503, "overloaded_error", "overloaded"],
  ] as const)("%s", async (_, asking, status, type, words) => {
    const error = await asking().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Anthropic.APIError)) throw new Error("It is no error of the client's");
    const body = error.error as {
      type: string;
      error: { type: string; message: string };
      request_id: string;
    };
    expect([error.status, body.type, body.error.type]).toEqual([status, "error", type]);
    expect(body.error.message).toContain(words);
    expect(error.requestID).toBe(body.request_id);
  });

  test("a path of this API that does not exist, and a wrong method, have the same shape", async () => {
    for (const [method, path, status] of [
      ["POST", "/messages/batches", 404],
      ["GET", "/messages", 405],
    ] as const) {
      const response = await server.send(method, path, method === "POST" ? { body: "{}" } : {});
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ type: "error", error: { type: expect.any(String) } });
    }
  });

  test("a failure in the middle of a stream is an event of its own, and the client throws it", async () => {
    own.upstream.answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n');
      response.end('data: {"error":{"message":"overloaded","code":529}}\n\n');
    };
    const response = await server.post("/messages", { ...usual, stream: true });
    const last = (await response.text()).trim().split("\n\n").at(-1) ?? "";
    const [, name, data = ""] = /^event: (.+)\ndata: (.+)$/.exec(last) ?? [];
    expect([name, JSON.parse(data)]).toMatchObject([
      "error",
      { type: "error", error: { type: "overloaded_error" }, request_id: expect.any(String) },
    ]);
    await expect(client.messages.stream(usual).finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
  });
});
