import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { faultyModels } from "./overlay.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

/** What the provider does with its next requests; after that it answers. */
const refusals: number[] = [];
let asked = 0;
const own = await startOwnUpstream((response, { model }) => {
  asked++;
  const status = refusals.shift();
  if (status !== undefined) {
    response.writeHead(status, { "retry-after": "1", "content-type": "application/json" });
    return void response.end(JSON.stringify({ error: { message: "not now", type: "x" } }));
  }
  const output = [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "at last", annotations: [] }],
    },
  ];
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  const answer = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    output,
    usage,
  };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
const failing = faultyModels({
  "gives-429": { fr: "429:1" },
  "gives-500": { fr: "500" },
  "gives-503": { fr: "503" },
});
const server = await startTestServer({
  settings: own.settings,
  overlay: {
    providers: own.overlay.providers,
    models: [...own.overlay.models, ...failing.models],
    endpoints: [...own.overlay.endpoints, ...failing.endpoints],
  },
});
const { client } = server;

const model = "sandbox/chat";
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "user", content: "What is the weather in Ghent?" },
];
const weather = {
  type: "function",
  function: {
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
} as const satisfies OpenAI.ChatCompletionFunctionTool;
const Port = z.object({ name: z.string(), berths: z.int(), open: z.boolean() });

describe("chat through the unmodified openai client", () => {
  test("the stream helper assembles the complete answer", async () => {
    // Each provider has its price: both are asked of one.
    const asking = { model, messages, seed: 4, max_tokens: 9, provider: { only: ["sandbox-fr"] } };
    const complete = await client.chat.completions.create(asking);
    const helper = client.chat.completions.stream({ ...asking, stream_options: { include_usage: true } });
    const pieces: string[] = [];
    helper.on("content", (delta) => void pieces.push(delta));
    const streamed = await helper.finalChatCompletion();
    expect(pieces.length).toBeGreaterThan(3);
    expect(streamed.choices[0]?.message.content).toBe(complete.choices[0]?.message.content);
    expect(streamed.usage).toEqual(complete.usage);
  });

  test("a tool is called in a stream and its result answered", async () => {
    const asking = { model, messages, tools: [weather] };
    const called = await client.chat.completions.stream(asking).finalChatCompletion();
    const [choice] = called.choices;
    const [call] = choice?.message.tool_calls ?? [];
    if (call?.type !== "function") throw new Error("No function was called");
    expect([choice?.finish_reason, call.function.name]).toEqual(["tool_calls", "weather"]);
    expect(typeof JSON.parse(call.function.arguments).city).toBe("string");
    const answered = await client.chat.completions
      .stream({
        ...asking,
        messages: [
          ...messages,
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: call.id, content: '{"sky":"grey"}' },
        ],
      })
      .finalContent();
    expect(answered?.length).toBeGreaterThan(0);
  });

  test.each([false, true])("parse returns an object of the schema, streamed %o", async (streamed) => {
    const asking = { model, messages, response_format: zodResponseFormat(Port, "port") };
    const completion = streamed
      ? await client.chat.completions.stream(asking).finalChatCompletion()
      : await client.chat.completions.parse(asking);
    expect(Port.parse(completion.choices[0]?.message.parsed)).toBeTruthy();
  });

  test("n answers contain the log probabilities of their tokens", async () => {
    const { choices, usage } = await client.chat.completions.create({
      ...{ model, messages, n: 2, logprobs: true, top_logprobs: 2, max_tokens: 4 },
    });
    expect(choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(usage?.completion_tokens).toBe(8);
    for (const { logprobs, message } of choices) {
      const tokens = logprobs?.content ?? [];
      expect(tokens.map(({ token }) => token).join("")).toBe(message.content);
      expect(tokens.every(({ top_logprobs: alternatives }) => alternatives.length === 2)).toBe(true);
    }
  });
});

describe("responses through the unmodified openai client", () => {
  test("a tool is called in a stream and its result answered in the same conversation", async () => {
    const tools = [{ ...weather.function, type: "function" as const, strict: false }];
    const first = await client.responses
      .stream({ model, input: "What is the weather in Ghent?", tools, store: true })
      .finalResponse();
    const call = first.output.find((item) => item.type === "function_call");
    if (!call) throw new Error("No function was called");
    const second = await client.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: call.call_id, output: "grey" }],
    });
    expect(second.output_text.length).toBeGreaterThan(0);
  });

  test("structured output is parsed", async () => {
    const { schema, name } = zodResponseFormat(Port, "port").json_schema;
    const { output_parsed: parsed } = await client.responses.parse({
      ...{ model, input: "Which port?" },
      text: { format: { type: "json_schema", name, schema: schema ?? {}, strict: true } },
    });
    expect(Port.parse(parsed)).toBeTruthy();
  });
});

describe("retries of the unmodified openai client", () => {
  const patient = new OpenAI({ baseURL: client.baseURL, apiKey: server.key, maxRetries: 2 });

  test.each([429, 503, 500])("after %i with Retry-After it retries and succeeds", async (status) => {
    refusals.push(status);
    asked = 0;
    const response = await patient.responses.create({ model: "own/native", input: "Now?" });
    expect(response.output_text).toBe("at last");
    expect(asked).toBe(2);
  });
});

describe("error classes of the unmodified openai client", () => {
  const ask = (name: string, by = client) => by.chat.completions.create({ model: name, messages });
  const stranger = new OpenAI({ baseURL: client.baseURL, apiKey: "ptl_wrong", maxRetries: 0 });

  test.each([
    ["AuthenticationError", () => ask(model, stranger), OpenAI.AuthenticationError],
    ["NotFoundError", () => ask("nobody/nothing"), OpenAI.NotFoundError],
    ["RateLimitError", () => ask("test/gives-429"), OpenAI.RateLimitError],
    ["InternalServerError", () => ask("test/gives-500"), OpenAI.InternalServerError],
    ["InternalServerError for 503", () => ask("test/gives-503"), OpenAI.InternalServerError],
    [
      "BadRequestError",
      () => client.chat.completions.create({ model, messages, temperature: 9 }),
      OpenAI.BadRequestError,
    ],
  ])("%s is raised", async (_, asking, kind) => {
    await expect(asking()).rejects.toBeInstanceOf(kind);
  });
});
