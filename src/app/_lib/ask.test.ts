import { afterEach, describe, expect, test, vi } from "vitest";
import { type InferenceCall, stubInference } from "#test/console/inference.ts";
import { type Answer, ask } from "./inference.ts";

afterEach(() => vi.unstubAllGlobals());

const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const usage = { cost: 0.002, cost_eur: 0.0018, prompt_tokens: 3, completion_tokens: 2 };

/** One request, whose answers are collected as they come. */
async function sent(body: unknown = { model: "a/b" }) {
  const calls = stubInference();
  const controller = new AbortController();
  const answers: Answer[] = [];
  const ended = (async () => {
    for await (const answer of ask("/chat/completions", body, controller.signal)) answers.push(answer);
  })();
  const call = await vi.waitFor((): InferenceCall => {
    const [first] = calls;
    if (!first) throw new Error("nothing was sent");
    return first;
  });
  const last = async () => {
    await ended;
    return answers.at(-1);
  };
  return { call, answers, controller, last };
}

test("a request goes to the playground's route with its body", async () => {
  const { call, last } = await sent({ model: "a/b", messages: [] });
  call.json({});
  await last();
  expect(call.path).toBe("/api/playground/chat/completions");
  expect(call.body).toEqual({ model: "a/b", messages: [] });
});

describe("a complete answer", () => {
  test("is one value, with how it was routed from the headers", async () => {
    const { call, last, answers } = await sent();
    call.json(
      { choices: [{ message: { content: "Hello" } }], usage },
      {
        headers: {
          "x-generation-id": "gen",
          "x-provider-slug": "alpha",
          "x-routing-strategy": "price",
          "x-fallback-count": "2",
        },
      },
    );
    expect(await last()).toMatchObject({
      text: "Hello",
      usage: { cost: 0.002, cost_eur: 0.0018, tokensIn: 3, tokensOut: 2 },
      generationId: "gen",
      provider: "alpha",
      strategy: "price",
      fallbacks: 2,
      failure: null,
      done: true,
    });
    expect(answers).toHaveLength(1);
  });

  test("that is not JSON is an answer that could not be read", async () => {
    const { call, last } = await sent();
    call.text("<html>");
    expect((await last())?.failure).toEqual({
      code: "PROVIDER_ERROR",
      message: "The answer could not be read.",
      requestId: null,
    });
  });

  test("without routing headers has none of their values", async () => {
    const { call, last } = await sent();
    call.json({});
    expect(await last()).toMatchObject({ generationId: null, provider: null, strategy: null, fallbacks: 0 });
  });
});

describe("a streamed answer", () => {
  test("grows with each event, and is done once at its end", async () => {
    const { call, last, answers } = await sent();
    const events = call.stream({ headers: { "x-generation-id": "gen" } });
    events.send(chunk("Hel"));
    await vi.waitFor(() => expect(answers.at(-1)?.text).toBe("Hel"));
    expect(answers.at(-1)).toMatchObject({ done: false, generationId: "gen", usage: null });
    events.send(chunk("lo"));
    await vi.waitFor(() => expect(answers.at(-1)?.text).toBe("Hello"));
    events.send({ choices: [], usage });
    events.end();
    expect(await last()).toMatchObject({ text: "Hello", done: true, failure: null });
    expect(answers.filter(({ done }) => done)).toHaveLength(1);
  });

  test("is read across the borders of network chunks, even inside a character", async () => {
    const { call, last } = await sent();
    const events = call.stream();
    const bytes = new TextEncoder().encode(`data: ${JSON.stringify(chunk("Grüße"))}\n\n`);
    const insideCharacter = bytes.findIndex((byte) => byte > 127) + 1;
    events.sendBytes(bytes.slice(0, insideCharacter));
    events.sendBytes(bytes.slice(insideCharacter));
    events.end();
    expect((await last())?.text).toBe("Grüße");
  });

  test("has the time of its first content, which comments and empty events are not", async () => {
    const { call, last, answers } = await sent();
    const events = call.stream();
    events.sendText(": waiting\n\n");
    events.send({ choices: [] });
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(0));
    expect(answers.at(-1)?.firstContentMs).toBeNull();
    events.send(chunk("x"));
    await vi.waitFor(() => expect(answers.at(-1)?.firstContentMs).not.toBeNull());
    const first = answers.at(-1)?.firstContentMs;
    events.send(chunk("y"));
    events.end();
    expect((await last())?.firstContentMs).toBe(first);
  });

  test("that breaks off keeps its text beside the lost connection", async () => {
    const { call, last, answers } = await sent();
    const events = call.stream();
    events.send(chunk("Hel"));
    await vi.waitFor(() => expect(answers.at(-1)?.text).toBe("Hel"));
    events.disconnect();
    expect(await last()).toMatchObject({
      text: "Hel",
      failure: { code: "UNREACHABLE", message: "The connection was lost." },
      done: true,
    });
  });

  test("with an error event keeps its text beside the provider's message", async () => {
    const { call, last } = await sent();
    const events = call.stream();
    events.send(chunk("Hel"));
    events.send({ choices: [], error: { code: 502, message: "cut off" } });
    events.end();
    expect(await last()).toMatchObject({ text: "Hel", failure: { message: "cut off" } });
  });

  test("with an event that is not JSON could not be read", async () => {
    const { call, last } = await sent();
    const events = call.stream();
    events.sendText("data: {broken\n\n");
    expect((await last())?.failure?.message).toBe("The answer could not be read.");
  });
});

describe("a refused request", () => {
  test.each([
    [
      "with the server's envelope",
      403,
      { error: { code: "FORBIDDEN", message: "Not yours" }, requestId: "req_1" },
      {},
      { code: "FORBIDDEN", message: "Not yours", requestId: "req_1" },
    ],
    [
      "with its request ID in the header only",
      402,
      { error: { code: "INSUFFICIENT_QUOTA", message: "No credit" } },
      { "x-request-id": "req_2" },
      { code: "INSUFFICIENT_QUOTA", message: "No credit", requestId: "req_2" },
    ],
    [
      "without words",
      502,
      {},
      {},
      { code: "PROVIDER_ERROR", message: "The server answered with 502.", requestId: null },
    ],
  ])("%s is the answer's failure", async (_what, status, body, headers, failure) => {
    const { call, last } = await sent();
    call.json(body, { status, headers });
    expect(await last()).toMatchObject({ failure, done: true, text: "" });
  });

  test("with a page instead of JSON is reported with its status", async () => {
    const { call, last } = await sent();
    call.text("<h1>Bad gateway</h1>", { status: 502 });
    expect((await last())?.failure?.message).toBe("The server answered with 502.");
  });
});

describe("a request that is stopped", () => {
  test("before its answer is stopped, not failed", async () => {
    const { controller, last } = await sent();
    controller.abort();
    expect(await last()).toMatchObject({ failure: { code: "STOPPED", message: "Stopped." }, done: true });
  });

  test("during its answer keeps the text that was there", async () => {
    const { call, controller, last, answers } = await sent();
    call.stream().send(chunk("Hel"));
    await vi.waitFor(() => expect(answers.at(-1)?.text).toBe("Hel"));
    controller.abort();
    expect(await last()).toMatchObject({ text: "Hel", failure: { code: "STOPPED" }, done: true });
  });
});

test("a server that cannot be reached is a lost connection", async () => {
  const { call, last } = await sent();
  call.disconnect();
  expect((await last())?.failure).toEqual({
    code: "UNREACHABLE",
    message: "The connection was lost.",
    requestId: null,
  });
});
