import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "./index.ts";

let sandbox: Sandbox;
let client: OpenAI;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenAI({ baseURL: `${sandbox.origin}/fr/v1`, apiKey: "none", maxRetries: 0 });
});
afterAll(() => sandbox.close());

const messages = [{ role: "user" as const, content: "Where does the channel lead?" }];
const lastSeen = () => sandbox.seen().at(-1);

test("the same seed gives the same words, another seed others", async () => {
  const say = async (seed: number) => {
    const answer = await client.chat.completions.create({ model: "sandbox/chat", messages, seed });
    return answer.choices[0]?.message.content;
  };
  const [first, again, other] = await Promise.all([say(7), say(7), say(8)]);
  expect(first).toBeTruthy();
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test("a stream carries the same text and the same usage as the plain answer", async () => {
  const complete = await client.chat.completions.create({ model: "sandbox/chat", messages, seed: 3 });
  const stream = await client.chat.completions.create({
    model: "sandbox/chat",
    messages,
    seed: 3,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let usage: OpenAI.CompletionUsage | null | undefined;
  const finishes: string[] = [];
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason);
    usage = chunk.usage ?? usage;
  }
  expect(text).toBe(complete.choices[0]?.message.content);
  expect(usage).toEqual(complete.usage);
  expect(finishes).toEqual(["stop"]);
  expect(lastSeen()).toMatchObject({
    stream: true,
    outcome: "completed",
    completion_tokens: usage?.completion_tokens,
    delivered_tokens: usage?.completion_tokens,
  });
});

test("max_tokens, stop, n and logprobs are honoured and agree with each other", async () => {
  const answer = await client.chat.completions.create({
    model: "sandbox/chat",
    messages,
    max_tokens: 5,
    n: 2,
    logprobs: true,
    top_logprobs: 3,
  });
  expect(answer.choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
    [0, "length"],
    [1, "length"],
  ]);
  expect(answer.usage?.completion_tokens).toBe(10);
  for (const { message, logprobs } of answer.choices) {
    expect(logprobs?.content?.map(({ token }) => token).join("")).toBe(message.content);
    for (const { token, logprob, top_logprobs } of logprobs?.content ?? []) {
      expect(top_logprobs[0]).toMatchObject({ token, logprob });
      expect(top_logprobs).toHaveLength(3);
      expect(top_logprobs.reduce((sum, top) => sum + Math.exp(top.logprob), 0)).toBeLessThanOrEqual(1);
    }
  }
  const full = await client.chat.completions.create({ model: "sandbox/chat", messages });
  const text = full.choices[0]?.message.content ?? "";
  const stop = text.slice(10, 14);
  const stopped = await client.chat.completions.create({ model: "sandbox/chat", messages, stop });
  expect(stopped.choices[0]?.message.content).toBe(text.slice(0, text.indexOf(stop)));
});

const tools = ["find_port", "read_chart"].map((name) => ({
  type: "function" as const,
  function: {
    name,
    parameters: {
      type: "object",
      properties: { depth: { type: "integer", minimum: 3, maximum: 9 }, sea: { enum: ["north", "baltic"] } },
      required: ["depth", "sea"],
    },
  },
}));

test("the first tool or the named one is called with arguments that fit its schema", async () => {
  const call = async (tool_choice?: OpenAI.ChatCompletionToolChoiceOption) => {
    const answer = await client.chat.completions.create({
      model: "sandbox/chat",
      messages,
      tools,
      tool_choice,
    });
    return answer.choices[0];
  };
  const first = await call();
  expect(first?.finish_reason).toBe("tool_calls");
  const made = first?.message.tool_calls?.[0];
  if (made?.type !== "function") throw new Error("no function was called");
  expect(made.function.name).toBe("find_port");
  const given = JSON.parse(made.function.arguments);
  expect(given.depth).toBeGreaterThanOrEqual(3);
  expect(given.depth).toBeLessThanOrEqual(9);
  expect(["north", "baltic"]).toContain(given.sea);
  expect(await call({ type: "function", function: { name: "read_chart" } })).toMatchObject({
    message: { tool_calls: [{ function: { name: "read_chart" } }] },
  });
  expect(await call("none")).toMatchObject({ finish_reason: "stop" });
});

test("a streamed tool call adds up to the arguments of the plain one", async () => {
  const complete = await client.chat.completions.create({ model: "sandbox/chat", messages, tools });
  const streamed = await client.chat.completions
    .stream({ model: "sandbox/chat", messages, tools })
    .finalChatCompletion();
  expect(streamed.choices[0]?.message.tool_calls).toMatchObject(
    complete.choices[0]?.message.tool_calls ?? [{}],
  );
  expect(streamed.choices[0]?.finish_reason).toBe("tool_calls");
});

test("a JSON schema is answered with an instance of it", async () => {
  const answer = await client.chat.completions.create({
    model: "sandbox/chat",
    messages,
    response_format: {
      type: "json_schema",
      json_schema: {
        name: "port",
        schema: { type: "object", properties: { open: { type: "boolean" } }, required: ["open"] },
      },
    },
  });
  expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ open: expect.any(Boolean) });
});

