import type { ServerResponse } from "node:http";
import { afterAll } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";

type Body = Record<string, unknown> & { model?: string; stream?: boolean; max_tokens?: number };

/** Says as many words as it may, the same each time. */
const wordsOf = ({ max_tokens: max = 8 }: Body): string[] =>
  Array.from({ length: Math.min(max, 8) }, (_, at) => `word${at} `);

const sse = (events: readonly unknown[]): string =>
  `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;

function answerChat(response: ServerResponse, body: Body): void {
  const words = wordsOf(body);
  const asked = JSON.stringify(body.messages).length;
  const usage = { prompt_tokens: asked, completion_tokens: words.length, total_tokens: asked + words.length };
  const choice = (rest: object) => ({ index: 0, finish_reason: null, ...rest });
  if (!body.stream) {
    const message = { role: "assistant", content: words.join("") };
    const choices = [choice({ message, finish_reason: "length" })];
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices, usage }));
    return;
  }
  const events = words.map((content) => ({ choices: [choice({ delta: { content } })] }));
  const end = { choices: [choice({ delta: {}, finish_reason: "length" })], usage };
  response.writeHead(200, { "content-type": "text/event-stream" }).end(sse([...events, end]));
}

/** Refuses a field that its operator's catalogue says nothing about, in OpenAI's words. */
function answerWithoutSeed(response: ServerResponse, body: Body): void {
  if (body.seed === undefined) {
    answerChat(response, body);
    return;
  }
  const error = {
    message: "Unrecognized request argument supplied: seed",
    type: "invalid_request_error",
    param: null,
    code: null,
  };
  response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}

type Answer = (response: ServerResponse, body: Body) => void;

const price = { currency: "EUR", input: "1", output: "1" };

/**
 * A provider of the test's own on loopback, which remembers what it was asked. `own/chat` answers, `own/down`
 * fails, `own/hangs` never answers, `own/slow` begins a stream and does not end it, `own/picky` refuses `seed`, `own/native` speaks responses and answers with `native`.
 */
export async function startOwnUpstream(native: Answer = (response) => response.writeHead(500).end()) {
  const upstream = await startUpstream();
  afterAll(() => upstream.close());
  const answers: Record<string, Answer> = {
    chat: answerChat,
    down: (response) => response.writeHead(500).end(),
    hangs: () => {},
    slow: (response) => {
      const choices = [{ index: 0, finish_reason: null, delta: { content: "word" } }];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify({ choices })}\n\n`);
    },
    picky: answerWithoutSeed,
    native,
  };
  upstream.answer = (response, { body }) => {
    const asked = body as Body;
    answers[asked.model ?? ""]?.(response, asked);
  };
  const provider = {
    slug: "own",
    name: "Own",
    base_url: `${upstream.origin}/v1`,
    apis: ["chat", "responses"],
  };
  return {
    settings: { OWN_API_KEY: "secret", ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
    overlay: {
      providers: [{ ...provider, region: "DE", datacenters: ["DE"], headquarters: "DE" }],
      models: Object.keys(answers).map((name) => ({
        id: `own/${name}`,
        context_length: 131_072,
        supported_parameters: ["temperature", "tools", "tool_choice", "reasoning"],
      })),
      endpoints: Object.keys(answers).map((name) => ({
        provider: "own",
        model: `own/${name}`,
        upstream_model: name,
        apis: [name === "native" ? "responses" : "chat"],
        price,
      })),
    },
    /** The body of the request that was made for a generation. */
    askedFor(generation: string): Body {
      const found = upstream.received.find(({ headers }) => headers["x-portolan-generation"] === generation);
      return (found?.body ?? {}) as Body;
    },
  };
}
