import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { faults, type Sandbox, startSandbox } from "./index.ts";

let sandbox: Sandbox;
const dispatcher = new Agent({ keepAliveTimeout: 1 });

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  await dispatcher.destroy();
  await sandbox.close();
});

const prompt = { model: "sandbox/chat", prompt: "Where to?", seed: 5, max_tokens: 12 };
const streamed = { ...prompt, stream: true, stream_options: { include_usage: true } };

function post(fault: string, body: object, options: { site?: string; signal?: AbortSignal } = {}) {
  return request(`${sandbox.origin}/${options.site ?? "fr"}/v1/completions`, {
    method: "POST",
    dispatcher,
    signal: options.signal,
    headers: { "content-type": "application/json", "x-sandbox-fault": fault, "x-portolan-generation": fault },
    body: JSON.stringify(body),
  });
}

/** What came, and whether the connection ended as it should. */
async function outcome(fault: string, body: object, signal?: AbortSignal) {
  let text = "";
  try {
    const answer = await post(fault, body, { signal });
    const type = String(answer.headers["content-type"]);
    try {
      for await (const chunk of answer.body) text += chunk;
      return { status: answer.statusCode, headers: answer.headers, type, text, ended: true };
    } catch {
      return { status: answer.statusCode, headers: answer.headers, type, text, ended: false };
    }
  } catch {
    return { status: null, headers: {}, type: "", text, ended: false };
  }
}