test("reasoning comes when asked for and is part of the completion tokens", async () => {
  const answer = await client.chat.completions.create({
    model: "sandbox/chat",
    messages,
    reasoning_effort: "low",
  });
  expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(8);
  expect(answer.choices[0]?.message).toHaveProperty("reasoning");
});

test("a prompt seen before is reported as cached, in complete blocks", async () => {
  const content = Array.from({ length: 100 }, (_, at) => `word${at}`).join(" ");
  const ask = () =>
    client.chat.completions.create({ model: "sandbox/chat", messages: [{ role: "user", content }] });
  const [first, second] = [await ask(), await ask()];
  expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
  const cached = second.usage?.prompt_tokens_details?.cached_tokens ?? 0;
  expect(cached).toBe(96);
  expect(cached).toBeLessThan(second.usage?.prompt_tokens ?? 0);
});

test("text completions take several prompts, echo and logprobs, streamed and not", async () => {
  const body = {
    model: "sandbox/chat",
    prompt: ["one", "two"],
    n: 2,
    max_tokens: 4,
    logprobs: 2,
    echo: true,
  };
  const answer = await client.completions.create(body);
  expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(answer.choices[2]?.text.startsWith("two ")).toBe(true);
  expect(answer.choices[0]?.logprobs?.text_offset?.[0]).toBe(3);
  const texts = ["", "", "", ""];
  for await (const chunk of await client.completions.create({ ...body, stream: true })) {
    for (const choice of chunk.choices) texts[choice.index] += choice.text;
  }
  expect(texts).toEqual(answer.choices.map(({ text }) => text));
});

test("embeddings have length 1, reflect similarity, and are the same in base64 and in numbers", async () => {
  const input = ["the harbour pilot", "the pilot of the harbour", "zebra quartz"];
  const [near, like, far] = (
    await client.embeddings.create({ model: "sandbox/embed", input, encoding_format: "float" })
  ).data.map(({ embedding }) => embedding);
  const dot = (a: number[] = [], b: number[] = []) => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
  expect(near).toHaveLength(256);
  expect(dot(near, near)).toBeCloseTo(1, 5);
  expect(dot(near, like)).toBeGreaterThan(dot(near, far) + 0.3);
  const packed = await client.embeddings.create({ model: "sandbox/embed", input });
  expect(packed.data[0]?.embedding).toEqual(near);
  const short = await client.embeddings.create({ model: "sandbox/embed", input: "x", dimensions: 8 });
  expect(short.data[0]?.embedding).toHaveLength(8);
});

test("models are listed; an unknown one and a wrong body are refused as OpenAI does", async () => {
  const listed = await client.models.list();
  expect(listed.data.map(({ id }) => id)).toContain("sandbox/chat");
  await expect(client.chat.completions.create({ model: "sandbox/none", messages })).rejects.toThrow(
    OpenAI.NotFoundError,
  );
  await expect(client.chat.completions.create({ model: "sandbox/chat", messages: [] })).rejects.toThrow(
    OpenAI.BadRequestError,
  );
});
