import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import OpenAI from "openai";
import { afterAll, describe, expect, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { until } from "#test/until.ts";
import { startTestServer } from "./server.ts";

vi.mock(import("#server/platform/limits.ts"), async (original) => {
  const { limits } = await original();
  return { limits: { ...limits, stream: { ...limits.stream, beginAfterMs: 200, heartbeatMs: 100 } } };
});

/** How long the providers think before they say anything, and what the first of them says then. */
const thinkMs = 600;
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const choice = (delta: object, finish_reason: string | null = null) => ({
  id: "c",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});
const answer = `${event(choice({ content: "At " }))}${event(choice({ content: "last" }))}${event(choice({}, "stop"))}data: [DONE]\n\n`;

const upstream = await startUpstream();
afterAll(() => upstream.close());
const closed: string[] = [];
upstream.answer = (response, { path, body }) => {
  const { model } = body as { model: string };
  response.on("close", () => closed.push(model));
  const fails = model === "down" || (model.startsWith("first-down") && path.startsWith("/first"));
  const say = () =>
    fails
      ? response.writeHead(503).end()
      : response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
  if (model === "quick") say();
  else setTimeout(say, thinkMs);
};

// A provider that failed is left alone for a while, so each path has a model of its own.
const names = ["quick", "thinks", "first-down-0", "first-down-1", "first-down-2", "down"];
const server = await startTestServer({
  settings: { FIRST_API_KEY: "secret", SECOND_API_KEY: "secret", ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
  overlay: {
    providers: ["first", "second"].map((slug) => ({
      slug,
      name: slug,
      base_url: `${upstream.origin}/${slug}`,
      apis: ["chat"],
      training: false,
      retention_days: 0,
    })),
    models: names.map((name) => ({ id: `test/${name}`, context_length: 131_072 })),
    endpoints: ["first", "second"].flatMap((provider, at) =>
      names.map((name) => ({
        provider,
        model: `test/${name}`,
        upstream_model: name,
        price: { currency: "EUR", input: `${at + 1}`, output: `${at + 1}` },
      })),
    ),
  },
});

const sorted = { provider: { sort: "price" } };
const asked = {
  "/completions": { prompt: "Why?" },
  "/chat/completions": { messages: [{ role: "user", content: "Why?" }] },
  "/responses": { input: "Why?" },
} as const;
type Path = keyof typeof asked;
const paths = Object.keys(asked) as Path[];
const post = (path: Path, name: string, headers?: Record<string, string>, signal?: AbortSignal) =>
  server.post(
    path,
    { model: `test/${name}`, stream: true, ...sorted, ...asked[path] },
    { ...(headers && { headers }), ...(signal && { signal }) },
  );

const ending = /\n\ndata: \[DONE\]\n\n$/;

describe.each(paths)("%s", (path) => {
  test("a stream begins with comments while its provider thinks, and brings the answer then", async () => {
    const sinceMs = clock.monotonicMs();
    const response = await post(path, "thinks");
    expect(clock.monotonicMs() - sinceMs).toBeLessThan(thinkMs);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(response.headers.get("x-provider-slug")).toBeNull();
    const text = await response.text();
    expect(text).toMatch(/^: keep-alive\n\n: keep-alive\n\n/);
    expect(text).toMatch(ending);
    expect(text).toContain("last");
    expect(await server.record(response.headers.get("x-generation-id"))).toMatchObject({
      status: "completed",
      provider: "first",
      http_status: 200,
    });
  });

  test("the next provider still answers for one that failed after it had thought", async () => {
    const response = await post(path, `first-down-${paths.indexOf(path)}`);
    expect(response.headers.get("x-provider-slug")).toBeNull();
    expect(await response.text()).toMatch(ending);
    const record = await server.record(response.headers.get("x-generation-id"));
    expect(record).toMatchObject({ status: "completed", provider: "second" });
    expect(record.attempts.map(({ outcome }) => outcome)).toEqual(["overloaded", "ok"]);
  });

  test("a provider that answers immediately is named in the headers", async () => {
    const response = await post(path, "quick");
    expect(response.headers.get("x-provider-slug")).toBe("first");
    expect(await response.text()).not.toContain("keep-alive");
  });

  test("if no provider answers, the stream ends in one error, after which a retry is possible", async () => {
    const retry = { "idempotency-key": `thinking-${paths.indexOf(path)}` };
    for (const _ of [1, 2]) {
      const response = await post(path, "down", retry);
      expect(response.status).toBe(200);
      expect(response.headers.get("idempotency-replayed")).toBeNull();
      const text = await response.text();
      expect(text.match(/^data: .*"error":\{"code"/gm)).toHaveLength(1);
      if (path !== "/responses") expect(text).not.toContain("[DONE]");
      const record = await server.record(response.headers.get("x-generation-id"));
      expect(record).toMatchObject({
        status: "failed",
        error_code: "SERVICE_UNAVAILABLE",
        http_status: 200,
        cost_pico_eur: 0n,
      });
    }
  });

  test("a client that leaves while its provider thinks is not waited for", async () => {
    const leaving = new AbortController();
    const response = await post(path, "thinks", {}, leaving.signal);
    closed.length = 0;
    leaving.abort();
    await until(() => expect(closed).toContain("thinks"));
    const record = await until(() => server.record(response.headers.get("x-generation-id")));
    expect(record).toMatchObject({ status: "cancelled", cost_pico_eur: 0n });
  });
});

describe("clients as they are", () => {
  const chat = (name: string) =>
    server.client.chat.completions.create({
      model: `test/${name}`,
      stream: true,
      ...sorted,
      messages: [{ role: "user", content: "Why?" }],
    });

  test("OpenAI's reads an answer behind comments, and raises the error in its place", async () => {
    let text = "";
    for await (const { choices } of await chat("thinks")) text += choices[0]?.delta.content ?? "";
    expect(text).toBe("At last");
    const read = async () => {
      for await (const _ of await chat("down"));
    };
    await expect(read()).rejects.toThrow(OpenAI.APIError);
    await expect(read()).rejects.toMatchObject({
      error: { code: 503, metadata: { code: "SERVICE_UNAVAILABLE" } },
    });
  });

  test("OpenAI's reads responses so too", async () => {
    const ask = (name: string) =>
      server.client.responses.stream({ model: `test/${name}`, input: "Why?", ...sorted } as {
        model: string;
        input: string;
      });
    expect((await ask("thinks").finalResponse()).output_text).toBe("At last");
    const types: string[] = [];
    for await (const { type } of ask("down")) types.push(type);
    expect(types).toEqual(["response.created", "response.in_progress", "response.failed"]);
  });

  test("the AI SDK reads an answer after comments, and reports the error instead of one", async () => {
    const openai = createOpenAI({ baseURL: `${server.origin}/api/v1`, apiKey: server.key });
    for (const model of [openai.chat("test/thinks"), openai.responses("test/thinks")])
      expect(await streamText({ model, prompt: "Why?" }).text).toBe("At last");
    for (const model of [openai.chat("test/down"), openai.responses("test/down")]) {
      const errors: unknown[] = [];
      const { textStream } = streamText({
        model,
        prompt: "Why?",
        maxRetries: 0,
        onError: ({ error }) => void errors.push(error),
      });
      for await (const _ of textStream);
      expect(errors.length).toBeGreaterThan(0);
    }
  });
});
