import Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { afterAll, describe, expect, test } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";
import { anthropic } from "#test/providers/anthropic.ts";
import { bedrock } from "#test/providers/bedrock.ts";
import { deepseek } from "#test/providers/deepseek.ts";
import { gemini } from "#test/providers/gemini.ts";
import { mistral } from "#test/providers/mistral.ts";
import type { Mock } from "#test/providers/mock.ts";
import { credential, play } from "#test/providers/serve.ts";
import { vllm } from "#test/providers/vllm.ts";
import { startTestServer } from "./server.ts";

/** Mocks that refuse a tool loop without the reasoning of its calls, or read it, and how often it is in a request. */
const loops: readonly (readonly [mock: Mock, model: string, replayed: RegExp])[] = [
  [anthropic, "claude-sonnet-4-5", /"type":"thinking","thinking":"Step \d+: ça va ☀️\.","signature":"/g],
  [gemini, "gemini-3-pro-preview", /"thoughtSignature":"(?!skip)[^"]+"/g],
  [
    bedrock,
    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    /"reasoningText":\{"text":"Step \d+: ça va ☀️\."/g,
  ],
  [
    mistral,
    "mistral-medium-latest",
    /"type":"thinking","thinking":\[\{"type":"text","text":"Step \d+: ça va ☀️\."/g,
  ],
  [deepseek, "deepseek-reasoner", /"reasoning_content":"Step \d+: ça va ☀️\."/g],
  [vllm, "Qwen/Qwen3-32B", /"reasoning":"Step \d+: ça va ☀️\."/g],
];
const steps = 10;

const playing = await Promise.all(
  loops.map(async ([mock, upstreamModel, replayed]) => {
    const upstream = await startUpstream();
    const played = play(mock);
    played.toolCalls = steps;
    upstream.answer = played.answer;
    return { mock, upstreamModel, replayed, upstream, played };
  }),
);
afterAll(async () => {
  for (const { upstream } of playing) await upstream.close();
});

const price = { currency: "EUR", input: "1", output: "1" };
const server = await startTestServer({
  settings: {
    ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    ...Object.fromEntries(playing.map(({ mock }) => [`LOOP_${mock.name.toUpperCase()}_API_KEY`, credential])),
  },
  overlay: {
    providers: playing.map(({ mock, upstream }) => ({
      slug: `loop-${mock.name}`,
      name: mock.name,
      kind: mock.kind,
      base_url: upstream.origin + mock.basePath,
      apis: ["chat"],
      training: false,
      retention_days: 0,
    })),
    models: playing.map(({ mock }) => ({ id: `loop/${mock.name}`, context_length: 131_072 })),
    endpoints: playing.map(({ mock, upstreamModel }) => ({
      provider: `loop-${mock.name}`,
      model: `loop/${mock.name}`,
      upstream_model: upstreamModel,
      price,
    })),
  },
});

const definition = {
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const question = { role: "user", content: "Weather on the way to Orléans?" } as const;

type Message = OpenAI.ChatCompletionMessageParam & Record<string, unknown>;
type Chunk = OpenAI.ChatCompletionChunk;
type ChatBody = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Call = { id: string; function: { name: string; arguments: string }; [name: string]: unknown };

const chatBody = (name: string, messages: readonly Message[]): ChatBody => ({
  model: `loop/${name}`,
  messages: [...messages],
  tools: [{ type: "function", function: definition }],
  reasoning_effort: "high",
  max_tokens: 8_000,
});

/** A message put together as clients do that know nothing of signatures but that lists grow. */
async function collected(chunks: AsyncIterable<Chunk>): Promise<Message> {
  const message: Record<string, unknown> = { role: "assistant" };
  const calls: Call[] = [];
  for await (const { choices } of chunks)
    for (const [name, value] of Object.entries(choices[0]?.delta ?? {})) {
      const before = message[name];
      if (name === "tool_calls")
        for (const { index, ...piece } of value as (Call & { index: number })[]) {
          const call = calls[index];
          if (call) call.function.arguments += piece.function.arguments;
          else calls[index] = piece as Call;
        }
      else if (Array.isArray(value)) message[name] = [...((before as unknown[]) ?? []), ...value];
      else if (name !== "role" && typeof value === "string") message[name] = `${before ?? ""}${value}`;
    }
  return { content: null, ...message, ...(calls.length > 0 && { tool_calls: calls }) } as unknown as Message;
}

const { client } = server;
/** How each client gets one answer of chat as a message it sends back. */
const chatClients: Readonly<Record<string, (body: ChatBody) => Promise<Message>>> = {
  complete: async (body) =>
    (await client.chat.completions.create(body)).choices[0]?.message as unknown as Message,
  streamed: async (body) => collected(await client.chat.completions.create({ ...body, stream: true })),
};

type Response = OpenAI.Responses.Response;
type ResponseBody = OpenAI.Responses.ResponseCreateParamsNonStreaming;
const responseClients: Readonly<Record<string, (body: ResponseBody) => Promise<Response>>> = {
  complete: (body) => client.responses.create(body),
  streamed: async (body) => {
    let last: Response | null = null;
    for await (const event of await client.responses.create({ ...body, stream: true }))
      if (event.type === "response.completed") last = event.response;
    if (!last) throw new Error("The stream had no end");
    return last;
  },
};
const responseBody = (name: string): ResponseBody => ({
  model: `loop/${name}`,
  tools: [{ type: "function", strict: false, ...definition }],
  reasoning: { effort: "high" },
  max_output_tokens: 8_000,
});

const anthropicClient = new Anthropic({ baseURL: server.origin, apiKey: server.key, maxRetries: 0 });
const messageBody = (name: string, messages: readonly Anthropic.MessageParam[]) => ({
  model: `loop/${name}`,
  messages: [...messages],
  tools: [{ name: definition.name, input_schema: { ...definition.parameters, type: "object" as const } }],
  thinking: { type: "enabled" as const, budget_tokens: 2_048 },
  max_tokens: 8_000,
});

const callsOf = ({ output }: Response) => output.filter((item) => item.type === "function_call");
const outputsOf = (response: Response) =>
  callsOf(response).map(({ call_id }) => ({
    type: "function_call_output" as const,
    call_id,
    output: "Sunny",
  }));

describe.each(playing.map((each) => [each.mock.name, each] as const))("%s", (name, { played, replayed }) => {
  /** All steps were accepted, and the last request has the reasoning of each of them. */
  function assertReplayed() {
    const { judged } = played;
    expect(judged.map(({ refusal }) => refusal)).toEqual(Array.from({ length: steps + 1 }, () => null));
    expect(JSON.stringify(judged.at(-1)?.body).match(replayed)).toHaveLength(steps);
  }

  test.each(Object.keys(chatClients))("reasons and calls tools in ten steps of chat, %s", async (how) => {
    played.judged.length = 0;
    const messages: Message[] = [question];
    let text: unknown = null;
    while (text === null && messages.length < 3 * steps) {
      const message = await chatClients[how]?.(chatBody(name, messages));
      if (!message) throw new Error("No message");
      messages.push(message);
      const calls = (message.tool_calls ?? []) as Call[];
      for (const { id } of calls) messages.push({ role: "tool", tool_call_id: id, content: "Sunny" });
      if (calls.length === 0) text = message.content;
    }
    expect(text).toContain("Bonjour");
    assertReplayed();
  });

  test.each(Object.keys(responseClients))(
    "reasons and calls tools in ten responses whose items are sent back, %s",
    async (how) => {
      played.judged.length = 0;
      const input: OpenAI.Responses.ResponseInput = [question];
      for (;;) {
        const response = await responseClients[how]?.({ ...responseBody(name), input, store: false });
        if (!response) throw new Error("No response");
        const outputs = outputsOf(response);
        if (outputs.length === 0 || input.length > 4 * steps) {
          expect(response.output_text).toContain("Bonjour");
          break;
        }
        input.push(...(response.output as OpenAI.Responses.ResponseInput), ...outputs);
      }
      assertReplayed();
    },
  );

  test.each([false, true])(
    "reasons and calls tools in ten steps of messages, as Anthropic's client sends them back (streamed: %o)",
    async (isStreamed) => {
      played.judged.length = 0;
      const messages: Anthropic.MessageParam[] = [question];
      for (let said: Anthropic.Message | null = null; said?.stop_reason !== "end_turn"; ) {
        const body = messageBody(name, messages);
        said = isStreamed
          ? await anthropicClient.messages.stream(body).finalMessage()
          : await anthropicClient.messages.create(body);
        messages.push({ role: "assistant", content: said.content });
        const calls = said.content.filter((block) => block.type === "tool_use");
        if (calls.length === 0 || messages.length > 3 * steps) break;
        messages.push({
          role: "user",
          content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "Sunny" })),
        });
      }
      expect(JSON.stringify(messages.at(-1))).toContain("Bonjour");
      assertReplayed();
    },
  );

  test("reasons and calls tools in ten responses that continue each other", async () => {
    played.judged.length = 0;
    let response = await client.responses.create({
      ...responseBody(name),
      input: [question],
      store: true,
    });
    for (let step = 0; step < steps + 2 && callsOf(response).length > 0; step++)
      response = await client.responses.create({
        ...responseBody(name),
        input: outputsOf(response),
        previous_response_id: response.id,
        store: true,
      });
    expect(response.output_text).toContain("Bonjour");
    assertReplayed();
  });
});

const signing = [anthropic, gemini, bedrock].map(({ name }) => name);

test.each(
  playing.filter(({ mock }) => signing.includes(mock.name)).map((each) => [each.mock.name, each] as const),
)(
  "the message that OpenAI's client puts together from a stream of %s can be sent back",
  async (name, { played }) => {
    played.judged.length = 0;
    const { stream: _, ...body } = chatBody(name, [question]);
    const message = await client.chat.completions.stream(body).finalMessage();
    const [call] = message.tool_calls ?? [];
    const messages = [
      question,
      message as unknown as Message,
      { role: "tool", tool_call_id: call?.id ?? "", content: "Sunny" } as Message,
    ];
    await client.chat.completions.create(chatBody(name, messages));
    expect(played.judged.map(({ refusal }) => refusal)).toEqual([null, null]);
    const sent = JSON.stringify(played.judged.at(-1)?.body);
    expect(sent).toMatch(/"(?:signature|thoughtSignature)":"/);
    expect(sent).not.toContain("skip_thought_signature_validator");
  },
);

test("a tool loop that another provider began goes on at Claude, without reasoning", async () => {
  const claude = playing.find(({ mock }) => mock.name === "anthropic");
  if (!claude) throw new Error("Claude is not among the mocks");
  claude.played.judged.length = 0;
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } } as const;
  const messages: Message[] = [
    question,
    { role: "assistant", content: null, reasoning: "Hm.", tool_calls: [call] } as unknown as Message,
    { role: "tool", tool_call_id: "call_1", content: "Sunny" },
  ];
  await client.chat.completions.create(chatBody("anthropic", messages));
  expect(claude.played.judged).toMatchObject([{ refusal: null }]);
  expect(claude.played.judged[0]?.body).not.toHaveProperty("thinking");
});

test("signatures of another provider are not sent to Claude, and the answer's headers report it", async () => {
  const detail = { type: "reasoning.encrypted", data: "x", format: "google-gemini-v1", index: 0 };
  const said = { role: "assistant", content: "Hi.", reasoning: "Hm.", reasoning_details: [detail] };
  for (const stream of [false, true]) {
    const response = await server.post("/chat/completions", {
      ...chatBody("anthropic", [question, said as unknown as Message, question]),
      stream,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-portolan-dropped-params")).toBe("messages.reasoning_details");
    await response.text();
  }
});

test("a conversation of messages with signatures of Gemini goes on at Claude, which does not get them, and that is reported", async () => {
  const said = await anthropicClient.messages.create(messageBody("gemini", [question]));
  expect(JSON.stringify(said.content)).toContain("portolan1.");
  const [call] = said.content.filter(({ type }) => type === "tool_use") as Anthropic.ToolUseBlock[];
  const { response } = await anthropicClient.messages
    .create(
      messageBody("anthropic", [
        question,
        { role: "assistant", content: said.content },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "Sunny" }],
        },
      ]),
    )
    .withResponse();
  expect(response.headers.get("x-portolan-dropped-params")).toMatch(/messages\.(reasoning_details|thinking)/);
  const claude = playing.find(({ mock }) => mock.name === "anthropic");
  const last = claude?.played.judged.at(-1);
  expect(last?.refusal).toBeNull();
  expect(JSON.stringify(last?.body)).not.toMatch(/portolan1|thoughtSignature/);
});

const excluded = { reasoning: { effort: "high", exclude: true } } as object;

test.each(playing.map(({ mock }) => mock.name))(
  "excluded reasoning of %s is not in the answer, but is billed",
  async (name) => {
    const body = { model: `loop/${name}`, messages: [question], max_tokens: 8_000, ...excluded } as ChatBody;
    const { choices, usage } = await client.chat.completions.create(body);
    expect(JSON.stringify(choices)).not.toMatch(/reasoning|Step/);
    const streamed = await collected(await client.chat.completions.create({ ...body, stream: true }));
    expect(JSON.stringify(streamed)).not.toMatch(/reasoning|Step/);
    expect(usage?.completion_tokens).toBeGreaterThan(0);
    const text = await client.completions.create({
      model: `loop/${name}`,
      prompt: "Hi",
      max_tokens: 8_000,
      ...excluded,
    });
    expect(JSON.stringify(text.choices)).not.toContain("Step");
  },
);
