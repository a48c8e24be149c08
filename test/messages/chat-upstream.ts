import { afterAll } from "vitest";
import { type LoopbackUpstream, startUpstream } from "#test/dialects/server.ts";

/** What an upstream that chats says once: whole, or piece by piece if the request asks for a stream. */
export interface Said {
  readonly reasoning?: string;
  readonly content?: string;
  readonly refusal?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** Whether the pieces of several calls come mixed. */
  readonly mixed?: boolean;
  readonly finish: string;
  readonly usage?: object;
  /** A status and error instead of an answer. */
  readonly error?: { readonly status: number; readonly message: string };
}

type Body = Record<string, unknown>;

const usual = { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 };

/** A text in pieces of three characters, as a stream brings it. */
const piecesOf = (text = ""): string[] => text.match(/[\s\S]{1,3}/gu) ?? [];

function* callDeltas({ calls = [], mixed = false }: Said): Generator<object> {
  const pieces = calls.map(({ arguments: given }) => piecesOf(given));
  const opening = (index: number) => {
    const { id, name } = calls[index] ?? {};
    return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
  };
  const next = (index: number, piece: string) => ({
    tool_calls: [{ index, function: { arguments: piece } }],
  });
  if (!mixed)
    for (const [index, own] of pieces.entries()) {
      yield opening(index);
      for (const piece of own) yield next(index, piece);
    }
  else {
    for (const index of pieces.keys()) yield opening(index);
    for (let at = 0; pieces.some((own) => at < own.length); at++)
      for (const [index, own] of pieces.entries()) {
        const piece = own[at];
        if (piece !== undefined) yield next(index, piece);
      }
  }
}

function* deltasOf(said: Said): Generator<object> {
  yield { role: "assistant", content: "" };
  for (const reasoning of piecesOf(said.reasoning)) yield { reasoning };
  for (const content of piecesOf(said.content)) yield { content };
  for (const refusal of piecesOf(said.refusal)) yield { refusal };
  yield* callDeltas(said);
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

function streamOf(said: Said): string {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta, finish_reason }] });
  const deltas = [...deltasOf(said)].map((delta) => chunk(delta)).join("");
  const last = event({ choices: [], usage: said.usage ?? usual });
  return `${deltas}${chunk({}, said.finish)}${last}data: [DONE]\n\n`;
}

function completeOf({ content, reasoning, refusal, calls, finish, usage = usual }: Said): string {
  const message = {
    role: "assistant",
    content: content ?? null,
    ...(reasoning && { reasoning }),
    ...(refusal && { refusal }),
    ...(calls && {
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        id,
        type: "function",
        function: { name, arguments: given },
      })),
    }),
  };
  return JSON.stringify({ choices: [{ index: 0, message, finish_reason: finish }], usage });
}

export interface ChatUpstream {
  readonly upstream: LoopbackUpstream;
  /** What the next requests are answered with. */
  said: Said;
  /** The body of the last request. */
  asked(): Body;
  readonly settings: Record<string, string>;
  readonly overlay: object;
}

/** A provider on loopback that chats, with the model `own/chat`, which supports everything. */
export async function startChatUpstream(): Promise<ChatUpstream> {
  const upstream = await startUpstream();
  afterAll(() => upstream.close());
  upstream.answer = (response, { body }) => {
    const { said } = chat;
    const streamed = (body as Body).stream === true;
    if (said.error)
      return void response
        .writeHead(said.error.status, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message: said.error.message } }));
    const type = streamed ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type }).end(streamed ? streamOf(said) : completeOf(said));
  };
  const chat: ChatUpstream = {
    upstream,
    said: { content: "Hello", finish: "stop" },
    asked: () => (upstream.received.at(-1)?.body ?? {}) as Body,
    settings: { OWN_API_KEY: "secret", ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
    overlay: {
      providers: [
        {
          slug: "own",
          name: "Own",
          base_url: `${upstream.origin}/v1`,
          apis: ["chat"],
          region: "DE",
          datacenters: ["DE"],
          headquarters: "DE",
        },
      ],
      models: [
        {
          id: "own/chat",
          context_length: 131_072,
          input_modalities: ["text", "image", "file"],
          supported_parameters: [
            ...["temperature", "top_p", "top_k", "stop", "max_tokens", "tools", "tool_choice"],
            ...["parallel_tool_calls", "response_format", "structured_outputs", "reasoning"],
            ...["reasoning_effort", "service_tier"],
          ],
        },
      ],
      endpoints: [
        {
          provider: "own",
          model: "own/chat",
          upstream_model: "chat",
          price: { currency: "EUR", input: "1", output: "1" },
        },
      ],
    },
  };
  return chat;
}
