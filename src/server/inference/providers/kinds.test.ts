import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { EmbeddingRequest } from "#contract/embeddings.ts";
import { clock } from "#server/platform/clock.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import type { Dialect, Scene, Sent } from "#test/dialects/dialect.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import { dialects } from "#test/dialects/index.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { toAttemptError } from "../pipeline/failures.ts";
import { type ChatChunk, nativeChat } from "../wires/openai-chat/wire.ts";
import { nativeEmbeddings } from "../wires/openai-embeddings/wire.ts";
import type { Json } from "../wires/shared/json.ts";
import type { Exchange, Upstream } from "./kind.ts";
import { providerKinds } from "./registry.ts";

const upstream = await startUpstream();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.received.length = 0;
});

const scene: Scene = {
  reasoning: ["Let me ", "think."],
  text: ["Bon", "jour", " le monde — ", "☀️"],
  call: null,
  usage: { prompt: 20, cacheRead: 8, completion: 12, reasoning: 0 },
};
const calling: Scene = {
  ...scene,
  call: { id: "call_1", name: "weather", input: ['{"city"', ':"Pa', 'ris"}'] },
};

const request = (own: object = {}): ChatRequest =>
  ChatRequest.parse({ model: "m/x", messages: [{ role: "user", content: "Hello there" }], ...own });
const tools = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "Looks outside",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

function made({ kind, basePath, credential }: Dialect, api: "chat" | "embeddings" = "chat") {
  const at = endpoint(
    provider("theirs", { kind, baseUrl: upstream.origin + basePath }),
    model("m/x", { supportedParameters: [] }),
    { upstreamModel: "model-of-theirs" },
  );
  const way = providerKinds.get(kind)?.upstream(at, api, credential);
  if (!way) throw new Error(`${kind} does not speak ${api}`);
  return { way, at };
}

const exchange = (body: Json, own: Partial<Exchange> = {}) => exchangeWith(outbound, body, own);

/** Sends a body as it is, or in pieces of so many bytes. */
const sends =
  ({ type, body }: Sent, pieceBytes = body.length) =>
  (response: ServerResponse) => {
    response.writeHead(200, { "content-type": type });
    for (let from = 0; from < body.length; from += pieceBytes)
      response.write(body.subarray(from, from + pieceBytes));
    response.end();
  };

async function complete(dialect: Dialect, own: object = {}, more: Partial<Exchange> = {}) {
  const { way, at } = made(dialect);
  const body = nativeChat.encode(request(own), at, 64, false);
  return nativeChat.reader(request()).answer(await way.complete(exchange(body, more)));
}

/** Everything a stream brought, and whether its provider ended it. */
async function streamed(dialect: Dialect, own: object = {}, more: Partial<Exchange> = {}) {
  const { way, at } = made(dialect);
  const body = nativeChat.encode(request({ stream: true, ...own }), at, 64, true);
  return collect(way, exchange(body, more));
}

async function collect(way: Upstream, given: Exchange) {
  const reader = nativeChat.reader(request());
  const parts: ChatChunk[] = [];
  const events = way.stream(given);
  for (;;) {
    const { value, done } = await events.next();
    if (done)
      return { parts: reader.finished() ? [...parts, reader.end()] : parts, ended: reader.finished() };
    for (const event of value) {
      const part = reader.event(event);
      if (part) parts.push(part);
    }
  }
}

const contentOf = (parts: readonly ChatChunk[], field: string): string =>
  parts
    .flatMap(({ choices }) => choices.map(({ delta }) => delta?.[field]))
    .filter((piece) => typeof piece === "string")
    .join("");

const failing = async (attempt: Promise<unknown>) => {
  try {
    await attempt;
  } catch (error) {
    return toAttemptError(error);
  }
  throw new Error("It did not fail");
};