const dataLines = (text: string) => text.split("\n\n").filter((line) => line.startsWith("data: "));
const usages = (text: string) => text.match(/"usage":\{/g)?.length ?? 0;
const seenOf = (fault: string) => sandbox.seen().findLast(({ generation }) => generation === fault);
const expectOutcome = (fault: string, expected: string) =>
  expect.poll(() => seenOf(fault)?.outcome, { interval: 5 }).toBe(expected);

test("refuse ends the connection before any byte, streamed or not", async () => {
  for (const body of [prompt, streamed]) {
    expect(await outcome("refuse", body)).toMatchObject({ status: null });
    await expectOutcome("refuse", "destroyed");
    expect(seenOf("refuse")).toMatchObject({ status: null, produced_tokens: 0 });
  }
});

test.for([
  ["401", 401],
  ["403", 403],
  ["404", 404],
  ["429:7", 429],
  ["500", 500],
  ["503", 503],
  ["overloaded", 529],
] as const)("%s answers that status with an error body", async ([fault, status]) => {
  const { text, headers, ...rest } = await outcome(fault, streamed);
  expect(rest).toMatchObject({ status, type: "application/json", ended: true });
  expect(JSON.parse(text)).toMatchObject({ error: { message: expect.stringContaining("Sandbox fault") } });
  if (status === 429) expect(headers).toHaveProperty("retry-after", "7");
});

test("stall sends no first byte until the client goes, or answers after the given time", async () => {
  const leaving = new AbortController();
  const pending = outcome("stall", prompt, leaving.signal);
  await expectOutcome("stall", "open");
  leaving.abort();
  expect(await pending).toMatchObject({ status: null });
  await expectOutcome("stall", "client_gone");
  expect(await outcome("stall:20", prompt)).toMatchObject({ status: 200, ended: true });
});

test("stall-midway gives three events and then nothing", async () => {
  const leaving = new AbortController();
  const answer = await post("stall-midway", streamed, { signal: leaving.signal });
  let text = "";
  for await (const chunk of answer.body.on("error", () => {})) {
    text += chunk;
    if (dataLines(text).length === 3) break;
  }
  expect(dataLines(text)).toHaveLength(3);
  leaving.abort();
  await expectOutcome("stall-midway", "client_gone");
  expect(seenOf("stall-midway")).toMatchObject({ produced_tokens: 3, completion_tokens: 12 });
});

test("cut delivers the events asked for and destroys the socket", async () => {
  const { text, ...rest } = await outcome("cut:5", streamed);
  expect(rest).toMatchObject({ status: 200, ended: false });
  expect(dataLines(text)).toHaveLength(5);
  await expectOutcome("cut:5", "destroyed");
  expect(seenOf("cut:5")).toMatchObject({ produced_tokens: 5, delivered_tokens: 5, completion_tokens: 12 });
  const plain = await outcome("cut", prompt);
  expect(plain).toMatchObject({ status: 200, ended: false });
  expect(plain.text).toMatch(/^\{"id"/);
});

test("no-done ends cleanly without finish_reason, usage and [DONE]", async () => {
  const { text, ended } = await outcome("no-done", streamed);
  expect(ended).toBe(true);
  expect(dataLines(text)).toHaveLength(12);
  expect(text).not.toMatch(/DONE|"finish_reason":"|"usage"/);
  const plain = JSON.parse((await outcome("no-done", prompt)).text);
  expect(plain.choices[0].finish_reason).toBeNull();
  expect(plain).not.toHaveProperty("usage");
});

test("malformed breaks the JSON of an event or of the body", async () => {
  const { text, ended } = await outcome("malformed", streamed);
  expect(ended).toBe(true);
  expect(() => JSON.parse(dataLines(text).at(-1)?.slice(6) ?? "")).toThrow(SyntaxError);
  const plain = await outcome("malformed", prompt);
  expect(() => JSON.parse(plain.text)).toThrow(SyntaxError);
});

test("error-200 is a good status with an error inside", async () => {
  const stream = await outcome("error-200", streamed);
  expect(stream).toMatchObject({ status: 200, type: "text/event-stream" });
  expect(dataLines(stream.text)).toEqual([expect.stringContaining('{"error":{')]);
  expect(JSON.parse((await outcome("error-200", prompt)).text)).toHaveProperty("error.code", "overloaded");
});

test("error-midway sends an error as the last event", async () => {
  const { text, ended } = await outcome("error-midway:2", streamed);
  expect(ended).toBe(true);
  expect(dataLines(text)).toHaveLength(3);
  expect(dataLines(text).at(-1)).toContain('{"error":{');
  const plain = await outcome("error-midway", prompt);
  expect(() => JSON.parse(plain.text)).toThrow(SyntaxError);
});

test("usage can be left out, contradict itself, or come twice", async () => {
  for (const body of [prompt, streamed]) {
    expect(usages((await outcome("no-usage", body)).text)).toBe(0);
    expect(usages((await outcome("double-usage", body)).text)).toBe(2);
    expect(usages((await outcome("slow:1", body)).text)).toBe(1);
  }
  const { usage } = JSON.parse((await outcome("wrong-usage", prompt)).text);
  expect(usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(usage.prompt_tokens);
  const twice = JSON.parse((await outcome("double-usage", prompt)).text);
  expect(twice.usage.completion_tokens).toBe(12);
});

test("huge-line, empty, html and slow", async () => {
  const huge = await outcome("huge-line:100000", streamed);
  expect(dataLines(huge.text)[0]?.length).toBeGreaterThan(100_000);
  expect(huge.text).toContain("[DONE]");
  for (const body of [prompt, streamed]) {
    expect(await outcome("empty", body)).toMatchObject({ status: 200, text: "", ended: true });
    expect(await outcome("html", body)).toMatchObject({ status: 200, type: "text/html" });
  }
  const started = clock.monotonicMs();
  await outcome("slow:10", streamed);
  expect(clock.monotonicMs() - started).toBeGreaterThan(100);
});

test("a fault is chosen by header, by metadata or by the model's suffix, and can be meant for one site", async () => {
  const plain = (body: object) =>
    request(`${sandbox.origin}/fr/v1/completions`, { method: "POST", body: JSON.stringify(body) });
  expect((await plain({ ...prompt, metadata: { sandbox_fault: "503" } })).statusCode).toBe(503);
  expect((await plain({ ...prompt, model: "sandbox/chat!401" })).statusCode).toBe(401);
  expect((await post("503@fr,429@de", prompt)).statusCode).toBe(503);
  expect((await post("503@fr,429@de", prompt, { site: "de" })).statusCode).toBe(429);
  expect((await post("503@fr,429@de", prompt, { site: "us" })).statusCode).toBe(200);
  expect((await post("nonsense", prompt)).statusCode).toBe(400);
});

test("a reader that stops is waited for, and nothing runs ahead of it", async () => {
  const prompts = Array.from({ length: 12 }, (_, at) => `prompt ${at}`);
  const large = await request(`${sandbox.origin}/fr/v1/completions`, {
    method: "POST",
    dispatcher,
    body: JSON.stringify({ model: "sandbox/chat", prompt: prompts, n: 128, stream: true }),
  });
  const running = sandbox.seen().at(-1);
  expect(running).toMatchObject({ outcome: "open" });
  expect(running?.produced_tokens).toBeLessThan(running?.completion_tokens ?? 0);
  expect(await large.body.text()).toContain("[DONE]");
  await expect.poll(() => sandbox.seen().at(-1)?.outcome, { interval: 5 }).toBe("completed");
  expect(sandbox.seen().at(-1)?.delivered_tokens).toBe(running?.completion_tokens);
});

test("the table describes each fault in a sentence, and other processes can read the record", async () => {
  for (const { summary } of Object.values(faults)) expect(summary).toMatch(/^[A-Z].*\.$/);
  await outcome("no-usage", prompt);
  const last = sandbox.seen().at(-1);
  const answer = await request(`${sandbox.origin}/__sandbox/requests?after=${(last?.sequence ?? 0) - 1}`);
  expect(await answer.body.json()).toEqual({ data: [last] });
});
