import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { anthropic } from "#test/providers/anthropic.ts";
import { bedrock } from "#test/providers/bedrock.ts";
import { gemini } from "#test/providers/gemini.ts";
import { definition, playing, question, server, steps } from "./reasoning-loops.ts";

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