describe.each(dialects.map((dialect) => [dialect.kind, dialect] as const))("%s", (_kind, dialect) => {
  const usage = {
    uncached: 12,
    cacheRead: 8,
    cacheWrite: 0,
    completion: 12,
    estimated: false,
  };
  const reasoning = dialect.hasReasoning ? "Let me think." : undefined;

  test("an odd credential is sent or is the provider's failure, and never one of ours", async () => {
    for (const credential of [
      ":",
      "a:",
      ":b",
      "a::c",
      "a:b:",
      "a:b:c",
      "a:b:c:d",
      "{}",
      "%zz",
      "=",
      "x".repeat(4096),
    ]) {
      upstream.answer = sends(dialect.complete(scene));
      const odd = { ...dialect, credential };
      const answer = await complete(odd).catch((error: unknown) => toAttemptError(error));
      const stream = await streamed(odd).catch((error: unknown) => toAttemptError(error));
      expect([answer, stream]).toHaveLength(2);
    }
  });

  test("a whole answer comes as OpenAI's, asked for with the credential in its place", async () => {
    upstream.answer = sends(dialect.complete(scene));
    const answer = await complete(dialect, { temperature: 0.5 });
    expect(answer).toMatchObject({ finishReason: "stop", hasContent: true, usage });
    expect(answer?.choices).toHaveLength(1);
    expect(answer.choices[0]?.message).toEqual({
      role: "assistant",
      content: "Bonjour le monde — ☀️",
      ...(reasoning !== undefined && { reasoning }),
    });
    const [asked] = upstream.received;
    expect(asked?.path).toMatch(dialect.completePath);
    expect(asked?.headers[dialect.auth[0]]).toBe(dialect.auth[1]);
    expect(asked?.headers["x-portolan-generation"]).toBe("0190a000-0000-7000-8000-000000000001");
    expect(dialect.asked.text(asked?.body)).toBe("Hello there");
    expect(dialect.asked.maxTokens(asked?.body)).toBe(64);
  });

  test.each([1, 7, 1_000_000])(
    "a stream in pieces of %i bytes comes whole, in order and with its usage",
    async (bytes) => {
      upstream.answer = sends(dialect.stream(scene, true), bytes);
      const { parts, ended } = await streamed(dialect);
      expect(ended).toBe(true);
      expect(contentOf(parts, "content")).toBe("Bonjour le monde — ☀️");
      expect(contentOf(parts, "reasoning") || undefined).toBe(reasoning);
      expect(parts.findLast((part) => part.usage)?.usage).toMatchObject(usage);
      expect(parts.map(({ finishReason }) => finishReason).filter(Boolean)).toEqual(["stop"]);
      expect(upstream.received[0]?.path.startsWith(dialect.streamPath)).toBe(true);
    },
  );

  test("a stream that stops without the provider's word is not whole", async () => {
    upstream.answer = sends(dialect.stream(scene, false));
    const { ended } = await streamed(dialect).catch((error) => ({
      ended: toAttemptError(error).message === "",
    }));
    expect(ended).toBe(false);
  });

  test("a call of a tool comes with its arguments, whole and streamed", async () => {
    upstream.answer = sends(dialect.complete(calling));
    const answer = await complete(dialect, { tools, tool_choice: "auto" });
    expect(dialect.asked.toolNames(upstream.received[0]?.body)).toEqual(["weather"]);
    const arguments_ = (text: unknown) => JSON.parse(String(text));
    const [call] = (answer?.choices[0]?.message?.tool_calls ?? []) as Json[];
    expect(call).toMatchObject({ type: "function", function: { name: "weather" } });
    expect(arguments_((call as { function?: Json }).function?.arguments)).toEqual({ city: "Paris" });
    expect(answer?.finishReason).toBe("tool_calls");

    upstream.answer = sends(dialect.stream(calling, true), 11);
    const { parts } = await streamed(dialect, { tools });
    const deltas = parts.flatMap(({ choices }) =>
      choices.flatMap(({ delta }) => (delta?.tool_calls ?? []) as Json[]),
    );
    expect(deltas[0]).toMatchObject({ index: 0, type: "function", function: { name: "weather" } });
    const text = deltas.map(({ function: piece }) => (piece as Json).arguments ?? "").join("");
    expect(arguments_(text)).toEqual({ city: "Paris" });
    expect(parts.findLast((part) => part.finishReason)?.finishReason).toBe("tool_calls");
  });

  test("the answer of a tool goes back to the provider under its call", async () => {
    upstream.answer = sends(dialect.complete(scene));
    await complete(dialect, {
      tools,
      messages: [
        { role: "user", content: "Weather in Paris?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "Sunny, 21 °C" },
      ],
    });
    expect(dialect.asked.toolAnswer(upstream.received[0]?.body)).toBe("Sunny, 21 °C");
  });

  test("an image in data and a schema for the answer reach the provider", async () => {
    upstream.answer = sends(dialect.complete(scene));
    const png = "iVBORw0KGgo=";
    await complete(dialect, {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          ],
        },
      ],
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "thing",
          schema: { type: "object", properties: { odd_name: { type: "string" } } },
        },
      },
    });
    const body = JSON.stringify(upstream.received[0]?.body);
    expect(body).toContain(png);
    expect(body).toContain("odd_name");
  });

  test.each([
    [401, "credential", "PROVIDER_ERROR", "endpoint"],
    [403, "credential", "PROVIDER_ERROR", "endpoint"],
    [404, "model_missing", "PROVIDER_ERROR", "endpoint"],
    [429, "rate_limited", "RATE_LIMIT_EXCEEDED", "endpoint"],
    [500, "server_error", "PROVIDER_ERROR", "endpoint"],
    [503, "overloaded", "SERVICE_UNAVAILABLE", "endpoint"],
    [302, "server_error", "PROVIDER_ERROR", "endpoint"],
    [400, "rejected", "BAD_REQUEST", "never"],
  ] as const)(
    "%i is %s, and neither the credential nor their words are told",
    async (status, outcome, code, retry) => {
      upstream.answer = (response) =>
        response
          .writeHead(status, {
            "content-type": "application/json",
            "retry-after": "7",
            location: "http://10.0.0.1/",
          })
          .end(
            JSON.stringify({ error: { message: `Secret detail about ${dialect.credential}`, type: "x" } }),
          );
      for (const attempt of [complete(dialect), streamed(dialect)]) {
        const error = await failing(attempt);
        expect(error.failure).toMatchObject({ outcome, code, retry, status, retryAfterMs: 7_000 });
        const reported = inspect(error, { depth: 10, showHidden: true });
        expect(reported).not.toContain("Secret detail");
        expect(reported).not.toContain(dialect.credential);
      }
      expect(upstream.received).toHaveLength(2);
    },
  );

  test("a prompt over the context window is told as that", async () => {
    upstream.answer = (response) =>
      response.writeHead(400).end('{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}');
    expect((await failing(complete(dialect))).failure).toMatchObject({
      outcome: "context_length",
      retry: "model",
    });
  });

  test.each(["<!doctype html><title>Sign in</title>", '{"unexpected":1}', "{", ""])(
    "an answer that is %o is malformed",
    async (body) => {
      upstream.answer = sends({ type: "application/json", body: Buffer.from(body) });
      const answer = await complete(dialect).catch((error) => toAttemptError(error).failure.outcome);
      // What has no content is refused by whoever reads it.
      expect(typeof answer === "string" ? answer : answer?.hasContent || "malformed").toBe("malformed");
    },
  );

  test("no answer in time is a timeout, a connection that breaks is cut", async () => {
    upstream.answer = () => {};
    const deadlineMs = clock.monotonicMs() + 150;
    for (const error of await Promise.all([
      failing(complete(dialect, {}, { deadlineMs })),
      failing(streamed(dialect, {}, { deadlineMs })),
    ]))
      expect(error.failure).toMatchObject({
        outcome: "timeout",
        code: "PROVIDER_TIMEOUT",
      });

    const half = (sent: Sent) => (response: ServerResponse) => {
      response.writeHead(200, { "content-type": sent.type, "content-length": sent.body.length });
      response.write(sent.body.subarray(0, sent.body.length >> 1), () => response.destroy());
    };
    upstream.answer = half(dialect.complete(scene));
    expect((await failing(complete(dialect))).failure.outcome).toBe("cut");
    upstream.answer = half(dialect.stream(scene, true));
    expect((await failing(streamed(dialect))).failure.outcome).toBe("cut");
  });

  test("a reader that leaves, and a client that does, close the connection", async () => {
    const closed = vi.fn();
    const { type, body } = dialect.stream(scene, false);
    upstream.answer = (response) => {
      response.on("close", closed);
      response.writeHead(200, { "content-type": type });
      response.write(body);
    };
    const { way, at } = made(dialect);
    const encoded = nativeChat.encode(request({ stream: true }), at, 64, true);
    const events = way.stream(exchange(encoded));
    await events.next();
    await events.return();
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1), 1_000);

    const leaving = new AbortController();
    const others = way.stream(exchange(encoded, { signal: leaving.signal }));
    await others.next();
    const rest = failing(
      (async () => {
        while (!(await others.next()).done);
      })(),
    );
    leaving.abort();
    expect((await rest).failure.outcome).toBe("aborted");
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2), 1_000);
  });

  test("the address guard holds", async () => {
    const guarded = new Outbound(allowedHosts([]));
    expect((await failing(complete(dialect, {}, { outbound: guarded }))).failure.outcome).toBe("blocked");
    expect((await failing(streamed(dialect, {}, { outbound: guarded }))).failure.outcome).toBe("blocked");
    expect(upstream.received).toHaveLength(0);
    await guarded.close();
  });

  const { embeddings } = dialect;
  test.runIf(embeddings)("embeddings come in order, as numbers or as base64", async () => {
    upstream.answer = sends(
      embeddings?.answer([
        [0.5, -1],
        [0.25, 2],
      ]) as Sent,
    );
    const { way } = made(dialect, "embeddings");
    const input = ["one", "two"];
    const asking = EmbeddingRequest.parse({ model: "m/x", input });
    const answer = await way.complete(exchange({ model: "model-of-theirs", input }));
    expect(nativeEmbeddings.reader(asking).answer(answer).vectors).toEqual(["[0.5,-1]", "[0.25,2]"]);
    expect(upstream.received[0]?.path.startsWith(embeddings?.path ?? "?")).toBe(true);
    expect(upstream.received[0]?.headers[dialect.auth[0]]).toBe(dialect.auth[1]);
  });
});

test("every kind that can chat is in this suite", () => {
  const covered = dialects.map(({ kind }) => kind);
  const chatting = [...providerKinds.values()].filter(({ kind, upstream: open }) => {
    const at = endpoint(provider("theirs", { kind }), model("m/x"));
    return open(at, "chat", "key") !== null && !covered.includes(kind);
  });
  expect(chatting).toEqual([]);
});
